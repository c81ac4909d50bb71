// POST /oauth2/token with grant_type token-exchange (RFC 8693): an API calls another one in the name of its user.

import { beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { newApi, newScene, ORDERS, type Scene } from "../apis/apis.ts";
import { type Client, issuer, newPkce, otherClient, RFC_TOKEN_PATH } from "../authorize/client.ts";
import { Visitor } from "../authorize/visitor.ts";
import { blockMarked } from "../documents/pages.ts";
import { type Answer, API, db, request, TOKEN_PATH } from "../entities/client.ts";
import { ok, savePolicy } from "../policies/people.ts";
import { until } from "../support/api.ts";
import { expectTokenError } from "../token/client.ts";
import { expectRfcError, postAs } from "./client.ts";
import { DpopKey } from "./dpop.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";

type Fields = Record<string, string | undefined>;

/** Orders calls Stock. Its users come from `scene.client`. */
interface Chain {
  scene: Scene;
  /** The client of the API Orders. */
  caller: Client;
  userId: number;
}

async function newChain(policy = true): Promise<Chain> {
  const scene = await newScene();
  const caller = await otherClient(scene.client, {
    grant_types: [GRANT, "client_credentials"],
    scopes: ["openid", "AccessManager:Read", "stock:read"],
  });
  await ok(scene.admin.patch("/Api", { Id: scene.orders.id, ApplicationId: caller.id }));
  const { Items } = await ok(scene.admin.get("/User?Username=admin"));
  const chain = { scene, caller, userId: Items[0].Id as number };
  if (policy) await permit(chain, "");
  return chain;
}

function permit({ scene, caller }: Chain, when: string) {
  const text = `permit (principal == Client::"${caller.id}", action == Action::"Tokens:Exchange", resource is User)${when};`;
  return savePolicy(scene.admin, "exchange", text);
}

const exchange = ({ tenant }: Client, subject_token: string | undefined, fields: Fields = {}) =>
  postAs(tenant.client, RFC_TOKEN_PATH, {
    ...{ grant_type: GRANT, subject_token, subject_token_type: ACCESS_TOKEN },
    ...fields,
  });

/** What the tenant's admin gets at the application, for the API that a resource names. */
async function signIn({ scene: { client } }: Pick<Chain, "scene">, resource?: string, scope = "openid profile *") {
  const visitor = new Visitor();
  const path = client.authorize({ scope, resource });
  const page = await client.goThrough(visitor, await visitor.open(path));
  const { body } = await client.token(page.location!.searchParams.get("code")!);
  return body as { access_token: string; refresh_token: string; id_token: string };
}

const ordersToken = async (chain: Chain) => (await signIn(chain, chain.scene.orders.audience)).access_token;
const claimsOf = ({ body }: Answer) => decodeJwt(body.access_token);
const introspect = ({ tenant }: Client, token: string) => postAs(tenant.client, "/oauth2/introspect", { token });

let chain: Chain;
let subject: string;
beforeAll(async () => {
  chain = await newChain();
  subject = await ordersToken(chain);
});

describe("an API that calls another in the name of its user", () => {
  test("gets a token for that API, of that user, by its own name, which ends no later", async () => {
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

  test("gets it by the lines of docs/apis.md", async () => {
    const { scene, caller } = chain;
    const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } = caller.tenant.client;
    const lines = blockMarked("run: exchange").text.replace("https://stock.example.org", scene.stock.audience);
    const env = { ...process.env, URL: issuer(), CLIENT_ID, CLIENT_SECRET, USER_TOKEN: subject };
    const { stdout } = Bun.spawnSync(["bash", "-c", lines], { env });
    expect(JSON.parse(stdout.toString())).toMatchObject({ issued_token_type: ACCESS_TOKEN, scope: "stock:read" });
  });

  test("says it by audience as well as by resource, but does not name two", async () => {
    const { scene, caller } = chain;
    const { audience } = scene.stock;
    expect(claimsOf(await exchange(caller, subject, { audience })).aud).toBe(audience);
    expect(claimsOf(await exchange(caller, subject, { audience, resource: audience })).aud).toBe(audience);
    const two = await exchange(caller, subject, { audience, resource: issuer() });
    expectRfcError(two, 400, "invalid_target", /two/);
  });

  test("calls the entity API as the user, with what both may do there", async () => {
    const { caller, userId } = chain;
    const answer = await exchange(caller, subject, { resource: issuer() });
    expect(answer.body.scope).toBe("AccessManager:Read");
    const headers = { authorization: `Bearer ${answer.body.access_token}` };
    expect((await request("GET", `${API}/User/${userId}`, { headers })).status).toBe(200);
    const change = { method: "PATCH", headers: { ...headers, "content-type": "application/json" }, body: "{}" };
    expect((await request("PATCH", `${API}/User`, change)).status).toBe(403);
  });

  test("stands in the audit log", async () => {
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

  test("needs a policy that permits it", async () => {
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

  test("can be tried before: the policies' tester knows the action", async () => {
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

describe("who acts", () => {
  /** A token of the tenant's admin at the API's own client, and one of that client itself. */
  const ownToken = async ({ caller }: Chain) => {
    const answer = await postAs(caller.tenant.client, RFC_TOKEN_PATH, {
      ...{ grant_type: "client_credentials", scope: "openid" },
    });
    return answer.body.access_token as string;
  };

  test("stands in the token, and those before in it, three at most", async () => {
    const { scene, caller } = chain;
    const actor = { actor_token: await ownToken(chain), actor_token_type: ACCESS_TOKEN };
    const one = await exchange(caller, subject, { resource: scene.stock.audience, ...actor });
    const self = { sub: caller.id, client_id: caller.id };
    expect(claimsOf(one).act).toEqual(self);
    expect((await introspect(caller, one.body.access_token)).body.act).toEqual(self);
    // Its own token goes on, with who acted before.
    const two = await exchange(caller, one.body.access_token, actor);
    expect(claimsOf(two).act).toEqual({ ...self, act: self });
    // Nobody takes them out again.
    expect(claimsOf(await exchange(caller, two.body.access_token)).act).toEqual({ ...self, act: self });
    const three = await exchange(caller, two.body.access_token, actor);
    expect(three.status).toBe(200);
    expectRfcError(await exchange(caller, three.body.access_token, actor), 400, "invalid_request", /At most 3/);
    const asActor = { actor_token: one.body.access_token, actor_token_type: ACCESS_TOKEN };
    expectRfcError(await exchange(caller, subject, asActor), 400, "invalid_request", /somebody else acts/);
  });

  test("has to be permitted as well, and stands beside what is done in the audit log", async () => {
    // The support desk: its people sign in to its own client, and act for users of the application.
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

  test("with the grant that it comes of", async () => {
    const own = await newChain();
    const { token, refresh_token } = await stockToken(own);
    const { tenant } = own.scene.client;
    expect((await postAs(tenant.client, "/oauth2/revoke", { token: refresh_token })).status).toBe(200);
    expect((await introspect(own.caller, token)).body).toEqual({ active: false });
  });

  test("with its user", async () => {
    const own = await newChain();
    const { token, access_token } = await stockToken(own);
    await db()`update users set is_active = false where id = ${own.userId}`;
    await until("it to end", async () => (await introspect(own.caller, token)).body.active === false);
    const again = await exchange(own.caller, access_token, { resource: own.scene.stock.audience });
    expectRfcError(again, 400, "invalid_request", /no access token .* still good/);
  });
});

describe("refused is", () => {
  const wrong = (answer: Answer, says: RegExp) => expectRfcError(answer, 400, "invalid_request", says);
  const stock = () => ({ resource: chain.scene.stock.audience });

  test.each<[string, Fields, RegExp]>([
    ["no subject_token", { subject_token: undefined }, /subject_token is missing/],
    ["no subject_token_type", { subject_token_type: undefined }, /subject_token_type is missing/],
    ["an id_token's type", { subject_token_type: ID_TOKEN }, /subject_token_type must be/],
    ["another type asked for", { requested_token_type: ID_TOKEN }, /requested_token_type must be/],
    ["no token at all", { subject_token: "x.y.z" }, /no access token/],
    ["an actor_token without its type", { actor_token: "x" }, /actor_token_type/],
    ["an actor_token_type alone", { actor_token_type: ACCESS_TOKEN }, /actor_token/],
    ["an actor_token of nobody", { actor_token: "x", actor_token_type: ACCESS_TOKEN }, /actor_token is no access/],
  ])("%s", async (_, fields, says) => {
    wrong(await exchange(chain.caller, subject, { ...stock(), ...fields }), says);
  });

  test("a refresh token and an id_token as what they are not", async () => {
    const { refresh_token, id_token } = await signIn(chain, chain.scene.orders.audience);
    for (const token of [refresh_token, id_token])
      wrong(await exchange(chain.caller, token, stock()), /no access token/);
  });

  test("a token of another tenant", async () => {
    const other = await newChain();
    wrong(await exchange(chain.caller, await ordersToken(other), stock()), /no access token/);
  });

  test("another client's token that was not sent to this API", async () => {
    const { access_token } = await signIn(chain, undefined, "openid AccessManager:Read");
    wrong(await exchange(chain.caller, access_token, stock()), /another client/);
    wrong(
      await exchange(chain.caller, (await signIn(chain, chain.scene.stock.audience)).access_token),
      /another client/,
    );
  });

  test("another client's actor_token, even a user's", async () => {
    const actor = { actor_token: subject, actor_token_type: ACCESS_TOKEN };
    wrong(await exchange(chain.caller, subject, { ...stock(), ...actor }), /actor_token was issued to another/);
  });

  test("a client's own token", async () => {
    const { body } = await postAs(chain.caller.tenant.client, RFC_TOKEN_PATH, { grant_type: "client_credentials" });
    wrong(await exchange(chain.caller, body.access_token, stock()), /a client's own/);
  });

  test("a revoked one", async () => {
    const token = await ordersToken(chain);
    await postAs(chain.scene.client.tenant.client, "/oauth2/revoke", { token });
    wrong(await exchange(chain.caller, token, stock()), /still good/);
  });

  test("a wider scope: of the user, of the client, and for the same API of the token", async () => {
    const { scene, caller } = chain;
    const invalid = (answer: Answer, says: RegExp) => expectRfcError(answer, 400, "invalid_scope", says);
    // The client has none of the API's others, and the user no more than its roles.
    invalid(
      await exchange(caller, subject, { ...stock(), scope: "orders:write" }),
      /cannot have the scope orders:write/,
    );
    invalid(await exchange(caller, subject, { ...stock(), scope: "stock:write" }), /stock:write/);
    const inner = await newApi(scene.admin, "Inner", ["inner:read"]);
    await db()`update credentials set scopes = scopes || '{inner:read}' where application_id = ${caller.id}`;
    await until("its scope", async () => {
      const answer = await exchange(caller, subject, { resource: inner.audience });
      return answer.body.error === "invalid_scope" && /no scope/.test(answer.body.error_description);
    });
    // A narrowed token stays narrow.
    const own = await otherClient(scene.client, {
      grant_types: ["authorization_code", GRANT],
      scopes: ["openid", ...ORDERS],
    });
    await savePolicy(
      scene.admin,
      "own",
      `permit (principal == Client::"${own.id}", action == Action::"Tokens:Exchange", resource);`,
    );
    const narrow = await own.token(
      await own.code(new Visitor(), { scope: "openid orders:read", resource: scene.orders.audience }),
    );
    const same = await exchange(own, narrow.body.access_token);
    expect(same.body.scope).toBe("orders:read");
    invalid(await exchange(own, narrow.body.access_token, { scope: "orders:write" }), /subject_token too/);
  });

  test("a target that is nobody's, or out of the client's reach", async () => {
    const { scene, caller } = chain;
    const invalid = (answer: Answer) => expectRfcError(answer, 400, "invalid_target");
    invalid(await exchange(caller, subject, { resource: "https://nobody.example.com" }));
    invalid(await exchange(caller, subject, { audience: scene.orders.audience }));
    // What the token was for is the default, and the client has no scope of it.
    invalid(await exchange(caller, subject));
  });

  test("a client that is public, or has not the grant", async () => {
    const { scene } = chain;
    const plain = await otherClient(scene.client, {});
    expectRfcError(await exchange(plain, subject, stock()), 400, "unauthorized_client", /not permitted/);
    const spa = await otherClient(scene.client, { client_type: "public", grant_types: [GRANT] });
    const form = { grant_type: GRANT, client_id: spa.id, subject_token: subject, subject_token_type: ACCESS_TOKEN };
    const answer = await request("POST", RFC_TOKEN_PATH, { body: new URLSearchParams(form) });
    expectRfcError(answer, 400, "unauthorized_client", /confidential/);
    const set = await scene.admin.patch(`/Application/${spa.id}/Credentials`, { GrantTypes: [GRANT] });
    expect(set.status).toBe(400);
    expect(JSON.stringify(set.body)).toContain("which a public client cannot use");
  });

  test("the spec door", async () => {
    const { caller } = chain;
    const form = { grant_type: GRANT, subject_token: subject, subject_token_type: ACCESS_TOKEN };
    expectTokenError(await postAs(caller.tenant.client, TOKEN_PATH, form), 400, "Bad Input", /\/oauth2\/token/);
  });

  test("a token bound to a key by who is its own client, and cannot prove the key", async () => {
    const { scene } = chain;
    const own = await otherClient(scene.client, {
      grant_types: ["authorization_code", GRANT],
      scopes: ["openid", "AccessManager:Read"],
    });
    await savePolicy(
      scene.admin,
      "bound",
      `permit (principal == Client::"${own.id}", action == Action::"Tokens:Exchange", resource);`,
    );
    const key = await DpopKey.make();
    const { verifier, challenge } = newPkce();
    const proving = async (fields: Fields, by = key) => {
      const send = async () =>
        request("POST", RFC_TOKEN_PATH, {
          headers: { dpop: await by.proof({ path: RFC_TOKEN_PATH }) },
          body: new URLSearchParams({
            ...{ client_id: own.id, client_secret: own.tenant.client.clientSecret },
            ...(fields as Record<string, string>),
          }),
        });
      const answer = await send();
      if (answer.body.error !== "use_dpop_nonce") return answer;
      by.nonce = answer.headers.get("dpop-nonce")!;
      return send();
    };
    const code = await own.code(new Visitor(), { scope: "openid AccessManager:Read", ...challenge });
    const redirect_uri = "https://app.example/callback";
    const bound = await proving({ grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier });
    const { access_token } = bound.body;
    expect(decodeJwt(access_token).cnf).toEqual({ jkt: key.jkt });
    wrong(await exchange(own, access_token), /bound to a key/);
    const form = { grant_type: GRANT, subject_token: access_token, subject_token_type: ACCESS_TOKEN };
    wrong(await proving(form, await DpopKey.make()), /by another one/);
    const answer = await proving(form);
    expect(answer.body).toMatchObject({ token_type: "DPoP", scope: "openid AccessManager:Read" });
    expect(claimsOf(answer).cnf).toEqual({ jkt: key.jkt });
  });

  test("a pairwise subject of another sector", async () => {
    const own = await newChain();
    await db()`
      update credentials set subject_type = 'pairwise' where application_id = ${own.scene.client.id}`;
    const token = await ordersToken(own);
    expect(decodeJwt(token).sub).toStartWith("pairwise-");
    wrong(await exchange(own.caller, token, { resource: own.scene.stock.audience }), /another sector/);
  });
});
