// RFC 8707 at both doors: each token has one target, and other APIs reject it.

import { describe, expect, test } from "bun:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { type Answer, API, ok, TOKEN_PATH } from "../world/api.ts";
import { newApi, newScene, ORDERS, type Scene } from "../world/apis.ts";
import {
  answerOf,
  CALLBACK,
  type Client,
  issuer,
  otherClient,
  RFC_PATH,
  RFC_TOKEN_PATH,
  SPEC_PATH,
} from "../world/client.ts";
import { DOORS, expectRfcError, expectTokenError, postAs } from "../world/grants.ts";
import { rowsOf } from "../world/rows.ts";
import { request } from "../world/tenant.ts";
import { exchange, newChain, signIn } from "../world/token-exchange.ts";
import { Visitor } from "../world/visitor.ts";

const claimsOf = ({ body }: Answer) => decodeJwt(body.access_token);
const scopesOf = (answer: Answer) => String(claimsOf(answer).scope).split(" ").filter(Boolean);
const credentialsOf = ({ tenant }: Client) => tenant.client;
const own = (client: Client, path: string, fields: Record<string, string | undefined> = {}) =>
  postAs(credentialsOf(client), path, { grant_type: "client_credentials", ...fields });
const use = (token: string, path = `${API}/User`) =>
  request("GET", path, { headers: { authorization: `Bearer ${token}` } });

function expectRefused(path: string, answer: Answer, error: string, says?: RegExp): void {
  if (path === TOKEN_PATH) expectTokenError(answer, 400, "Bad Input", says);
  else expectRfcError(answer, 400, error, says);
}

/** A code of the tenant's admin for several resources, each in a separate parameter. */
async function codeFor({ client }: Scene, resources: string[], scope: string): Promise<string> {
  const more = resources.map((resource) => `&resource=${encodeURIComponent(resource)}`).join("");
  const visitor = new Visitor();
  return answerOf(await client.goThrough(visitor, await visitor.open(client.authorize({ scope }) + more))).code!;
}

describe.each(DOORS)("a client credentials token at %s", (path) => {
  test("is valid for the requested API only", async () => {
    const { client, orders } = await newScene();
    const answer = await own(client, path, { resource: orders.audience, scope: "openid orders:read" });
    expect(answer.status).toBe(200);
    expect(claimsOf(answer)).toMatchObject({ aud: orders.audience, iss: issuer(), scope: "orders:read" });
    if (path === RFC_TOKEN_PATH) expect(answer.body.scope).toBe("orders:read");
    expect((await use(answer.body.access_token)).status).toBe(401);
    expect((await use(answer.body.access_token, "/oauth2/userinfo")).status).toBe(401);
  });

  test("without a resource is for the entity API, including for scope *", async () => {
    const { client } = await newScene();
    const answer = await own(client, path, { scope: "*" });
    expect(claimsOf(answer).aud).toBe(issuer());
    expect(scopesOf(answer)).toEqual(["openid", "profile", "name", "AccessManager:Read"]);
  });

  test("with scope * has all of the API's scopes that the client has, and no other API's", async () => {
    const { client, orders, stock } = await newScene({ scopes: ["openid", "orders:write", "stock:read"] });
    const ask = (resource: string) => own(client, path, { resource, scope: "*" });
    expect(scopesOf(await ask(orders.audience))).toEqual(["orders:write"]);
    expect(scopesOf(await ask(stock.audience))).toEqual(["stock:read"]);
  });

  test("by default has all of the API's scopes", async () => {
    const { client, orders } = await newScene();
    const answer = await own(client, path, { resource: orders.audience });
    expect(scopesOf(answer)).toEqual(ORDERS);
  });

  test.each<[string, (address: string) => string]>([
    ["with an empty path", (address) => `${address}/`],
    ["in capitals up to the path", (address) => address.toUpperCase()],
    ["with the port that goes without saying", (address) => `${address}:443`],
    ["with a path that leads back", (address) => `${address}/a/../%7e/..`],
  ])("accepts the API's address written as %s, and has the registered one as aud", async (_, written) => {
    const { client, orders } = await newScene();
    const answer = await own(client, path, { resource: written(orders.audience), scope: "orders:read" });
    expect(claimsOf(answer)).toMatchObject({ aud: orders.audience, scope: "orders:read" });
  });

  test.each<[string, (scene: Scene) => Promise<string> | string]>([
    ["nobody's", () => "https://nobody.example.com"],
    ["of another path", ({ orders }) => `${orders.audience}/orders`],
    ["of another port", ({ orders }) => `${orders.audience}:8443`],
    ["of another scheme", ({ orders }) => orders.audience.replace("https:", "http:")],
    ["relative", () => "/orders"],
    ["with a fragment", ({ orders }) => `${orders.audience}#x`],
    ["the Name of the API", () => "Orders"],
    ["the Id of the API", ({ orders }) => orders.id],
    ["our word for the entity API", () => "entity"],
    [
      "an API of which the client has no scope",
      async ({ admin }) => (await newApi(admin, "Third", ["third"])).audience,
    ],
    ["another tenant's", async () => (await newScene()).orders.audience],
  ])("is rejected for a resource that is %s: invalid_target", async (_, resource) => {
    const scene = await newScene();
    const answer = await own(scene.client, path, { resource: await resource(scene), scope: "*" });
    expectRefused(path, answer, "invalid_target", /^resource must be/);
  });

  test.each([
    ["of another API", "stock:read", /stock:read is a scope of the API Stock\. Request it with resource=/],
    ["of the entity API", "AccessManager:Read", /does not have the scope AccessManager:Read/],
    ["of nothing", "third", /does not have the scope third/],
  ])("is rejected with a scope %s: invalid_scope", async (_, scope, says) => {
    const { client, orders } = await newScene();
    expectRefused(path, await own(client, path, { resource: orders.audience, scope }), "invalid_scope", says);
  });
});

