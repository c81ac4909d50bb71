// Clients that authenticate by a signed JWT (private_key_jwt: RFC 7523, OIDC Core 9).

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { decodeJwt, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import pino from "pino";
import { createClientKeys } from "../../server/identity/oauth/clients/client-keys.ts";
import { MAX_USED_JWTS } from "../../server/identity/oauth/clients/used-jwts.ts";
import { digestOf } from "../../server/identity/signin/opaque.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { type Api, TOKEN_PATH } from "../world/api.ts";
import { RFC_TOKEN_PATH } from "../world/client.ts";
import { expectRfcError, form } from "../world/grants.ts";
import { addRows, rowsOf, times } from "../world/rows.ts";
import { assertion, assertionClaims, newSigner, provesBy, publish, type Signer } from "../world/signer.ts";
import { newTenant, request, setting } from "../world/tenant.ts";

const GRANT = { grant_type: "client_credentials", scope: "AccessManager:Read" };

const [client, signer] = await Promise.all([newTenant(), newSigner()]);
const issuer = String(decodeJwt(client.token).iss);
await provesBy(client, signer);

const CA_FILE = () => join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver", "ca.pem");
const post = (path: string, fields: Record<string, string | undefined>, headers?: Record<string, string>) =>
  request("POST", path, { body: form(fields), headers });
const claimsOf = (more: JWTPayload = {}) => ({ ...assertionClaims(client.clientId, issuer), ...more });
const signed = async (claims?: JWTPayload, header?: Partial<JWTHeaderParameters>) =>
  assertion(await signer.sign(claimsOf(claims), header));

describe("a client with private_key_jwt", () => {
  test("is authenticated at each endpoint with client authentication", async () => {
    const granted = await post(RFC_TOKEN_PATH, { ...GRANT, ...(await signed()) });
    expect(granted.status).toBe(200);
    const token = granted.body.access_token;
    const asked = await post("/oauth2/introspect", { token, ...(await signed()) });
    expect(asked.body).toMatchObject({ active: true, client_id: client.clientId });
    expect((await post("/oauth2/revoke", { token, ...(await signed()) })).status).toBe(200);
    const again = await post("/oauth2/introspect", { token, ...(await signed()) });
    expect(again.body).toEqual({ active: false });
    expect((await post(TOKEN_PATH, { ...GRANT, ...(await signed()) })).status).toBe(200);
  });

  test("can push an authorization request, and the assertion is not stored", async () => {
    const [own, key] = await Promise.all([newTenant(), newSigner()]);
    const redirect_uri = "https://payroll.example.com/callback";
    await provesBy(own, key, { RedirectUris: [redirect_uri] });
    const push = async (aud: string) => {
      const fields = assertion(await key.sign(assertionClaims(own.clientId, aud)));
      return post("/oauth2/par", { response_type: "code", redirect_uri, state: "pushed", ...fields });
    };
    expect((await push(`${issuer}/oauth2/par`)).status).toBe(201);
    expectRfcError(await push(`${issuer}/oauth2/revoke`), 401, "invalid_client", /aud must be/);
    const rows = await rowsOf<{ parameters: string }>("pushed_requests", { client_id: own.clientId });
    expect(rows.map(({ parameters }) => parameters)).toEqual([expect.stringContaining("state=pushed")]);
    expect(rows[0]!.parameters).not.toContain("assertion");
  });

  test.each([
    ["the token endpoint, elsewhere", "/oauth2/introspect", () => `${issuer}/oauth2/token`],
    ["the endpoint itself", "/oauth2/introspect", () => `${issuer}/oauth2/introspect`],
    ["a list of such", "/oauth2/introspect", () => [issuer, `${issuer}/oauth2/token`]],
  ])("can send it to the audience %s", async (_, path, audience) => {
    const answer = await post(path, { token: "x", ...(await signed({ aud: audience() })) });
    expect(answer.body).toEqual({ active: false });
  });

  test.each(["RS256", "PS256", "ES256", "EdDSA"])("can sign with %s, with or without a kid", async (alg) => {
    const own = await newTenant();
    for (const kid of ["a", ""]) {
      const key = await newSigner(alg, kid);
      await provesBy(own, key);
      const jwt = await key.sign(assertionClaims(own.clientId, issuer), { typ: "client-authentication+jwt" });
      expect((await post(RFC_TOKEN_PATH, { ...GRANT, ...assertion(jwt) })).status).toBe(200);
    }
  });

  test("can sign with any of several keys, also without a kid", async () => {
    const own = await newTenant();
    const keys = await Promise.all([newSigner("ES256", ""), newSigner("ES256", ""), newSigner("EdDSA", "")]);
    await provesBy(own, keys[0]!, { Jwks: { keys: keys.map(({ jwk }) => jwk) } });
    for (const key of keys) {
      const jwt = await key.sign(assertionClaims(own.clientId, issuer));
      expect((await post(RFC_TOKEN_PATH, { ...GRANT, ...assertion(jwt) })).status).toBe(200);
    }
  });

  test("gets the spec door's errors at the spec door", async () => {
    const answer = await post(TOKEN_PATH, { ...GRANT, ...(await signed({ aud: "https://elsewhere.example" })) });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: "Unauthorized", Type: "/Errors/Unauthorized" });
  });

  test("cannot use a secret", async () => {
    const { clientId: client_id, clientSecret: client_secret } = client;
    const basic = `Basic ${btoa(`${client_id}:${client_secret}`)}`;
    const wrong = /client_id or client_secret is wrong/;
    expectRfcError(await post(RFC_TOKEN_PATH, { ...GRANT, client_id, client_secret }), 401, "invalid_client", wrong);
    expectRfcError(await post(RFC_TOKEN_PATH, GRANT, { authorization: basic }), 401, "invalid_client", wrong);
    expectRfcError(await post(RFC_TOKEN_PATH, { ...GRANT, client_id }), 401, "invalid_client", /missing/);
    const both = { ...GRANT, client_secret, ...(await signed()) };
    expectRfcError(await post(RFC_TOKEN_PATH, both), 400, "invalid_request", /not both/);
    const withHeader = await post(RFC_TOKEN_PATH, { ...GRANT, ...(await signed()) }, { authorization: basic });
    expectRfcError(withHeader, 400, "invalid_request", /not both/);
  });

  test.each([
    ["client_secret_basic", "client_secret_post"],
    ["client_secret_post", "client_secret_basic"],
  ])("set to %s instead cannot use %s", async (declared, other) => {
    const own = await newTenant();
    await provesBy(own, signer, { TokenEndpointAuthMethod: declared });
    const inForm = { client_id: own.clientId, client_secret: own.clientSecret };
    const inHeader = { authorization: `Basic ${btoa(`${own.clientId}:${own.clientSecret}`)}` };
    const ways = {
      client_secret_post: () => post(RFC_TOKEN_PATH, { ...GRANT, ...inForm }),
      client_secret_basic: () => post(RFC_TOKEN_PATH, GRANT, inHeader),
    };
    expect((await ways[declared as keyof typeof ways]()).status).toBe(200);
    expectRfcError(await ways[other as keyof typeof ways](), 401, "invalid_client");
    const jwt = await signer.sign(assertionClaims(own.clientId, issuer));
    expectRfcError(await post(RFC_TOKEN_PATH, { ...GRANT, ...assertion(jwt) }), 401, "invalid_client");
  });
});

