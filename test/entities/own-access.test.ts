// Callers cannot remove the access needed to undo the change.

import { describe, expect, test } from "bun:test";
import { API, type Api, expectError, ok } from "../world/api.ts";
import { answerOf, newClient } from "../world/client.ts";
import { askToken, formOf } from "../world/grants.ts";
import { newMember, newTenant, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const ADMIN_SCOPES = ["openid", "AccessManager:Update", "AccessManager:Create", "AccessManager:Delete"];

async function expectStillAClient(caller: Api): Promise<void> {
  expect((await askToken(formOf(caller, { scope: "*" }))).status).toBe(200);
}

describe.concurrent("the calling client gets 409 and keeps its access when it tries", () => {
  test("to deactivate itself, alone or in an array", async () => {
    const caller = await newTenant();
    const deactivated = { Id: caller.clientId, Is_Active: false };
    const says = new RegExp(
      `Application ${caller.clientId} is the calling client, .* deactivate .* a different client`,
    );
    expectError(await caller.patch("/Application", deactivated), 409, "Conflict", says);
    const array = [{ Name: "made" }, deactivated];
    expectError(await caller.patch("/Application", array), 409, "Conflict", /^Record 1: /);
    expect((await ok(caller.get("/Application?Is_System=false"))).Items).toHaveLength(1);
    await expectStillAClient(caller);
  });

  test("to delete itself", async () => {
    const caller = await newTenant();
    const path = `/Application/${caller.clientId}`;
    expectError(await caller.remove(path), 409, "Conflict", /is the calling client/);
    await expectStillAClient(caller);
  });

  test("to remove its own grant or Settings scopes, in any way", async () => {
    const caller = await newTenant();
    const path = `/Application/${caller.clientId}/Credentials`;
    const before = await ok(caller.get(path));
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ GrantTypes: ["refresh_token"] }, /GrantTypes without client_credentials/],
      [{ GrantTypes: [], Scopes: null }, /client_credentials and Scopes without Settings:Read and Scopes without Se/],
      [{ Scopes: ["Settings:Read"] }, /^Application \d+ is the calling client, and with Scopes without Settings:Upd/],
      [{ ClientType: "public", GrantTypes: ["authorization_code"], RedirectUris: [] }, /GrantTypes without client/],
    ];
    for (const [changes, says] of cases) {
      expectError(await caller.patch(path, changes), 409, "Conflict", says);
    }
    expect(await ok(caller.get(path))).toEqual(before);
    const Scopes = ["Settings:Read", "Settings:Update"];
    expect((await ok(caller.patch(path, { Scopes, GrantTypes: ["client_credentials"] }))).Scopes).toEqual(Scopes);
  });

  test("to delete its last secret", async () => {
    const caller = await newTenant();
    const path = `/Application/${caller.clientId}/Secrets`;
    const [{ Id }] = (await ok(caller.get(path))).Items;
    const refused = await caller.remove(`${path}/${Id}`);
    expectError(refused, 409, "Conflict", /without a secret it could not call again/);
    await expectStillAClient(caller);
    await ok(caller.send("POST", path));
    await ok(caller.remove(`${path}/${Id}`));
    expect((await ok(caller.get(path))).Items).toHaveLength(1);
  });
});

test.concurrent("another client may do all of it", async () => {
  const caller = await newTenant();
  const other = await newMember(caller, "admin");
  const path = `/Application/${caller.clientId}`;
  await ok(other.patch(`${path}/Credentials`, { Scopes: [], GrantTypes: [] }));
  const [{ Id }] = (await ok(other.get(`${path}/Secrets`))).Items;
  await ok(other.remove(`${path}/Secrets/${Id}`));
  await ok(other.patch("/Application", { Id: caller.clientId, Is_Active: false }));
  await ok(other.remove(path));
});

test.concurrent("a signed-in user cannot end itself or the client, but can end another user", async () => {
  const client = await newClient({ scopes: ADMIN_SCOPES, grant_types: ["authorization_code"] });
  const visitor = new Visitor();
  const page = await visitor.submit(await visitor.open(client.authorize({ scope: "*" })), client.tenant.admin);
  const { access_token } = await ok(client.token(answerOf(await client.goThrough(visitor, page)).code!));
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const send = (method: string, path: string, body?: unknown) =>
    request(method, API + path, { headers, body: JSON.stringify(body) });

  const other = await ok(send("PATCH", "/User", { Username: "other", Is_Active: true }));
  await ok(send("PATCH", "/User", { Id: other.Id, Is_Active: false }));
  const own = other.CreatedBy.Id;
  const itself = new RegExp(`User ${own} is the signed-in user, .* a different user`);
  const deactivated = await send("PATCH", "/User", { Id: own, Is_Active: false });
  expectError(deactivated, 409, "Conflict", itself);
  expectError(await send("DELETE", `/User/${own}`), 409, "Conflict", itself);
  const path = `/Application/${client.id}`;
  expectError(await send("DELETE", path), 409, "Conflict", /is the calling client/);
});