test("a client's refresh token keeps its resource and accepts no other", async () => {
  const { client, orders, stock } = await newScene();
  const first = await own(client, TOKEN_PATH, { resource: orders.audience, scope: "orders:read" });
  const refresh = (token: string, fields = {}) => client.refresh(token, fields, TOKEN_PATH);
  const second = await refresh(first.body.refresh_token);
  expect(claimsOf(second)).toMatchObject({ aud: orders.audience, scope: "orders:read" });
  expectTokenError(await refresh(second.body.refresh_token, { resource: stock.audience }), 400, "Bad Input", /granted/);
  expectTokenError(await refresh(second.body.refresh_token, { resource: issuer() }), 400, "Bad Input", /granted/);
  const third = await refresh(second.body.refresh_token, { resource: orders.audience });
  expect(claimsOf(third)).toMatchObject({ aud: orders.audience, scope: "orders:read" });
});

describe("a token follows the API's settings", () => {
  test.each([
    ["RS256", "JWT"],
    ["ES256", "at+jwt"],
    ["EdDSA", "JWT"],
  ])("%s, %s", async (AccessTokenAlg, AccessTokenType) => {
    const { admin, client, orders } = await newScene();
    await ok(admin.patch("/Api", { Id: orders.id, AccessTokenAlg, AccessTokenType }));
    const { access_token } = (await own(client, RFC_TOKEN_PATH, { resource: orders.audience, scope: "*" })).body;
    expect(decodeProtectedHeader(access_token)).toMatchObject({ alg: AccessTokenAlg, typ: AccessTokenType });
    const ours = (await own(client, RFC_TOKEN_PATH, { scope: "*" })).body;
    expect(decodeProtectedHeader(ours.access_token)).toMatchObject({ alg: "ES256", typ: "at+jwt" });
    expect((await use(access_token)).status).toBe(401);
  });

  test.each<[number | null, number | null, number]>([
    [null, null, 3600],
    [600, null, 600],
    [null, 7200, 7200],
    [600, 300, 300],
    [300, 600, 300],
  ])("client %p s and API %p s: %p s", async (AccessTokenLifetime, TokenLifetime, seconds) => {
    const { admin, client, orders } = await newScene();
    await ok(admin.patch(`/Application/${client.id}/Credentials`, { AccessTokenLifetime }));
    await ok(admin.patch("/Api", { Id: orders.id, TokenLifetime }));
    const { body } = await own(client, RFC_TOKEN_PATH, { resource: orders.audience, scope: "*" });
    const { iat, exp } = decodeJwt(body.access_token);
    expect([body.expires_in, exp! - iat!]).toEqual([seconds, seconds]);
  });
});