describe("rejected is an assertion", () => {
  const refused = async (fields: Record<string, string | undefined>, says: RegExp) =>
    expectRfcError(await post(RFC_TOKEN_PATH, { ...GRANT, ...fields }), 401, "invalid_client", says);
  const now = () => Math.floor(Date.now() / 1000);

  test("that was used before, at any endpoint", async () => {
    const fields = await signed();
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => post(RFC_TOKEN_PATH, { ...GRANT, ...fields })),
      post("/oauth2/revoke", { token: "x", ...fields }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await refused(fields, /was used before/);
  });

  test("beyond the number of unexpired ones a client may have", async () => {
    const [busy, key] = await Promise.all([newTenant(), newSigner()]);
    await provesBy(busy, key);
    const used = { tenant_id: busy.tenantId, client_id: busy.clientId, expires_on: new Date(Date.now() + 3_600_000) };
    const jwts = times(MAX_USED_JWTS - 40, () => ({ digest: digestOf(crypto.randomUUID()), ...used }));
    await addRows("used_jwts", jwts);
    const grant = async () =>
      post(RFC_TOKEN_PATH, { ...GRANT, ...assertion(await key.sign(assertionClaims(busy.clientId, issuer))) });
    for (let count = 0; count < 40; count++) expect([count, (await grant()).status]).toEqual([count, 200]);
    const refusal = await grant();
    expect(refusal.status).toBe(429);
    expect(refusal.body.error_description).toContain("20000 unexpired assertions of this client");
    // A second client's assertions count separately.
    expect((await post(RFC_TOKEN_PATH, { ...GRANT, ...(await signed()) })).status).toBe(200);
  });

  test("valid for an hour, as some libraries issue them, except once", async () => {
    const fields = await signed({ exp: now() + 3600 });
    expect((await post(RFC_TOKEN_PATH, { ...GRANT, ...fields })).status).toBe(200);
    await refused(fields, /was used before/);
  });

  test("with a used jti", async () => {
    const jti = Bun.randomUUIDv7();
    expect((await post(RFC_TOKEN_PATH, { ...GRANT, ...(await signed({ jti })) })).status).toBe(200);
    await refused(await signed({ jti, exp: now() + 90 }), /was used before/);
  });

  test("but not one whose jti another tenant's client has used", async () => {
    const [other, key] = await Promise.all([newTenant(), newSigner()]);
    await provesBy(other, key);
    const jti = Bun.randomUUIDv7();
    const theirs = await key.sign({ ...assertionClaims(other.clientId, issuer), jti });
    expect((await post(RFC_TOKEN_PATH, { ...GRANT, ...assertion(theirs) })).status).toBe(200);
    expect((await post(RFC_TOKEN_PATH, { ...GRANT, ...(await signed({ jti })) })).status).toBe(200);
  });

  test.each<[string, () => JWTPayload, RegExp]>([
    ["for another server", () => ({ aud: "https://elsewhere.example" }), /aud must be/],
    ["for us and another", () => ({ aud: [issuer, "https://elsewhere.example"] }), /aud must be/],
    ["for another endpoint of ours", () => ({ aud: `${issuer}/oauth2/introspect` }), /aud must be/],
    ["for nobody", () => ({ aud: undefined }), /aud must be/],
    ["for an empty list", () => ({ aud: [] }), /aud must be/],
    ["of another issuer", () => ({ iss: "1" }), /iss and sub/],
    ["without a sub", () => ({ sub: undefined }), /iss and sub/],
    ["without a jti", () => ({ jti: undefined }), /jti must be/],
    ["with a long jti", () => ({ jti: "j".repeat(501) }), /jti must be/],
    ["without an end", () => ({ exp: undefined }), /exp is missing/],
    ["that has expired", () => ({ exp: now() - 20 }), /expired/],
    ["that lives for longer than an hour", () => ({ exp: now() + 3620 }), /at most 3600 seconds/],
    ["of the future", () => ({ iat: now() + 60 }), /in the future/],
    ["that is not good yet", () => ({ nbf: now() + 60 }), /in the future/],
  ])("%s", async (_, claims, says) => refused(await signed(claims()), says));

  test("of another type, or with unknown critical headers", async () => {
    for (const typ of ["at+jwt", "dpop+jwt", "oauth-authz-req+jwt"]) await refused(await signed({}, { typ }), /typ/);
    for (const header of [{ typ: { toString: null } }, { alg: [{ toString: null }] }]) {
      const parts = [{ alg: "ES256", ...header }, claimsOf()].map((part) => Buffer.from(JSON.stringify(part)));
      await refused(assertion(`${parts.map((part) => part.toString("base64url")).join(".")}.AAAA`), /typ|alg/);
    }
    const jwt = await new SignJWT(claimsOf())
      .setProtectedHeader({ alg: "ES256", crit: ["b64"], b64: true })
      .sign(signer.privateKey);
    await refused(assertion(jwt), /crit/);
  });

  test("with another key, including another client's", async () => {
    const [other, key] = await Promise.all([newTenant(), newSigner("ES256", String(signer.jwk.kid))]);
    await provesBy(other, key);
    await refused(assertion(await key.sign(claimsOf())), /not signed by a key of the client/);
    const altered = (await signed()).client_assertion.replace(/.{4}$/, "AAAA");
    await refused(assertion(altered), /not signed/);
  });

  test("of an unknown client, with the same error", async () => {
    const jwt = await signer.sign(assertionClaims("999999999", issuer));
    await refused(assertion(jwt), /not signed by a key of the client/);
  });

  test("unsigned, or with the public key as an HMAC secret", async () => {
    await refused(assertion(new UnsecuredJWT(claimsOf()).encode()), /alg must be/);
    const publicKey = new TextEncoder().encode(JSON.stringify(signer.jwk));
    const secret = new TextEncoder().encode(client.clientSecret);
    for (const key of [publicKey, secret]) {
      const jwt = await new SignJWT(claimsOf()).setProtectedHeader({ alg: "HS256", kid: signer.jwk.kid }).sign(key);
      await refused(assertion(jwt), /alg must be/);
    }
  });

  test("with a key in its own header", async () => {
    const key = await newSigner();
    const header = { jwk: key.jwk as never, kid: signer.jwk.kid, jku: "https://localhost/keys" };
    await refused(assertion(await key.sign(claimsOf(), header)), /not signed/);
  });

  test("that is malformed", async () => {
    for (const text of ["x", "a.b.c", "..", `${"a".repeat(9_000)}.b.c`, "e30.e30."]) {
      await refused(assertion(text), /client_assertion is wrong/);
    }
    const fields = await signed();
    const bad = (more: Record<string, string | undefined>) => post(RFC_TOKEN_PATH, { ...GRANT, ...fields, ...more });
    expectRfcError(await bad({ client_assertion: undefined }), 400, "invalid_request", /client_assertion is missing/);
    expectRfcError(await bad({ client_assertion_type: "jwt" }), 400, "invalid_request", /client_assertion_type/);
    expectRfcError(await bad({ client_assertion_type: undefined }), 400, "invalid_request", /client_assertion_type/);
    expectRfcError(await bad({ client_id: "1" }), 400, "invalid_request", /client_id/);
    expect((await bad({})).status).toBe(200);
  });

  test("of an inactive Application", async () => {
    const [own, key] = await Promise.all([newTenant(), newSigner()]);
    const { Id } = await own.made("Application", { Name: "Payroll", Is_Active: true });
    const keys = { TokenEndpointAuthMethod: "private_key_jwt", Jwks: { keys: [key.jwk] } };
    expect((await own.patch(`/Application/${Id}/Credentials`, keys)).status).toBe(200);
    const ask = async () =>
      post("/oauth2/revoke", { token: "x", ...assertion(await key.sign(assertionClaims(Id, issuer))) });
    expect((await ask()).status).toBe(200);
    await own.made("Application", { Id, Is_Active: false });
    expectRfcError(await ask(), 401, "invalid_client");
  });
});

