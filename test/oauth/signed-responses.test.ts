// Userinfo (OpenID Connect Core 5.3.2) and introspection (RFC 9701) as signed JWTs, for clients that request them.

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import * as openid from "openid-client";
import { CALLBACK, type Client, issuer, newClient, newPkce, setCredentials } from "../world/client.ts";
import { form } from "../world/grants.ts";
import { newRegistrar, register } from "../world/registrar.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const ALGS = ["RS256", "ES256", "EdDSA"];
const JWT_TYPE = "application/token-introspection+jwt";
const USERINFO = "/oauth2/userinfo";

const keySet = () => createRemoteJWKSet(new URL(`${new Visitor().origin}/.well-known/jwks.json`));

async function signedIn(credentials: Record<string, string> = {}): Promise<{ client: Client; token: string }> {
  const client = await newClient();
  await setCredentials(client.id, { first_party: true, ...credentials });
  const { body } = await client.token(await client.code(new Visitor(), { scope: "openid profile email" }));
  return { client, token: body.access_token };
}

/** Answers that are not JSON are read as text. */
const raw = (path: string, init: RequestInit) => fetch(`${new Visitor().origin}${path}`, init);
const userinfo = (token: string, method = "GET") =>
  raw(USERINFO, { method, headers: { authorization: `Bearer ${token}` } });

function introspect({ tenant: { client } }: Client, token: string, accept?: string): Promise<Response> {
  const body = form({ client_id: client.clientId, client_secret: client.clientSecret, token });
  return raw("/oauth2/introspect", { method: "POST", body, headers: accept === undefined ? {} : { accept } });
}

describe.concurrent("userinfo", () => {
  test.each(ALGS)("is a JWT signed with %s for a client with that UserinfoAlg", async (alg) => {
    const plain = await signedIn();
    const expected = Object.keys((await (await userinfo(plain.token)).json()) as object).sort();
    const { client, token } = await signedIn({ userinfo_alg: alg });
    for (const method of ["GET", "POST"]) {
      const answer = await userinfo(token, method);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/jwt");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const jwt = await answer.text();
      const { payload } = await jwtVerify(jwt, keySet(), { issuer: issuer(), audience: client.id, algorithms: [alg] });
      const { iss: _, aud: __, iat, exp, ...claims } = payload;
      expect(Object.keys(claims).sort()).toEqual(expected);
      expect({ iat, exp, sub: claims.sub }).toEqual({
        ...{ iat: expect.any(Number), exp: undefined, sub: decodeJwt(token).sub },
      });
      // It is not accepted as a token.
      expect((await userinfo(jwt)).status).toBe(401);
      expect(await (await introspect(client, jwt)).json()).toEqual({ active: false });
      const visitor = new Visitor();
      await client.code(visitor);
      const logout = await visitor.open(`/oauth2/logout?${new URLSearchParams({ id_token_hint: jwt })}`);
      expect(logout.heading).toBe("Sign out");
    }
  });

  test("has errors in JSON", async () => {
    await signedIn({ userinfo_alg: "ES256" });
    const answer = await userinfo("x.y.z");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await answer.json()).toMatchObject({ error: "invalid_token" });
  });

  test("is signed for a client that registers userinfo_signed_response_alg, and openid-client reads it", async () => {
    const registrar = await newRegistrar("Open");
    const { status, body } = await register(registrar, {
      ...{ redirect_uris: [CALLBACK], userinfo_signed_response_alg: "ES256" },
      introspection_signed_response_alg: "EdDSA",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ userinfo_signed_response_alg: "ES256", introspection_signed_response_alg: "EdDSA" });
    const metadata = { client_secret: body.client_secret, userinfo_signed_response_alg: "ES256" };
    const config = await openid.discovery(new URL(issuer()), body.client_id, metadata, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const { verifier, challenge } = newPkce();
    const asked = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: "openid", ...challenge });
    const visitor = new Visitor();
    let view = await visitor.submit(await visitor.open(asked.pathname + asked.search), {
      username: registrar.username,
      password: registrar.password,
    });
    view = await visitor.submit(view, { decision: "allow" });
    const tokens = await openid.authorizationCodeGrant(config, view.location!, { pkceCodeVerifier: verifier });
    const told = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()!.sub);
    expect(told).toMatchObject({ sub: tokens.claims()!.sub, aud: body.client_id, iss: issuer() });
  });

  test.each(["none", "HS256", "RS512"])("is not signed with %s: its registration reports that", async (alg) => {
    const registrar = await newRegistrar("Open");
    for (const name of ["userinfo_signed_response_alg", "introspection_signed_response_alg"]) {
      const { status, body } = await register(registrar, { redirect_uris: [CALLBACK], [name]: alg });
      expect({ status, registered: body[name] }).toEqual({ status: 201, registered: undefined });
    }
  });

  test("and introspection name their algorithms in discovery", async () => {
    const { body } = await request("GET", "/.well-known/openid-configuration");
    for (const what of ["userinfo", "introspection"])
      expect(body[`${what}_signing_alg_values_supported`]).toEqual(ALGS);
  });
});

describe.concurrent("introspection", () => {
  test.each([
    ["", "RS256"],
    ["ES256", "ES256"],
    ["EdDSA", "EdDSA"],
  ])("is a JWT if Accept asks for it; IntrospectionAlg %p signs with %s", async (introspection_alg, alg) => {
    const { client, token } = await signedIn({ introspection_alg });
    const plain = (await (await introspect(client, token)).json()) as object;
    expect(plain).toMatchObject({ active: true, client_id: client.id });
    for (const [presented, told] of [
      [token, plain],
      ["nothing of ours", { active: false }],
    ] as const) {
      for (const accept of [JWT_TYPE, JWT_TYPE.toUpperCase(), `${JWT_TYPE}, application/json;q=0.9`]) {
        const answer = await introspect(client, presented, accept);
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-type")).toBe(JWT_TYPE);
        expect(answer.headers.get("cache-control")).toBe("no-store");
        const expected = { issuer: issuer(), audience: client.id, typ: "token-introspection+jwt", algorithms: [alg] };
        const { payload } = await jwtVerify(await answer.text(), keySet(), expected);
        expect(payload).toEqual({
          ...{ iss: issuer(), aud: client.id, iat: expect.any(Number), token_introspection: told },
        });
      }
    }
  });

  test.each([undefined, "*/*", "application/json", `application/json, ${JWT_TYPE};q=0.5`, `${JWT_TYPE};q=0`])(
    "is JSON for Accept %p",
    async (accept) => {
      const { client, token } = await signedIn({ introspection_alg: "ES256" });
      const answer = await introspect(client, token, accept);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(await answer.json()).toMatchObject({ active: true });
    },
  );

  test("has errors in JSON", async () => {
    const { client } = await signedIn();
    const { clientId } = client.tenant.client;
    const body = form({ client_id: clientId, client_secret: "wrong", token: "x" });
    const answer = await raw("/oauth2/introspect", { method: "POST", body, headers: { accept: JWT_TYPE } });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: "invalid_client" });
  });
});
