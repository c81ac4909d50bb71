// Tokens bound to the client's key (RFC 9449): from the grant to their use, and invalid proofs.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { type Answer, API, type Api, expectError, TOKEN_PATH } from "../world/api.ts";
import {
  answerOf,
  type Client,
  newClient,
  newPkce,
  RFC_PATH,
  RFC_TOKEN_PATH,
  setCredentials,
} from "../world/client.ts";
import { expectRfcError, form } from "../world/grants.ts";
import { DpopKey, type ProofParts } from "../world/signer.ts";
import { newTenant, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PAR = "/oauth2/par";
const USERINFO = "/oauth2/userinfo";
const USERS = `${API}/User`;
const GRANT = { grant_type: "client_credentials", scope: "AccessManager:Read" };

type Fields = Record<string, string | undefined>;
type Parts = Omit<ProofParts, "path">;

/** With its own nonce from the start. */
async function newKey(client: Pick<Api, "clientId" | "clientSecret">, alg?: string): Promise<DpopKey> {
  const key = await DpopKey.make(alg);
  const answer = await post(client, RFC_TOKEN_PATH, GRANT, await key.proof({ path: RFC_TOKEN_PATH }));
  expectRfcError(answer, 400, "use_dpop_nonce", /DPoP-Nonce/);
  key.nonce = answer.headers.get("dpop-nonce")!;
  expect(key.nonce).toMatch(/^[\w-]{27}$/);
  return key;
}

function post(
  { clientId, clientSecret }: Pick<Api, "clientId" | "clientSecret">,
  path: string,
  fields: Fields,
  proof?: string,
): Promise<Answer> {
  const headers: Record<string, string> = proof === undefined ? {} : { dpop: proof };
  return request("POST", path, {
    body: form({ client_id: clientId, client_secret: clientSecret, ...fields }),
    headers,
  });
}

/** Requests a token with the key. Parts of the proof can be replaced. */
async function ask(
  client: Pick<Api, "clientId" | "clientSecret">,
  key: DpopKey,
  fields: Fields = GRANT,
  parts: Parts = {},
) {
  return post(client, RFC_TOKEN_PATH, fields, await key.proof({ path: RFC_TOKEN_PATH, ...parts }));
}

async function bound(client: Api, key: DpopKey): Promise<string> {
  const { status, body } = await ask(client, key);
  expect({ status, type: body.token_type }).toEqual({ status: 200, type: "DPoP" });
  return body.access_token;
}

async function call(accessToken: string, proof: string | undefined, scheme = "DPoP", path = USERS): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `${scheme} ${accessToken}` };
  return request("GET", path, { headers: proof === undefined ? headers : { ...headers, dpop: proof } });
}

const use = async (accessToken: string, key: DpopKey, parts: Parts = {}) =>
  call(accessToken, await key.proof({ method: "GET", path: USERS, accessToken, ...parts }));

function expectRefusal(answer: Answer, error: string, says: RegExp): void {
  expectError(answer, 401, "Unauthorized", says);
  expect(answer.headers.get("www-authenticate")).toBe(`DPoP error="${error}", algs="RS256 PS256 ES256 EdDSA Ed25519"`);
}

const api = await newTenant();

describe.concurrent("a token requested with a proof", () => {
  test.each(["ES256", "EdDSA", "RS256", "PS256"])("by %s is valid with proofs of that key", async (alg) => {
    const key = await newKey(api, alg);
    const token = await bound(api, key);
    expect(decodeJwt(token).cnf).toEqual({ jkt: key.jkt });
    const answer = await use(token, key);
    expect(answer.status).toBe(200);
    // The next proof may use it.
    expect(answer.headers.get("dpop-nonce")).toMatch(/^[\w-]{27}$/);
  });

  test("is described by introspection", async () => {
    const key = await newKey(api);
    const { body } = await post(api, "/oauth2/introspect", { token: await bound(api, key) });
    expect(body).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt: key.jkt } });
  });

  test("is rejected as Bearer, without a proof, with another key, or with another token's proof", async () => {
    const key = await newKey(api);
    const token = await bound(api, key);
    const other = await newKey(api);
    expectRefusal(await call(token, undefined, "Bearer"), "invalid_token", /bound to a key: send it as DPoP/);
    const proof = await key.proof({ method: "GET", path: USERS, accessToken: token });
    expectRefusal(await call(token, proof, "Bearer"), "invalid_token", /bound to a key: send it as DPoP/);
    expectRefusal(await call(token, undefined), "invalid_dpop_proof", /it is missing/);
    expectRefusal(await use(token, other), "invalid_token", /a different key/);
    const second = await bound(api, key);
    expectRefusal(await use(token, key, { accessToken: second }), "invalid_dpop_proof", /ath/);
    expect((await use(token, key)).status).toBe(200);
  });

  test("a token without a key is rejected with DPoP", async () => {
    const key = await newKey(api);
    const { body } = await post(api, RFC_TOKEN_PATH, GRANT);
    expect(body.token_type).toBe("Bearer");
    expectRefusal(await use(body.access_token, key), "invalid_token", /not bound to a key/);
  });

  test("the API requires a nonce of its own, and sends it", async () => {
    const key = await newKey(api);
    const token = await bound(api, key);
    for (const nonce of [undefined, "somebody's", "A".repeat(27)]) {
      const answer = await use(token, key, { claims: { nonce } });
      expectRefusal(answer, "use_dpop_nonce", /DPoP-Nonce/);
      const again = await use(token, key, { claims: { nonce: answer.headers.get("dpop-nonce") } });
      expect(again.status).toBe(200);
    }
  });
});