describe("a user's token", () => {
  test("is for the one API named in the authorization request, also after a refresh", async () => {
    const scene = await newScene();
    const { client, orders, stock } = scene;
    const token = await client.token(await codeFor(scene, [orders.audience], "openid orders:read orders:write"));
    expect(claimsOf(token)).toMatchObject({
      aud: orders.audience,
      sub: expect.stringMatching(/^user-/),
      scope: "orders:read orders:write",
    });
    expect(token.body.scope).toBe("orders:read orders:write");
    expect(decodeJwt(token.body.id_token).aud).toBe(client.id);
    const again = await client.refresh(token.body.refresh_token);
    expect(claimsOf(again)).toMatchObject({ aud: orders.audience, scope: "orders:read orders:write" });
    expect(again.body.id_token).toBeString();
    const narrow = await client.refresh(again.body.refresh_token, { scope: "orders:read" });
    expect(scopesOf(narrow)).toEqual(["orders:read"]);
    expect(narrow.body.id_token).toBeUndefined();
    for (const resource of [stock.audience, issuer()]) {
      expectRfcError(await client.refresh(narrow.body.refresh_token, { resource }), 400, "invalid_target");
    }
    expect(scopesOf(await client.refresh(narrow.body.refresh_token))).toEqual(["orders:read", "orders:write"]);
  });

  test("of several resources is for the one named in the token request", async () => {
    const scene = await newScene();
    const { client, orders, stock } = scene;
    const code = await codeFor(scene, [orders.audience, stock.audience], "openid orders:read stock:read");
    expectRfcError(await client.token(code), 400, "invalid_target", /Several resources were granted/);
    expectRfcError(await client.token(code, { resource: issuer() }), 400, "invalid_target");
    const token = await client.token(code, { resource: stock.audience });
    expect(claimsOf(token)).toMatchObject({ aud: stock.audience, scope: "stock:read" });
    expectRfcError(await client.refresh(token.body.refresh_token), 400, "invalid_target", /Several/);
    const other = await client.refresh(token.body.refresh_token, { resource: orders.audience });
    expect(claimsOf(other)).toMatchObject({ aud: orders.audience, scope: "orders:read" });
    const refused = await client.refresh(other.body.refresh_token, { resource: orders.audience, scope: "stock:read" });
    expectRfcError(refused, 400, "invalid_scope", /stock:read is a scope of the API Stock/);
  });

  test("is for one resource: several are invalid_target, one repeated is accepted", async () => {
    const scene = await newScene();
    const { client, orders, stock } = scene;
    const code = await codeFor(scene, [orders.audience, stock.audience], "openid orders:read stock:read");
    const ask = (resources: string[]) => {
      const { clientId, clientSecret } = credentialsOf(client);
      const form = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: CALLBACK });
      for (const resource of resources) form.append("resource", resource);
      form.set("client_id", clientId);
      form.set("client_secret", clientSecret);
      return request("POST", RFC_TOKEN_PATH, { body: form });
    };
    expectRfcError(await ask([orders.audience, stock.audience]), 400, "invalid_target", /one resource/);
    expectRfcError(await ask([orders.audience, "https://nobody.example.com"]), 400, "invalid_target");
    expect(claimsOf(await ask([orders.audience, orders.audience]))).toMatchObject({ aud: orders.audience });
  });

  test("for an API without requested scopes is named on the consent page", async () => {
    const { client, orders, stock } = await newScene();
    const more = [orders, stock].map(({ audience }) => `&resource=${encodeURIComponent(audience)}`).join("");
    const visitor = new Visitor();
    const first = await visitor.open(client.authorize({ scope: "openid orders:read" }) + more);
    const { username, password } = client.tenant.admin;
    const view = await visitor.submit(first, { username, password });
    expect(view.html).toContain("use Orders: Do orders:read for you");
    expect(view.html).toContain("tell Stock who you are");
    expect(view.html).not.toContain("tell Orders who you are");
  });

  test("is for the entity API if that was named too, unless the token request names the other", async () => {
    const scene = await newScene();
    const { client, orders } = scene;
    const resources = [issuer(), orders.audience];
    const token = await client.token(await codeFor(scene, resources, "openid profile orders:read"));
    expect(claimsOf(token)).toMatchObject({ aud: issuer(), scope: "openid profile" });
    expect((await use(token.body.access_token, "/oauth2/userinfo")).body.name).toBe("Administrator");
    const other = await client.refresh(token.body.refresh_token, { resource: orders.audience });
    expect(claimsOf(other)).toMatchObject({ aud: orders.audience, scope: "orders:read" });
  });

  test("without a resource is for the entity API alone", async () => {
    const scene = await newScene();
    const { client, orders } = scene;
    const code = await codeFor(scene, [], "*");
    expectRfcError(await client.token(code, { resource: orders.audience }), 400, "invalid_target", /granted/);
    const token = await client.token(code);
    expect(claimsOf(token).aud).toBe(issuer());
    expect(scopesOf(token)).toEqual(["openid", "profile", "name", "AccessManager:Read"]);
  });

  test("has only the API scopes that the user's roles grant", async () => {
    const scene = await newScene();
    await ok(scene.admin.patch("/Role", { Name: "clerk", Scopes: ["orders:read"] }));
    const token = await scene.client.token(
      await codeFor(scene, [scene.orders.audience], "openid orders:read orders:write"),
    );
    expect(scopesOf(token)).toEqual(["orders:read"]);
    await ok(scene.admin.patch("/Role", { Name: "clerk", Scopes: [] }));
    expect(scopesOf(await scene.client.refresh(token.body.refresh_token))).toEqual([]);
  });

  test.each([SPEC_PATH, RFC_PATH])("is rejected for an unknown resource at %s: invalid_target", async (path) => {
    const { client, orders } = await newScene();
    const refused = async (query: string) =>
      answerOf(await new Visitor().open(client.authorize({ scope: "openid" }, path) + query));
    const unknown = `&resource=${encodeURIComponent("https://nobody.example.com")}`;
    const known = `&resource=${encodeURIComponent(orders.audience)}`;
    for (const query of [unknown, known + unknown, `${known}%23x`]) {
      expect(await refused(query)).toMatchObject({ error: "invalid_target", state: "some state" });
    }
  });

  test("is rejected with a scope of an API that was not named: invalid_scope", async () => {
    const { client, stock } = await newScene();
    const page = await new Visitor().open(client.authorize({ scope: "orders:read", resource: stock.audience }));
    expect(answerOf(page)).toMatchObject({
      error: "invalid_scope",
      error_description: expect.stringContaining("orders:read is a scope of the API Orders"),
    });
  });
});

