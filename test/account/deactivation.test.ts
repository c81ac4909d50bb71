// Deactivated users are signed out until they sign in again.

import { describe, expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { answerOf, newClient } from "../world/client.ts";
import { postAs } from "../world/grants.ts";
import { clientOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** The tenant's admin is signed in, an application has their tokens, and a second code is unused. */
async function arrange() {
  const client = await newClient();
  const caller = await clientOf(client.tenant);
  const [{ Id }] = (await ok(caller.get("/User?Username=admin"))).Items;
  const visitor = new Visitor();
  const tokens = (await client.token(await client.code(visitor))).body;
  const code = await client.code(visitor);
  return { client, caller, userId: Id as number, visitor, tokens, code };
}

const silently = { prompt: "none" };

describe.concurrent("a user who is deactivated and activated again", () => {
  test.each([
    ["alone", (Id: number, Is_Active: boolean) => ({ Id, Is_Active })],
    ["in an array", (Id: number, Is_Active: boolean) => [{ Id, Is_Active }]],
  ])("%s has lost all sessions, codes, tokens and grants", async (_, body) => {
    const { client, caller, userId, visitor, tokens, code } = await arrange();
    const [grant] = (await ok(caller.get(`/User/${userId}/Grants`))).Items;
    expect(grant.LastUsedOn).toBeString();
    for (const isActive of [false, true]) await ok(caller.patch("/User", body(userId, isActive)));

    expect(answerOf(await visitor.open(client.authorize(silently)))).toMatchObject({ error: "login_required" });
    expect((await ok(caller.get(`/User/${userId}/Sessions`))).Items).toEqual([]);
    expect((await client.token(code)).body).toMatchObject({ error: "invalid_grant" });
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    const { body: seen } = await postAs(caller, "/oauth2/introspect", { token: tokens.access_token });
    expect(seen).toEqual({ active: false });
    expect((await ok(caller.get(`/User/${userId}/Grants`))).Items).toEqual([{ ...grant, LastUsedOn: null }]);
    expect(await logOf(caller, "Kind=Session.Revoked")).toMatchObject([
      {
        Actor: { Type: "Application", Id: caller.clientId },
        Subject: { Type: "User", Id: String(userId) },
        Details: { Sessions: "All", Reason: "Deactivated" },
      },
    ]);
    expect((await client.token(await client.code(visitor))).status).toBe(200);
  });

  test("loses nothing by other changes", async () => {
    const { client, caller, userId, visitor, code } = await arrange();
    await ok(caller.patch("/User", { Id: userId, Is_Active: true, Name: "Another name" }));
    expect(answerOf(await visitor.open(client.authorize(silently))).code).toBeString();
    expect((await client.token(code)).status).toBe(200);
    expect(await logOf(caller, "Kind=Session.Revoked")).toEqual([]);
  });
});
