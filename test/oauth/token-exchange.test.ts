// POST /oauth2/token with grant_type token-exchange (RFC 8693): an API calls a second one for its user.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { blockMarked } from "../support/pages.ts";
import { API, ok, until } from "../world/api.ts";
import { newScene } from "../world/apis.ts";
import { issuer, otherClient, RFC_TOKEN_PATH } from "../world/client.ts";
import { expectRfcError, postAs } from "../world/grants.ts";
import { setRows } from "../world/rows.ts";
import { request, roleOf, savePolicy } from "../world/tenant.ts";
import {
  ACCESS_TOKEN,
  type Chain,
  claimsOf,
  exchange,
  GRANT,
  introspect,
  newChain,
  ordersToken,
  permit,
  signIn,
} from "../world/token-exchange.ts";
import { Visitor } from "../world/visitor.ts";

const chain = await newChain();
const subject = await ordersToken(chain);

describe("an API that calls another on behalf of its user", () => {
  test("gets a token for that API and user, with its own client_id and the same end", async () => {
    const { scene, caller, userId } = chain;
    const answer = await exchange(caller, subject, { resource: scene.stock.audience });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      issued_token_type: ACCESS_TOKEN,
      token_type: "Bearer",
      expires_in: expect.any(Number),
      scope: "stock:read",
    });
    const before = decodeJwt(subject);
    const claims = claimsOf(answer);
    expect(claims).toMatchObject({ aud: scene.stock.audience, sub: `user-${userId}`, client_id: caller.id });
    expect(claims).toMatchObject({ grant_id: before.grant_id, auth_time: before.auth_time, amr: before.amr });
    expect(claims.act).toBeUndefined();
    expect(claims.exp!).toBeLessThanOrEqual(before.exp!);
    expect(Math.abs(claims.exp! - claims.iat! - answer.body.expires_in)).toBeLessThanOrEqual(1);
    expect((await introspect(caller, answer.body.access_token)).body).toMatchObject({ active: true, sub: claims.sub });
  });

  test("gets it with the commands of docs/apis.md", async () => {
    const { scene, caller } = chain;
    const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } = caller.tenant.client;
    const lines = blockMarked("run: exchange").text.replace("https://stock.example.org", scene.stock.audience);
    const env = { ...process.env, URL: issuer(), CLIENT_ID, CLIENT_SECRET, USER_TOKEN: subject };
    const { stdout } = Bun.spawnSync(["bash", "-c", lines], { env });
    expect(JSON.parse(stdout.toString())).toMatchObject({ issued_token_type: ACCESS_TOKEN, scope: "stock:read" });
  });

  test("names it by audience or resource, but not two", async () => {
    const { scene, caller } = chain;
    const { audience } = scene.stock;
    expect(claimsOf(await exchange(caller, subject, { audience })).aud).toBe(audience);
    expect(claimsOf(await exchange(caller, subject, { audience, resource: audience })).aud).toBe(audience);
    const two = await exchange(caller, subject, { audience, resource: issuer() });
    expectRfcError(two, 400, "invalid_target", /different targets/);
  });

  test("calls the entity API as the user, with the permissions of both", async () => {
    const { caller, userId } = chain;
    const answer = await exchange(caller, subject, { resource: issuer() });
    expect(answer.body.scope).toBe("AccessManager:Read");
    const headers = { authorization: `Bearer ${answer.body.access_token}` };
    expect((await request("GET", `${API}/User/${userId}`, { headers })).status).toBe(200);
    const change = { method: "PATCH", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
    expect((await request("PATCH", `${API}/User`, change)).status).toBe(403);
  });

  test("is in the audit log", async () => {
    const own = await newChain();
    const { scene, caller, userId } = own;
    const { audience } = scene.stock;
    expect((await exchange(caller, await ordersToken(own), { resource: audience })).status).toBe(200);
    const { Items } = await ok(scene.admin.get("/AuditEvent?Kind=Token.Exchanged"));
    expect(Items).toMatchObject([
      {
        Actor: { Type: "Application", Id: caller.id },
        Subject: { Type: "User", Id: String(userId) },
        Details: { Audience: audience, Scopes: ["stock:read"], From: scene.client.id },
      },
    ]);
  });

  test("requires a policy that permits it", async () => {
    const own = await newChain(false);
    const { scene, caller, userId } = own;
    const token = await ordersToken(own);
    const ask = () => exchange(caller, token, { resource: scene.stock.audience });
    expectRfcError(await ask(), 400, "invalid_request", /No policy permits Tokens:Exchange/);
    await permit(own, ` when { context.audience == "${scene.orders.audience}" }`);
    expectRfcError(await ask(), 400, "invalid_request", /No policy permits/);
    await permit(
      own,
      ` when { context.audience == "${scene.stock.audience}" && context.scopes.contains("stock:read") }`,
    );
    expect((await ask()).status).toBe(200);
    const forbid = `forbid (principal, action == Action::"Tokens:Exchange", resource == User::"${userId}");`;
    await savePolicy(scene.admin, "not this one", forbid);
    expectRfcError(await ask(), 400, "invalid_request", /A policy forbids/);
    expect((await ok(scene.admin.get("/AuditEvent?Kind=Token.Exchanged"))).Items).toHaveLength(1);
  });

  test("is decided by the User's present record, where a policy looks at it", async () => {
    const own = await newChain(false);
    const token = await ordersToken(own);
    await permit(own, ` when { resource.Name == "Ada" }`);
    const named = async (Name: string) => {
      await ok(own.scene.admin.patch("/User", { Id: own.userId, Name }));
      return (await exchange(own.caller, token, { resource: own.scene.stock.audience })).status;
    };
    expect([await named("Eve"), await named("Ada"), await named("Eve")]).toEqual([400, 200, 400]);
  });

  test("has no scope of a role that its user has lost since the last exchange", async () => {
    const own = await newChain();
    const { admin } = own.scene;
    const token = await ordersToken(own);
    const ask = () => exchange(own.caller, token, { resource: issuer() });
    expect((await ask()).status).toBe(200);
    const { Members } = await roleOf(admin, "admin");
    const clients = Members.filter(({ Type }: { Type: string }) => Type === "Application");
    await ok(admin.patch("/Role", { Name: "admin", Members: clients }));
    expectRfcError(await ask(), 400, "invalid_scope");
  });

  test("can be tried in the policy tester", async () => {
    const { scene, caller, userId } = chain;
    const question = {
      Principal: { Type: "Client", Id: caller.id },
      Action: "Tokens:Exchange",
      Resource: { Type: "User", Id: userId },
      Context: { Audience: scene.stock.audience },
    };
    const ask = (more: object) =>
      ok(
        scene.admin.send("POST", "/Policy/Evaluate", {
          body: JSON.stringify({ ...question, ...more }),
          headers: { authorization: `Bearer ${scene.admin.token}`, "content-type": "application/json" },
        }),
      );
    expect(await ask({})).toEqual({ Decision: "Allow", DecidedBy: ["exchange"], Problems: [] });
    const Policy = `permit (principal, action == Action::"Tokens:Exchange", resource) when { context.audience == "x" };`;
    expect(await ask({ Name: "exchange", Policy })).toMatchObject({ Decision: "Deny" });
  });
});

