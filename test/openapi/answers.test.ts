// Responses of a running Gatehouse match the document in every property.

import { describe, expect, test } from "bun:test";
import { DEVICE_GRANT, STANDARD_GRANT_TYPES } from "../../server/identity/oauth/contract.ts";
import { type Api, signIn, unique } from "../world/api.ts";
import { setCredentials } from "../world/client.ts";
import { expectDocumented, type Json, readDocument, validatorOf } from "../world/documented.ts";
import { startReceiver } from "../world/receiver.ts";
import { clientOf, newTenant, shared } from "../world/tenant.ts";
import { API, type CallOptions, callDocumented } from "./call.ts";

const document = await readDocument();

/** One call, checked against the document. */
function call(caller: Api | undefined, method: string, path: string, status: number, options?: CallOptions) {
  return callDocumented(document, caller, method, path, status, options);
}

describe.each(["User", "Application", "Department", "Group"])("%s", (name) => {
  const path = `${API}/${name}`;
  const one = `${path}/{Id}`;

  test.concurrent("answers as documented, from its creation to its deletion", async () => {
    const caller = await newTenant();
    const { examples } = document.paths[path].patch.requestBody.content["application/json"];
    const created = await call(caller, "PATCH", path, 200, { body: examples.one.value });
    expect(created.body).toMatchObject(examples.one.value);
    await call(caller, "POST", path, 200, { body: examples.many.value });
    await call(caller, "GET", `${path}?Limit=1`, 200);

    const at = `${path}/${created.body.Id}`;
    const etag = created.headers.get("etag")!;
    expect((await call(caller, "GET", one, 200, { at })).headers.get("etag")).toBe(etag);
    await call(caller, "GET", one, 304, { at, headers: { "if-none-match": etag } });
    await call(caller, "DELETE", one, 412, { at, headers: { "if-match": '"other"' } });
    await call(caller, "DELETE", one, 200, { at, headers: { "if-match": etag } });
    await call(caller, "GET", one, 404, { at });
  });

  test.concurrent("a record can be sent back as read, and its schema says so", async () => {
    const caller = await newTenant();
    const { body } = await call(caller, "PATCH", path, 200, { body: { Name: unique("round") } });
    expect(validatorOf(document)(document.components.schemas[`${name}Data`], body)).toBeUndefined();
    expect((await call(caller, "PATCH", path, 200, { body })).body).toEqual(body);
  });

  test.concurrent("returns documented errors", async () => {
    const caller = await newTenant();
    const reader = await caller.withScope("AccessManager:Read");
    await call(undefined, "GET", path, 401);
    await call(reader, "PATCH", path, 403, { body: {} });
    await call(caller, "GET", `${path}?Cursor=x`, 400);
    await call(caller, "GET", one, 400, { at: `${path}/a@b` });
    await call(caller, "PATCH", path, 400, { body: { Unheard_Of: 1 } });
    await call(caller, "PATCH", path, 404, { body: { Id: "999999999" } });
    await call(caller, "PATCH", path, 412, { body: { Name: unique("none") }, headers: { "if-match": "*" } });
    await call(caller, "PATCH", path, 413, { body: JSON.stringify({ Name: "x".repeat(1024 * 1024) }) });
    await call(caller, "PATCH", path, 415, { body: "{}", headers: { "content-type": "text/plain" } });
  });
});

test.concurrent("identifiers of several records, Conflict and Entities", async () => {
  const caller = await newTenant();
  const path = `${API}/Application`;
  const [first, second] = [unique("first"), unique("second")];
  const { body } = await call(caller, "PATCH", path, 200, { body: { Name: first } });
  await call(caller, "PATCH", path, 200, { body: { ExternalId: second, Name: second } });
  const both = await call(caller, "PATCH", path, 400, { body: { Name: first, ExternalId: second } });
  expect(both.body.Type).toBe("/Errors/Bad Input");
  await call(caller, "PATCH", path, 409, { body: { Id: body.Id, Name: second } });
  await call(caller, "GET", `${API}/Entities`, 200);
});