describe("a client with a JWKS URI", () => {
  const ask = async (own: Api, key: Signer) =>
    post(RFC_TOKEN_PATH, { ...GRANT, ...assertion(await key.sign(assertionClaims(own.clientId, issuer))) });

  test("is fetched once, and again for a new key, with a limit", async () => {
    const [first, second] = await Promise.all([newSigner(), newSigner()]);
    let keys: unknown[] | undefined = [first.jwk];
    await using receiver = publish(() => (keys ? Response.json({ keys }) : new Response(null, { status: 503 })));
    let time = 0;
    const egress = createEgress({ allow: ["127.0.0.0/8", "::1/128"], deny: [], dns: [], caFile: CA_FILE() });
    const isSigned = createClientKeys(egress, pino({ enabled: false }), () => time);
    const tenantId = client.tenantId as TenantId;
    const owner = { id: 1, tenantId, jwks: null, jwksUri: receiver.uri, isOpen: false, administratorSet: [] };
    const ask = async (key: Signer) => isSigned(owner, await key.sign({}));

    expect(await Promise.all([first, first, second].map(ask))).toEqual([true, true, false]);
    expect(receiver.asked).toBe(1);
    // An operator's allowances do not apply to unvouched clients.
    expect(await isSigned({ ...owner, id: 2, isOpen: true }, await first.sign({}))).toBe(false);
    expect(receiver.asked).toBe(1);
    keys = [second.jwk];
    time = 29_000;
    expect(await ask(second)).toBe(false);
    expect(receiver.asked).toBe(1);
    time = 31_000;
    expect(await ask(second)).toBe(true);
    expect(await ask(first)).toBe(false);
    expect(receiver.asked).toBe(2);
    // If the keys cannot be read, the last ones are valid for a while.
    keys = undefined;
    time += 400_000;
    expect(await ask(second)).toBe(true);
    expect(receiver.asked).toBe(3);
    time += 3_600_000;
    expect(await ask(second)).toBe(false);
    // But it applies to an address that an administrator has set.
    keys = [first.jwk];
    const moved = { ...owner, id: 3, isOpen: true, administratorSet: ["JwksUri"] };
    expect(await isSigned(moved, await first.sign({}))).toBe(true);
  });

  test("is authenticated by its keys", async () => {
    const [own, key] = await Promise.all([newTenant(), newSigner()]);
    await using receiver = publish(() => Response.json({ keys: [key.jwk] }));
    await provesBy(own, key, { Jwks: null, JwksUri: receiver.uri });
    expect((await Promise.all([1, 2, 3].map(() => ask(own, key)))).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
    expect(receiver.asked).toBe(1);
  });

  test.each<[string, () => Response]>([
    ["with an error", () => new Response("no", { status: 500 })],
    ["with a redirect", () => new Response(null, { status: 302, headers: { location: "https://localhost/" } })],
    ["with no JSON", () => new Response("<html>")],
    ["with no keys", () => Response.json({ keys: [] })],
    ["with more than can be read", () => new Response("x".repeat(300_000))],
    ["with keys of other kinds", () => Response.json({ keys: [{ kty: "oct", k: "AAAA" }, null, 7] })],
  ])("that answers %s is not authenticated", async (_, answer) => {
    const [own, key] = await Promise.all([newTenant(), newSigner()]);
    await using published = publish(answer);
    await provesBy(own, key, { Jwks: null, JwksUri: published.uri });
    expectRfcError(await ask(own, key), 401, "invalid_client", /not signed/);
  });

  test("inside the network is not fetched, by address or by name", async () => {
    const [own, key] = await Promise.all([newTenant(), newSigner()]);
    await using published = publish(() => Response.json({ keys: [key.jwk] }));
    const egress = createEgress({ allow: [], deny: [], dns: [], caFile: CA_FILE() });
    const isSigned = createClientKeys(egress, pino({ enabled: false }));
    const tenantId = own.tenantId as TenantId;
    const owner = { id: 1, tenantId, jwks: null, jwksUri: published.uri, isOpen: false, administratorSet: [] };
    expect(await isSigned(owner, await key.sign({}))).toBe(false);
    expect(published.asked).toBe(0);
    const change = (JwksUri: string) => own.patch(`/Application/${own.clientId}/Credentials`, { JwksUri });
    for (const uri of ["https://10.0.0.1/keys", "https://[fd00::1]/keys", "https://169.254.169.254/latest"]) {
      const answer = await change(uri);
      expect({ uri, status: answer.status }).toEqual({ uri, status: 400 });
      expect(answer.body.Errors[0]).toMatch(/^JwksUri: The URL's host/);
    }
    for (const uri of ["http://example.com/keys", "keys", "https://u:p@example.com/", "file:///etc/passwd"]) {
      expect({ uri, status: (await change(uri)).status }).toEqual({ uri, status: 400 });
    }
  });
});