describe("the actor", () => {
  /** A token of the tenant's admin at the API's own client, and one of that client for itself. */
  const ownToken = async ({ caller }: Chain) => {
    const answer = await postAs(caller.tenant.client, RFC_TOKEN_PATH, {
      ...{ grant_type: "client_credentials", scope: "openid" },
    });
    return answer.body.access_token as string;
  };

  test("is in the token with earlier ones, at most three", async () => {
    const { scene, caller } = chain;
    const actor = { actor_token: await ownToken(chain), actor_token_type: ACCESS_TOKEN };
    const one = await exchange(caller, subject, { resource: scene.stock.audience, ...actor });
    const self = { sub: caller.id, client_id: caller.id };
    expect(claimsOf(one).act).toEqual(self);
    expect((await introspect(caller, one.body.access_token)).body.act).toEqual(self);
    // Its own exchanged token continues, with the earlier actors.
    const two = await exchange(caller, one.body.access_token, actor);
    expect(claimsOf(two).act).toEqual({ ...self, act: self });
    // They cannot be removed again.
    expect(claimsOf(await exchange(caller, two.body.access_token)).act).toEqual({ ...self, act: self });
    const three = await exchange(caller, two.body.access_token, actor);
    expect(three.status).toBe(200);
    expectRfcError(await exchange(caller, three.body.access_token, actor), 400, "invalid_request", /At most 3/);
    const asActor = { actor_token: one.body.access_token, actor_token_type: ACCESS_TOKEN };
    expectRfcError(await exchange(caller, subject, asActor), 400, "invalid_request", /actor_token has the claim act/);
  });

  test("must be permitted as well, and is in the audit log", async () => {
    // The support desk: its staff sign in to its own client, and act for users of the application.
    const scene = await newScene();
    const desk = await otherClient(scene.client, {
      grant_types: ["authorization_code", GRANT],
      scopes: ["openid", "AccessManager:Read", "AccessManager:Create", "AccessManager:Update"],
    });
    await ok(scene.admin.patch("/Api", { Id: scene.orders.id, ApplicationId: desk.id }));
    const { Items } = await ok(scene.admin.get("/User?Username=admin"));
    const [{ Id: userId }] = Items;
    await savePolicy(
      scene.admin,
      "desk",
      `permit (principal == Client::"${desk.id}", action == Action::"Tokens:Exchange", resource is User);`,
    );
    await savePolicy(
      scene.admin,
      "no acting",
      `forbid (principal is User, action == Action::"Tokens:Exchange", resource);`,
    );
    const visitor = new Visitor();
    const { body } = await desk.token(await desk.code(visitor, { scope: "openid" }));
    const token = await ordersToken({ scene, caller: desk, userId });
    const fields = { resource: issuer(), actor_token: body.access_token, actor_token_type: ACCESS_TOKEN };
    expectRfcError(await exchange(desk, token, fields), 400, "invalid_request", /the actor: A policy forbids/);
    const { Items: policies } = await ok(scene.admin.get("/Policy?Name=no%20acting"));
    await ok(scene.admin.send("DELETE", `/Policy/${policies[0].Id}`));
    const answer = await exchange(desk, token, fields);
    expect(claimsOf(answer)).toMatchObject({ act: { sub: `user-${userId}`, client_id: desk.id } });
    const headers = { authorization: `Bearer ${answer.body.access_token}`, "content-type": "application/json" };
    const changed = { headers, body: JSON.stringify({ Id: userId, Nickname: "desk" }) };
    expect((await request("PATCH", `${API}/User`, changed)).status).toBe(200);
    const { Items: rows } = await ok(scene.admin.get("/AuditEvent?Kind=Record.Changed"));
    expect(rows[0].Details).toMatchObject({ ActedBy: `user-${userId}` });
  });
});

describe("an exchanged token ends", () => {
  const stockToken = async (own: Chain) => {
    const { access_token, refresh_token } = await signIn(own, own.scene.orders.audience);
    const { body } = await exchange(own.caller, access_token, { resource: own.scene.stock.audience });
    expect((await introspect(own.caller, body.access_token)).body.active).toBe(true);
    return { token: body.access_token as string, access_token, refresh_token };
  };

  test("with its grant", async () => {
    const own = await newChain();
    const { token, refresh_token } = await stockToken(own);
    const { tenant } = own.scene.client;
    expect((await postAs(tenant.client, "/oauth2/revoke", { token: refresh_token })).status).toBe(200);
    expect((await introspect(own.caller, token)).body).toEqual({ active: false });
  });

  test("with its user", async () => {
    const own = await newChain();
    const { token, access_token } = await stockToken(own);
    await setRows("users", { id: own.userId }, { is_active: false });
    await until("it to end", async () => (await introspect(own.caller, token)).body.active === false);
    const again = await exchange(own.caller, access_token, { resource: own.scene.stock.audience });
    expectRfcError(again, 400, "invalid_request", /not a valid access token/);
  });
});