test("consent names the API and describes its scopes; the user can revoke it in the account", async () => {
  const scene = await newScene();
  const { client, orders } = scene;
  const visitor = new Visitor();
  const fields = { scope: "openid orders:read", resource: orders.audience };
  const page = await visitor.submit(await visitor.open(client.authorize(fields)), client.tenant.admin);
  expect(page.heading).toBe("Allow access");
  expect(page.html).toContain("<li>use Orders: Do orders:read for you</li>");
  const { code } = answerOf(await visitor.submit(page, { decision: "allow" }));
  expect(scopesOf(await client.token(code!))).toEqual(["orders:read"]);
  expect(answerOf(await visitor.open(client.authorize({ ...fields, prompt: "none" }))).code).toBeString();
  const more = await visitor.open(client.authorize({ ...fields, scope: "openid orders:read orders:write" }));
  expect(more.html).toContain("<li>use Orders: Do orders:write for you</li>");
  expect((await visitor.open("/account")).html).toContain("use Orders: Do orders:read for you");
});

describe("an Audience changed to another spelling", () => {
  test("does not change tokens with the former spelling, at introspection and in exchange", async () => {
    const chain = await newChain();
    const { admin, orders, client } = chain.scene;
    const { access_token } = await signIn(chain, orders.audience);
    await ok(admin.patch("/Api", { Id: orders.id, Audience: `${orders.audience.toUpperCase()}:443/` }));
    for (const who of [client, chain.caller]) {
      const { body } = await postAs(credentialsOf(who), "/oauth2/introspect", { token: access_token });
      expect(body).toMatchObject({ active: true, aud: orders.audience });
    }
    const exchanged = await exchange(chain.caller, access_token, { audience: chain.scene.stock.audience });
    expect(exchanged.body).toMatchObject({ scope: "stock:read" });
  });
});