test.concurrent("webhook connections, the call a receiver gets, and the activity log", async () => {
  await using receiver = startReceiver();
  const api = await newTenant();
  const caller = await clientOf(api.tenant);
  const connections = `${API}/WebhookConnection`;
  const log = `${API}/WebhookEvent`;

  const { body } = await call(caller, "POST", connections, 200, {
    body: { Name: "all", URL: receiver.url, Entities: ["User"], Events: ["Created", "Deleted"], Secret: "sesame" },
  });
  await call(caller, "PATCH", connections, 200, { body: { Name: "all", State: "Active" } });
  await call(caller, "PATCH", connections, 400, { body: { Id: body.Id, URL: "http://insecure.example" } });
  await call(caller, "PATCH", connections, 404, { body: { Id: crypto.randomUUID() } });
  await call(caller, "PATCH", connections, 412, { body: { Name: "all" }, headers: { "if-none-match": "*" } });
  await call(caller, "GET", `${connections}?Name=all&State=`, 200);
  await call(caller, "GET", `${connections}/{Id}`, 200, { at: `${connections}/${body.Id}` });

  await call(caller, "PATCH", `${API}/User`, 200, { body: { Username: "ana", Email: "ana@example.com" } });
  const { EventId } = await api.settledEvent();
  await call(caller, "GET", `${log}/{EventId}`, 200, { at: `${log}/${EventId}` });
  await call(caller, "PATCH", `${API}/User`, 200, { body: [{ Username: "eva" }, { Username: "ivo" }] });
  const bulk = await api.settledEvent();
  await call(caller, "GET", `${log}/{EventId}`, 200, { at: `${log}/${bulk.EventId}` });
  await call(caller, "GET", `${log}?State=Delivered&From=2026-01-01T00:00:00Z&EventType=`, 200);
  await call(caller, "GET", `${log}?State=Lost`, 400);
  await call(caller, "GET", `${log}/{EventId}`, 404, { at: `${log}/${crypto.randomUUID()}` });

  await call(caller, "GET", `${log}/{EventId}/Why`, 200, { at: `${log}/${EventId}/Why` });
  await call(caller, "GET", `${log}/{EventId}/Why?ConnectionId=7`, 400, { at: `${log}/${EventId}/Why` });
  await call(caller, "GET", `${log}/{EventId}/Why`, 404, { at: `${log}/${crypto.randomUUID()}/Why` });
  await call(caller, "GET", `${log}/DeadLetters?State=Exhausted`, 200);
  await call(caller, "GET", `${log}/DeadLetters?State=Delivered`, 400);
  const ping = await call(caller, "POST", `${connections}/{Id}/Ping`, 200, { at: `${connections}/${body.Id}/Ping` });
  await api.settled(ping.body.EventId);
  await call(caller, "GET", `${log}/{EventId}`, 200, { at: `${log}/${ping.body.EventId}` });
  await call(caller, "POST", `${connections}/{Id}/Ping`, 404, { at: `${connections}/${crypto.randomUUID()}/Ping` });

  const secret = { at: `${connections}/${body.Id}/Secret` };
  await call(caller, "POST", `${connections}/{Id}/Secret/Prove`, 409, { at: `${secret.at}/Prove` });
  await call(caller, "POST", `${connections}/{Id}/Secret`, 400, { ...secret, body: { Secret: 5 } });
  await call(caller, "POST", `${connections}/{Id}/Secret`, 200, { ...secret, body: { OverlapSeconds: 60 } });
  await call(caller, "GET", `${connections}/{Id}/Secret`, 200, secret);
  const proving = await call(caller, "POST", `${connections}/{Id}/Secret/Prove`, 200, { at: `${secret.at}/Prove` });
  await api.settled(proving.body.Proof.EventId);
  expect((await call(caller, "GET", `${connections}/{Id}/Secret`, 200, secret)).body.State).toBe("Overlap");
  await call(caller, "DELETE", `${connections}/{Id}/Secret`, 200, secret);
  await call(caller, "GET", `${connections}/{Id}/Secret`, 404, { at: `${connections}/${crypto.randomUUID()}/Secret` });

  const validate = validatorOf(document);
  for (const { payload } of receiver.calls) {
    const name = payload.EventType === "Ping" ? "WebhookPingPayload" : "WebhookPayload";
    expect(validate(document.components.schemas[name], payload)).toBeUndefined();
  }
  expect(receiver.calls).toHaveLength(4);
  const documented = document.webhooks.change.post.parameters.filter(({ in: place }: Json) => place === "header");
  for (const { name } of documented) expect([name, receiver.calls[0]!.headers.has(name)]).toEqual([name, true]);
  expect(receiver.calls[0]!.url.searchParams.get("ApiKey")).toBe(body.ApiKey);

  await call(caller, "DELETE", `${connections}/{Id}`, 200, { at: `${connections}/${body.Id}` });
  await call(caller, "DELETE", `${connections}/{Id}`, 404, { at: `${connections}/${body.Id}` });
});

test.concurrent("tokens", async () => {
  const { tenant } = await newTenant();
  const path = "/oAuth/rest/v2/Token";
  const ask = async (status: number, form: Record<string, string> | string) => {
    const body = typeof form === "string" ? form : new URLSearchParams(form);
    const response = await fetch(shared().url + path, { method: "POST", body });
    return expectDocumented(document, "POST", path, response, status);
  };
  const client = { client_id: tenant.client.clientId, client_secret: tenant.client.clientSecret };
  await ask(200, { ...client, grant_type: "client_credentials" });
  await ask(400, { ...client, client_secret: "wrong", grant_type: "client_credentials" });
  await ask(400, { ...client, grant_type: "telepathy" });
  await ask(413, { ...client, grant_type: "x".repeat(64 * 1024) });
  await ask(415, "{}");
});