describe.concurrent("a proof is rejected", () => {
  const WRONG: [string, Parts, RegExp][] = [
    ["for another method", { method: "GET" }, /htm is not POST/],
    ["for another path", { claims: { htu: "https://other.example/oauth2/token" } }, /htu is not/],
    ["for another host", { claims: { htu: "http://localhost:1/oauth2/token" } }, /htu is not/],
    ["without htu", { claims: { htu: undefined } }, /htu is not/],
    ["without iat", { claims: { iat: undefined } }, /iat is missing/],
    ["without jti", { claims: { jti: undefined } }, /jti must be/],
    ["with a jti without end", { claims: { jti: "j".repeat(501) } }, /jti must be/],
    ["of another type", { header: { typ: "JWT" } }, /typ is not dpop\+jwt/],
    ["without a key", { header: { jwk: undefined } }, /signed with the public key/],
    ["that has expired by its own word", { claims: { exp: 1 } }, /signed with the public key/],
    ["longer than any", { claims: { more: "x".repeat(4_096) } }, /more than 4096 characters/],
  ];

  test.each(WRONG)("%s", async (_, parts, says) => {
    const key = await newKey(api);
    expectRfcError(await ask(api, key, GRANT, parts), 400, "invalid_dpop_proof", says);
  });

  test("with a private or another key in it, a symmetric signature, none, or a changed byte", async () => {
    const key = await newKey(api);
    const other = await DpopKey.make();
    const privateJwk = await crypto.subtle.exportKey("jwk", key.privateKey);
    const right = await key.proof({ path: RFC_TOKEN_PATH });
    const [header, claims, signature] = right.split(".");
    const written = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const wrong = [
      await key.proof({ path: RFC_TOKEN_PATH, header: { jwk: privateJwk } }),
      await key.proof({ path: RFC_TOKEN_PATH, header: { jwk: other.jwk } }),
      `${written({ typ: "dpop+jwt", alg: "HS256", jwk: { kty: "oct", k: "AA" } })}.${claims}.${signature}`,
      `${written({ typ: "dpop+jwt", alg: "none", jwk: key.jwk })}.${claims}.`,
      `${header}.${written({ ...decodeJwt(right), jti: "another" })}.${signature}`,
      "no JWT",
      "",
    ];
    for (const proof of wrong) {
      expectRfcError(await post(api, RFC_TOKEN_PATH, GRANT, proof), 400, "invalid_dpop_proof", /alg|signed with/);
    }
  });

  test("if sent twice in one request", async () => {
    const key = await newKey(api);
    const two = [await key.proof({ path: RFC_TOKEN_PATH }), await key.proof({ path: RFC_TOKEN_PATH })].join(", ");
    expectRfcError(await post(api, RFC_TOKEN_PATH, GRANT, two), 400, "invalid_dpop_proof", /more than one/);
  });

  test("when reused, also concurrently, at the token endpoint and at the API", async () => {
    const key = await newKey(api);
    const proof = await key.proof({ path: RFC_TOKEN_PATH });
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(api, RFC_TOKEN_PATH, GRANT, proof)));
    const [first, ...others] = answers.sort((a, b) => a.status - b.status);
    expect(first!.status).toBe(200);
    for (const other of others) expectRfcError(other, 400, "invalid_dpop_proof", /used before/);

    const token = first!.body.access_token;
    const once = await key.proof({ method: "GET", path: USERS, accessToken: token });
    const calls = await Promise.all(Array.from({ length: 5 }, () => call(token, once)));
    const [good, ...replayed] = calls.sort((a, b) => a.status - b.status);
    expect(good!.status).toBe(200);
    for (const other of replayed) expectRefusal(other, "invalid_dpop_proof", /used before/);

    // Nor for another tenant's client: a proof names no tenant.
    const elsewhere = await newTenant();
    expectRfcError(await post(elsewhere, RFC_TOKEN_PATH, GRANT, proof), 400, "invalid_dpop_proof", /used before/);
  });

  test("but not for query, fragment and case of our paths, or the client's clock", async () => {
    const key = await newKey(api);
    const token = await bound(api, key);
    const day = 86_400;
    const off = { iat: Math.floor(Date.now() / 1_000) - day };
    expect((await use(token, key, { claims: off })).status).toBe(200);
    const path = `${API.toLowerCase()}/user?Limit=1#x`;
    expect((await use(token, key, { claims: { htu: undefined } })).status).toBe(401);
    const proof = await key.proof({ method: "GET", path, accessToken: token });
    expect((await call(token, proof, "dpop", `${USERS}?Limit=1`)).status).toBe(200);
  });

  test.each([
    ["base64|QS9i", "base64%7CQS9i", 404],
    ["base64%7cQS9i", "base64|QS9i", 404],
    ["a~b", "%61%7Eb", 404],
    ["a%2Fb", "a/b", 401],
    ["a%FFb", "a%FFb", 400],
    ["a%FFb", "a%FEb", 401],
  ])("nor for percent-encoding: %s with the proof for %s is answered", async (sent, proved, status) => {
    const key = await newKey(api);
    const token = await bound(api, key);
    const [path, named] = [`${USERS}/${sent}?Name=Username`, `${USERS}/${proved}`];
    const proof = await key.proof({ method: "GET", path: named, accessToken: token });
    expect((await call(token, proof, "DPoP", path)).status).toBe(status);
  });
});