describe("introspection", () => {
  const introspect = async (client: Client, token: string) =>
    (await postAs(credentialsOf(client), "/oauth2/introspect", { token })).body;

  test("by the API's own client and the issuing client describes the token; others get inactive", async () => {
    const { admin, client, orders, stock } = await newScene();
    const [itself, other] = [await otherClient(client), await otherClient(client)];
    await ok(admin.patch("/Api", { Id: orders.id, ApplicationId: itself.id }));
    await ok(admin.patch("/Api", { Id: stock.id, ApplicationId: other.id }));
    const { access_token } = (await own(client, RFC_TOKEN_PATH, { resource: orders.audience, scope: "*" })).body;
    for (const who of [itself, client]) {
      expect(await introspect(who, access_token)).toMatchObject({
        active: true,
        aud: orders.audience,
        scope: ORDERS.join(" "),
        client_id: client.id,
      });
    }
    expect(await introspect(other, access_token)).toEqual({ active: false });
    const stranger = await newScene();
    expect(await introspect(stranger.client, access_token)).toEqual({ active: false });
  });

  test("reflects scopes that the client has lost, and revocation", async () => {
    const { admin, client, orders } = await newScene();
    const { access_token } = (await own(client, RFC_TOKEN_PATH, { resource: orders.audience, scope: "*" })).body;
    await ok(admin.patch(`/Application/${client.id}/Credentials`, { Scopes: ["orders:write"] }));
    expect((await introspect(client, access_token)).scope).toBe("orders:write");
    expect((await postAs(credentialsOf(client), "/oauth2/revoke", { token: access_token })).status).toBe(200);
    expect(await introspect(client, access_token)).toEqual({ active: false });
  });

  test("knows no token of a deleted API, and none is issued or refreshed", async () => {
    const scene = await newScene();
    const { admin, client, orders } = scene;
    const both = [orders.audience, scene.stock.audience];
    const token = await client.token(await codeFor(scene, [orders.audience], "openid orders:read"));
    const several = await client.token(await codeFor(scene, both, "openid orders:read stock:read"), {
      resource: orders.audience,
    });
    const pending = await codeFor(scene, [orders.audience], "openid orders:read");
    await ok(admin.send("DELETE", `/Api/${orders.id}`));
    for (const [subject, kind] of [
      [client.id, "Credentials.Changed"],
      ["", "Role.Changed"],
    ] as const) {
      const { Items } = await ok(admin.get(`/AuditEvent?Kind=${kind}&Limit=1`));
      expect(Items[0]).toMatchObject({ Details: { Changed: ["Scopes"], Scopes: { Added: [], Removed: ORDERS } } });
      if (subject) expect(Items[0].Subject).toMatchObject({ Type: "Application", Id: subject });
    }
    expect(await introspect(client, token.body.access_token)).toEqual({ active: false });
    expectRfcError(await client.token(pending), 400, "invalid_target", /no longer exists/);
    expectRfcError(await client.refresh(token.body.refresh_token), 400, "invalid_target", /no longer exists/);
    const asked = await own(client, RFC_TOKEN_PATH, { resource: orders.audience, scope: "*" });
    expectRfcError(asked, 400, "invalid_target");
    // Tokens for other APIs continue.
    expect(claimsOf(await client.refresh(several.body.refresh_token)).aud).toBe(scene.stock.audience);
    const [consent] = await rowsOf<{ scopes: string[] }>("consents", { client_id: client.id });
    expect(consent!.scopes.sort()).toEqual(["openid", "stock:read"]);
    // Even if the API has the same name, audience and scopes.
    const Scopes = ORDERS.map((Name) => ({ Name, Description: "" }));
    await ok(admin.patch("/Api", { Name: "Orders", Audience: orders.audience, Scopes }));
    expectRfcError(await client.refresh(token.body.refresh_token), 400, "invalid_target", /no longer exists/);
  });
});