test.concurrent("the strict endpoints and discovery", async () => {
  const api = await newTenant();
  const { client } = api.tenant;
  const ask = async (path: string, status: number, form: Record<string, string>) => {
    const response = await fetch(shared().url + path, { method: "POST", body: new URLSearchParams(form) });
    return expectDocumented(document, "POST", path, response, status);
  };
  const own = { client_id: client.clientId, client_secret: client.clientSecret };
  const { access_token } = await ask("/oauth2/token", 200, { ...own, grant_type: "client_credentials", scope: "*" });
  await ask("/oauth2/token", 400, { ...own });
  await ask("/oauth2/token", 401, { ...own, client_secret: "wrong", grant_type: "client_credentials" });
  await ask("/oauth2/introspect", 200, { ...own, token: access_token });
  await ask("/oauth2/revoke", 200, { ...own, token: access_token });
  expect(await ask("/oauth2/introspect", 200, { ...own, token: access_token })).toEqual({ active: false });
  const asked = { ...own, response_type: "code", redirect_uri: "https://app.example/callback" };
  await setCredentials(client.clientId, { redirect_uris: [asked.redirect_uri] });
  await ask("/oauth2/par", 201, asked);
  await ask("/oauth2/par", 400, { ...asked, scope: "Color:Read" });
  await ask("/oauth2/device_authorization", 400, own);
  const GrantTypes = [...STANDARD_GRANT_TYPES, DEVICE_GRANT];
  expect((await api.call("PATCH", `/Application/${client.clientId}/Credentials`, { GrantTypes })).status).toBe(200);
  const { device_code } = await ask("/oauth2/device_authorization", 200, own);
  await ask("/oauth2/token", 400, { ...own, grant_type: DEVICE_GRANT, device_code });
  await ask("/oauth2/revoke", 413, { ...own, token: "x".repeat(64 * 1024) });
  await call(undefined, "GET", "/.well-known/openid-configuration", 200);
  await call(undefined, "GET", "/.well-known/oauth-authorization-server", 200);
});

test.concurrent("an Application's credentials and secrets", async () => {
  const caller = await newTenant();
  const path = `${API}/Application/{Id}`;
  const { body: application } = await call(caller, "PATCH", `${API}/Application`, 200, {
    body: { Name: unique("client") },
  });
  const at = (rest: string) => ({ at: `${API}/Application/${application.Id}/${rest}` });
  const { body } = await call(caller, "GET", `${path}/Credentials`, 200, at("Credentials"));
  await call(caller, "GET", `${path}/Credentials`, 304, { ...at("Credentials"), headers: { "if-none-match": "*" } });
  const { content } = document.paths[`${path}/Credentials`].patch.requestBody;
  for (const { value } of Object.values<Json>(content["application/json"].examples)) {
    await call(caller, "PATCH", `${path}/Credentials`, 200, { ...at("Credentials"), body: value });
  }
  expect(validatorOf(document)(document.components.schemas.CredentialsData, body)).toBeUndefined();
  await call(caller, "POST", `${path}/Credentials`, 200, { ...at("Credentials"), body });
  await call(caller, "PATCH", `${path}/Credentials`, 400, { ...at("Credentials"), body: { Scopes: ["none"] } });
  await call(caller, "GET", `${path}/Credentials`, 404, { at: `${API}/Application/999999999/Credentials` });

  const { body: secret } = await call(caller, "POST", `${path}/Secrets`, 200, at("Secrets"));
  await call(caller, "POST", `${path}/Secrets`, 200, at("Secrets"));
  await call(caller, "POST", `${path}/Secrets`, 409, at("Secrets"));
  await call(caller, "GET", `${path}/Secrets`, 200, at("Secrets"));
  await call(caller, "DELETE", `${path}/Secrets/{SecretId}`, 200, at(`Secrets/${secret.Id}`));
  await call(caller, "DELETE", `${path}/Secrets/{SecretId}`, 404, at(`Secrets/${secret.Id}`));
});

test.concurrent("grants, and answers beside the sign-in pages", async () => {
  const caller = await newTenant();
  const path = `${API}/User/{Id}/Grants`;
  const { body: user } = await call(caller, "PATCH", `${API}/User`, 200, { body: { Username: unique("user") } });
  await call(caller, "GET", path, 200, { at: `${API}/User/${user.Id}/Grants` });
  await call(caller, "GET", path, 404, { at: `${API}/User/999999999/Grants` });
  const ofApplication = `${API}/Application/{Id}/Grants`;
  await call(caller, "GET", ofApplication, 200, { at: `${API}/Application/${caller.clientId}/Grants` });
  await call(caller, "GET", ofApplication, 404, { at: `${API}/Application/999999999/Grants` });
  for (const id of [user.Id, Number.MAX_SAFE_INTEGER]) {
    await call(caller, "DELETE", `${path}/{ApplicationId}`, 404, {
      at: `${API}/User/${id}/Grants/${caller.clientId}`,
    });
  }
  await call(undefined, "GET", "/oauth2/userinfo", 401);
  await call(caller, "POST", "/oauth2/userinfo", 403);
});

test.concurrent("the service itself", async () => {
  await call(undefined, "GET", "/healthz", 200);
  await call(undefined, "GET", "/readyz", 200);
  await call(undefined, "GET", "/openapi.json", 200);
  // A key set has the first key after the first token.
  const { tenant } = await newTenant();
  await signIn(shared().url, tenant);
  await call(undefined, "GET", "/.well-known/jwks.json", 200);
});
