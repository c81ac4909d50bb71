// Settings responses of a running Gatehouse match the document: policies, roles, the audit log, sign-in.

import { expect, test } from "bun:test";
import { type Api, unique } from "../world/api.ts";
import { newClient } from "../world/client.ts";
import { type Json, readDocument, validatorOf } from "../world/documented.ts";
import { clientOf, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { API, type CallOptions, callDocumented } from "./call.ts";

const document = await readDocument();

/** One call, checked against the document. */
function call(caller: Api | undefined, method: string, path: string, status: number, options?: CallOptions) {
  return callDocumented(document, caller, method, path, status, options);
}

test.concurrent("the audit log", async () => {
  const caller = await newTenant();
  const path = `${API}/AuditEvent`;
  await caller.made("Role", { Name: "reviewers" });
  const { body } = await call(caller, "GET", `${path}?Kind=Role.Created&ActorType=`, 200);
  await call(caller, "GET", `${path}/{Id}`, 200, { at: `${path}/${body.Items[0].Id}` });
  await call(caller, "GET", `${path}/{Id}`, 404, { at: `${path}/${crypto.randomUUID()}` });
  await call(caller, "GET", `${path}?Kind=Role.Lost`, 400);
});

test.concurrent.each(["Policy", "Role"])("%s", async (name) => {
  const caller = await newTenant();
  const path = `${API}/${name}`;
  const one = `${path}/{Id}`;
  const [example] = Object.values<Json>(document.paths[path].patch.requestBody.content["application/json"].examples);
  const input = { ...example.value, Name: unique(name) };
  const { body } = await call(caller, "PATCH", path, 200, { body: input });
  expect(body).toMatchObject(input);
  expect(validatorOf(document)(document.components.schemas[`${name}Data`], body)).toBeUndefined();
  await call(caller, "POST", path, 200, { body });
  await call(caller, "GET", `${path}?Name=x`, 200);
  await call(caller, "GET", one, 200, { at: `${path}/${body.Id}` });
  await call(caller, "GET", one, 304, { at: `${path}/${body.Id}`, headers: { "if-none-match": "*" } });
  await call(caller, "DELETE", one, 412, { at: `${path}/${body.Id}`, headers: { "if-match": '"other"' } });
  await call(caller, "PATCH", path, 400, { body: { Name: 1 } });
  await call(caller, "PATCH", path, 404, { body: { Id: crypto.randomUUID(), Name: unique(name) } });
  await call(await caller.withScope("AccessManager:Read"), "GET", path, 403);
  await call(caller, "DELETE", one, 200, { at: `${path}/${body.Id}` });
  await call(caller, "DELETE", one, 404, { at: `${path}/${body.Id}` });
});

test.concurrent("identity providers and their tests", async () => {
  const caller = await newTenant();
  const path = `${API}/IdentityProvider`;
  const one = `${path}/{Id}`;
  const { examples } = document.paths[path].patch.requestBody.content["application/json"];
  const { body } = await call(caller, "PATCH", path, 200, { body: examples.OpenIDConnect.value });
  await call(caller, "POST", path, 200, { body: examples.OAuth2.value });
  expect(validatorOf(document)(document.components.schemas.IdentityProviderData, body)).toBeUndefined();
  await call(caller, "POST", path, 200, { body });
  await call(caller, "GET", `${path}?Name=x`, 200);
  const at = `${path}/${body.Id}`;
  await call(caller, "GET", one, 200, { at });
  await call(caller, "GET", one, 304, { at, headers: { "if-none-match": "*" } });
  await call(caller, "PATCH", path, 400, { body: { Name: 1 } });
  await call(caller, "PATCH", path, 404, { body: { Id: "1" } });
  await call(caller, "POST", path, 409, { body: { Id: body.Id, Name: examples.OAuth2.value.Name } });
  // No server listens there.
  await call(caller, "PATCH", path, 200, {
    body: { Id: body.Id, Issuer: "https://localhost.invalid", ClientSecret: "x" },
  });
  const tested = await call(caller, "POST", `${one}/Test`, 200, { at: `${at}/Test` });
  expect(tested.body).toMatchObject({ Works: false, Checks: [{ Name: "Metadata", Outcome: "Failed" }] });
  await call(await caller.withScope("Settings:Read"), "POST", `${one}/Test`, 403, { at: `${at}/Test` });
  await call(caller, "DELETE", one, 412, { at, headers: { "if-match": '"other"' } });
  await call(caller, "DELETE", one, 200, { at });
  await call(caller, "POST", `${one}/Test`, 404, { at: `${at}/Test` });
});

test.concurrent("errors in a policy", async () => {
  const caller = await newTenant();
  const path = `${API}/Policy/Validate`;
  const { examples } = document.paths[path].post.requestBody.content["application/json"];
  const { body } = await call(caller, "POST", path, 200, { body: examples.text.value });
  const documented = document.paths[path].post.responses[200].content["application/json"].examples.example.value;
  expect(body).toEqual(documented);
  expect((await call(caller, "POST", path, 200, { body: { Policy: "" } })).body.Problems[0].Line).toBeNull();
  await call(caller, "POST", path, 400, { body: { Name: "Mine" } });
  await call(await caller.withScope("Settings:Read"), "POST", path, 403, { body: examples.text.value });
});

test.concurrent("a decision about a call", async () => {
  const caller = await newTenant();
  const path = `${API}/Policy/Evaluate`;
  const { examples } = document.paths[path].post.requestBody.content["application/json"];
  const Principal = { Type: "Client", Id: caller.clientId };
  const saved = { ...examples.saved.value, Principal, Resource: { Type: "Application", Id: caller.clientId } };
  const { body } = await call(caller, "POST", path, 200, { body: saved });
  expect(body).toEqual(document.paths[path].post.responses[200].content["application/json"].examples.example.value);
  await call(caller, "POST", path, 200, { body: { ...examples.text.value, Principal } });
  const unscoped = { ...saved, Context: { Scopes: [] } };
  expect((await call(caller, "POST", path, 200, { body: unscoped })).body.Problems[0].Policy).toBeNull();
  await call(caller, "POST", path, 400, { body: examples.saved.value });
  const gone = { ...examples.text.value, Principal, Id: crypto.randomUUID() };
  await call(caller, "POST", path, 404, { body: gone });
  await call(await caller.withScope("Settings:Read"), "POST", path, 403, { body: saved });
  const { body: policies } = await call(caller, "GET", `${API}/Policy?Limit=1`, 200);
  const [{ Id }] = policies.Items;
  const versions = `${API}/Policy/{Id}/Versions`;
  await call(caller, "GET", versions, 200, { at: `${API}/Policy/${Id}/Versions` });
  await call(caller, "GET", versions, 404, { at: `${API}/Policy/${crypto.randomUUID()}/Versions` });
  await call(caller, "GET", `${versions}?Limit=0`, 400, { at: `${API}/Policy/${Id}/Versions` });
  const unread = await caller.withScope("AccessManager:Read");
  await call(unread, "GET", versions, 403, { at: `${API}/Policy/${Id}/Versions` });
});

test.concurrent("an administrator's view of users' sign-in", async () => {
  const caller = await newTenant();
  const settings = `${API}/TenantSettings`;
  await call(caller, "GET", settings, 200);
  const { content } = document.paths[settings].patch.requestBody;
  const example = content["application/json"].examples.required.value;
  expect((await call(caller, "PATCH", settings, 200, { body: example })).body).toMatchObject(example);
  await call(caller, "PATCH", settings, 400, { body: { SecondFactor: "Never" } });
  await call(caller, "GET", `${settings}/Branding`, 200);
  const restore = `${settings}/Branding/{Number}/Restore`;
  await call(caller, "POST", restore, 200, { at: `${settings}/Branding/1/Restore` });
  await call(caller, "POST", restore, 404, { at: `${settings}/Branding/99/Restore` });
  await call(await caller.withScope("Settings:Read"), "PATCH", settings, 403, { body: example });

  const { body: user } = await call(caller, "PATCH", `${API}/User`, 200, { body: { Username: unique("user") } });
  const { body: nameless } = await call(caller, "PATCH", `${API}/User`, 200, { body: { Name: unique("nameless") } });
  const reset = `${API}/User/{Id}/PasswordReset`;
  await call(caller, "POST", reset, 200, { at: `${API}/User/${user.Id}/PasswordReset` });
  await call(caller, "POST", reset, 404, { at: `${API}/User/999999999/PasswordReset` });
  await call(caller, "POST", reset, 409, { at: `${API}/User/${nameless.Id}/PasswordReset` });
  const factor = `${API}/User/{Id}/SecondFactor`;
  await call(caller, "GET", factor, 404, { at: `${API}/User/${user.Id}/SecondFactor` });
  await call(caller, "DELETE", factor, 404, { at: `${API}/User/${user.Id}/SecondFactor` });
  const sessions = `${API}/User/{Id}/Sessions`;
  const at = `${API}/User/${user.Id}/Sessions`;
  await call(caller, "GET", `${sessions}?Limit=1`, 200, { at });
  await call(caller, "GET", sessions, 404, { at: `${API}/User/999999999/Sessions` });
  await call(caller, "DELETE", sessions, 200, { at });
  await call(caller, "DELETE", `${sessions}/{SessionId}`, 404, { at: `${at}/${crypto.randomUUID()}` });
  const passkeys = `${API}/User/{Id}/Passkeys`;
  await call(caller, "GET", passkeys, 200, { at: `${API}/User/${user.Id}/Passkeys` });
  await call(caller, "DELETE", `${passkeys}/{PasskeyId}`, 404, {
    at: `${API}/User/${user.Id}/Passkeys/${crypto.randomUUID()}`,
  });
  await call(caller, "GET", `${API}/User/{Id}/Identities`, 200, { at: `${API}/User/${user.Id}/Identities` });
  await call(caller, "DELETE", `${API}/User/{Id}/Identities/{IdentityId}`, 404, {
    at: `${API}/User/${user.Id}/Identities/x`,
  });
  await call(caller, "GET", `${API}/SigningKey`, 200);
});

test.concurrent("a session that an administrator ends", async () => {
  const client = await newClient();
  await client.visit(new Visitor());
  const caller = await clientOf(client.tenant);
  const { body: user } = await caller.get("/User/admin?Name=Username");
  const path = `${API}/User/{Id}/Sessions`;
  const at = `${API}/User/${user.Id}/Sessions`;
  const { body } = await call(caller, "GET", path, 200, { at });
  await call(caller, "DELETE", `${path}/{SessionId}`, 200, { at: `${at}/${body.Items[0].Id}` });
});