describe.concurrent("a client that is DpopBound", () => {
  async function boundClient(): Promise<Api> {
    const client = await newTenant();
    await setCredentials(client.clientId, { dpop_bound: true });
    return client;
  }

  test("gets no token without a proof, and none at the spec door, which supports Bearer only", async () => {
    const client = await boundClient();
    expectRfcError(await post(client, RFC_TOKEN_PATH, GRANT), 400, "invalid_dpop_proof", /header DPoP is missing/);
    const key = await newKey(client);
    expect((await ask(client, key)).body.token_type).toBe("DPoP");
    const proof = await key.proof({ path: TOKEN_PATH });
    for (const sent of [undefined, proof]) {
      const { status, body } = await post(client, TOKEN_PATH, GRANT, sent);
      expect({ status, error: body.error, says: body.error_description }).toEqual({
        status: 400,
        error: "Bad Input",
        says: "Tokens bound to a key (DPoP) are issued only at /oauth2/token.",
      });
    }
  });

  test("with a wrong secret is rejected before its proof is checked", async () => {
    const client = await boundClient();
    const wrong = { clientId: client.clientId, clientSecret: "wrong" };
    expectRfcError(await post(wrong, RFC_TOKEN_PATH, GRANT), 401, "invalid_client");
  });
});

describe.concurrent("a user's grant", () => {
  const SCOPES = { scope: "openid profile" };

  /** A client without a secret, its key, and its user's code. */
  async function publicClient(fields: Fields = {}) {
    const client = await newClient({ client_type: "public", grant_types: ["authorization_code", "refresh_token"] });
    const own = { clientId: client.id, clientSecret: undefined as unknown as string };
    const key = await DpopKey.make();
    const first = await post(
      own,
      RFC_TOKEN_PATH,
      { grant_type: "authorization_code", code: "none" },
      await key.proof({ path: RFC_TOKEN_PATH }),
    );
    key.nonce = first.headers.get("dpop-nonce")!;
    const { verifier, challenge } = newPkce();
    const code = await client.code(new Visitor(), { ...SCOPES, ...challenge, ...fields });
    const redeem = {
      grant_type: "authorization_code",
      code,
      redirect_uri: "https://app.example/callback",
      code_verifier: verifier,
    };
    return { client, own, key, redeem };
  }

  test("binds the refresh token of a client without a secret to the key through every rotation", async () => {
    const { own, key, redeem } = await publicClient();
    const first = await ask(own, key, redeem);
    expect(first.body.token_type).toBe("DPoP");
    const other = await DpopKey.make();
    other.nonce = key.nonce;
    let refresh_token: string = first.body.refresh_token;
    for (const _ of [1, 2]) {
      const again = { grant_type: "refresh_token", refresh_token };
      expectRfcError(await post(own, RFC_TOKEN_PATH, again), 400, "invalid_grant", /bound to a key/);
      expectRfcError(await ask(own, other, again), 400, "invalid_grant", /a different key/);
      const next = await ask(own, key, again);
      expect({ status: next.status, type: next.body.token_type }).toEqual({ status: 200, type: "DPoP" });
      expect(decodeJwt(next.body.access_token).cnf).toEqual({ jkt: key.jkt });
      refresh_token = next.body.refresh_token;
    }
  });

  test("of a client with a secret can be refreshed with another key, or none", async () => {
    const client = await newClient();
    const own = client.tenant.client;
    const key = await newKey(own);
    const code = await client.code(new Visitor(), SCOPES);
    const first = await ask(own, key, {
      grant_type: "authorization_code",
      code,
      redirect_uri: "https://app.example/callback",
    });
    const other = await newKey(own);
    const second = await ask(own, other, { grant_type: "refresh_token", refresh_token: first.body.refresh_token });
    expect(decodeJwt(second.body.access_token).cnf).toEqual({ jkt: other.jkt });
    const third = await post(own, RFC_TOKEN_PATH, {
      grant_type: "refresh_token",
      refresh_token: second.body.refresh_token,
    });
    expect(third.body.token_type).toBe("Bearer");
  });

  test("gets userinfo with proofs of that key only", async () => {
    const { own, key, redeem } = await publicClient();
    const { access_token: token } = (await ask(own, key, redeem)).body;
    const proof = () => key.proof({ method: "GET", path: USERINFO, accessToken: token });
    expect((await call(token, await proof(), "DPoP", USERINFO)).status).toBe(200);
    for (const [sent, scheme] of [
      [undefined, "DPoP"],
      [undefined, "Bearer"],
      [await proof(), "Bearer"],
    ] as const) {
      const answer = await call(token, sent, scheme, USERINFO);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toStartWith('DPoP error="');
    }
    const inForm = await request("POST", USERINFO, { body: form({ access_token: token }) });
    expect(inForm.status).toBe(401);
  });

  test("dpop_jkt: only the named key redeems the code (RFC 9449 10)", async () => {
    const named = await DpopKey.make();
    const { own, key, redeem } = await publicClient({ dpop_jkt: named.jkt });
    named.nonce = key.nonce;
    expectRfcError(await post(own, RFC_TOKEN_PATH, redeem), 400, "invalid_grant", /code is bound to a key/);
    expectRfcError(await ask(own, key, redeem), 400, "invalid_grant", /a different key/);
    expect((await ask(own, named, redeem)).status).toBe(200);
  });

  test("an invalid dpop_jkt is reported to the client", async () => {
    const client = await newClient();
    const back = await client.visit(new Visitor(), { dpop_jkt: "short" });
    expect(answerOf(back)).toMatchObject({
      error: "invalid_request",
      error_description: expect.stringContaining("dpop_jkt"),
    });
  });

  test("a proof at the pushed request names the key; a contradicting one is rejected (RFC 9449 10.1)", async () => {
    const client: Client = await newClient();
    const own = client.tenant.client;
    const key = await newKey(own);
    const other = await newKey(own);
    const pushed = { response_type: "code", redirect_uri: "https://app.example/callback", ...SCOPES };
    const contradicting = await post(own, PAR, { ...pushed, dpop_jkt: other.jkt }, await key.proof({ path: PAR }));
    expectRfcError(contradicting, 400, "invalid_request", /dpop_jkt is not the thumbprint/);
    const elsewhere = await post(own, PAR, pushed, await key.proof({ path: RFC_TOKEN_PATH }));
    expectRfcError(elsewhere, 400, "invalid_dpop_proof", /htu/);

    const { body } = await post(own, PAR, pushed, await key.proof({ path: PAR }));
    const visitor = new Visitor();
    const at = `${RFC_PATH}?${new URLSearchParams({ client_id: client.id, request_uri: body.request_uri })}`;
    const { code } = answerOf(await client.goThrough(visitor, await visitor.open(at)));
    const redeem = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/callback" };
    expectRfcError(await ask(own, other, redeem), 400, "invalid_grant", /a different key/);
    expect((await ask(own, key, redeem)).body.token_type).toBe("DPoP");
  });
});

test("discovery lists the proofs' algorithms", async () => {
  const { body } = await request("GET", "/.well-known/openid-configuration");
  expect(body.dpop_signing_alg_values_supported).toEqual(["RS256", "PS256", "ES256", "EdDSA", "Ed25519"]);
});
