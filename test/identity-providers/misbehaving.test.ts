// Misbehaving providers, and pages while a provider is down.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { base64url, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { unique } from "../world/api.ts";
import { answerOf, carrying } from "../world/client.ts";
import { type Behaviour, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { addProvider, linksOf, newUpstreamTenant, toProvider, type UpstreamTenant } from "../world/provider.ts";
import { rowsOf } from "../world/rows.ts";
import { type View, Visitor } from "../world/visitor.ts";

const UNTRUSTED = "Its answer cannot be trusted";
const UNAVAILABLE = "It cannot be reached or does not answer";
const MISCONFIGURED = "does not match this service";
const DECLINED = "It did not sign you in";
const SECRET = "a secret";

/** The tenant of all misbehaving providers, which must leave no data in it. */
let tenant: UpstreamTenant;
beforeAll(async () => {
  tenant = await newUpstreamTenant({ Issuer: "https://id.example.com" });
});

async function attempt(behaviour: Behaviour, more: Record<string, string | undefined> = {}) {
  await using provider = await startForgedProvider(behaviour);
  const visitor = new Visitor();
  const begun = await begin(visitor, provider.issuer);
  const view = begun.location ? await visitor.open(sentBack(provider, begun.location, more)) : begun;
  return { view, visitor, provider };
}

/** Starts a sign-in at a new provider. */
async function begin(visitor: Visitor, Issuer: string): Promise<View> {
  const { Id } = await addProvider(tenant.caller, { Name: unique("provider"), Issuer, ClientSecret: SECRET });
  return visitor.open(carrying(`/signin/upstream/${Id}`, tenant.client.authorize()));
}

async function expectRefused(behaviour: Behaviour, says: string, more: Record<string, string | undefined> = {}) {
  const { view, visitor } = await attempt(behaviour, more);
  expect({ heading: view.heading, html: view.html }).toEqual({
    heading: "Sign-in did not work",
    html: expect.stringContaining(says),
  });
  expect(view.status).toBe(says === DECLINED ? 403 : 502);
  expect(view.headers.get("cache-control")).toBe("no-store");
  expect(view.html).not.toContain("evil");
  expect(visitor.cookies.has("gatehouse-session")).toBe(false);
  expect(linksOf(view).map(({ text }) => text)).toEqual(["Try again", "Sign in another way"]);
}

afterAll(async () => {
  const own = { tenant_id: tenant.client.tenant.tenantId };
  const good = (await rowsOf("upstream_identities", own)).filter(({ subject }) => subject.startsWith("good "));
  const others = (await rowsOf("users", own)).filter(({ id }) => !good.some(({ user_id }) => user_id === id));
  expect(others.map(({ name }) => name)).toEqual(["Administrator"]);
});

const seconds = (from: number) => Math.floor(Date.now() / 1_000) + from;
const unsigned = async (claims: JWTPayload) =>
  `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(claims))}.`;

async function signedByOther(claims: JWTPayload): Promise<string> {
  const { privateKey } = await generateKeyPair("RS256");
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(privateKey);
}

/** Signs with the client secret as a key. A client that trusts the header's alg would accept it. */
function signedBySecret(claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(SECRET));
}

test.concurrent("a provider that behaves signs its user in", async () => {
  const { view, provider } = await attempt({ idToken: { sub: "good 1" }, userinfo: { sub: "good 1" } });
  expect(answerOf(view).code).toBeString();
  expect(provider.calls.map(({ path }) => path)).toEqual([
    "/.well-known/openid-configuration",
    "/token",
    "/jwks",
    "/me",
  ]);
});

describe.concurrent("an id_token is rejected", () => {
  test.each<[string, Behaviour]>([
    ["with another nonce", { idToken: { nonce: "x".repeat(43) } }],
    ["without a nonce", { idToken: { nonce: undefined } }],
    ["of another issuer", { idToken: { iss: "https://evil.example" } }],
    ["for another client", { idToken: { aud: "another client" } }],
    ["for several clients, of whom we are not the authorized one", { idToken: { aud: ["gatehouse", "x"], azp: "x" } }],
    ["that has expired", { idToken: { exp: seconds(-60), iat: seconds(-120) } }],
    ["without an expiry", { idToken: { exp: undefined } }],
    ["without a subject", { idToken: { sub: undefined } }],
    ["with an empty subject", { idToken: { sub: "" } }],
    ["that nobody has signed", { sign: unsigned }],
    [
      "that nobody has signed, where the metadata allow that",
      {
        sign: unsigned,
        metadata: { id_token_signing_alg_values_supported: ["none", "RS256"] },
      },
    ],
    [
      "signed by the client secret",
      {
        sign: signedBySecret,
        metadata: { id_token_signing_alg_values_supported: ["HS256", "RS256"] },
      },
    ],
    ["signed by a key that is not the provider's", { sign: signedByOther }],
    ["that is missing", { sign: async () => undefined }],
    ["that is none", { sign: async () => "x.y.z" }],
  ])("%s", async (_, behaviour) => {
    await expectRefused(behaviour, UNTRUSTED);
  });

  test("a clock that is 20 s wrong is accepted", async () => {
    const { view } = await attempt({
      idToken: { iat: seconds(20), exp: seconds(-20), sub: "good 2" },
      userinfo: { sub: "good 2" },
    });
    expect(answerOf(view).code).toBeString();
  });

  test("a key that was just rotated is found at once", async () => {
    await using provider = await startForgedProvider();
    const tenant = await newUpstreamTenant({ Issuer: provider.issuer });
    for (let turn = 0; turn < 3; turn++) {
      const visitor = new Visitor();
      const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
      expect(answerOf(await visitor.open(sentBack(provider, location))).code).toBeString();
      await provider.rotate();
    }
  });
});

describe.concurrent("a provider's answer is rejected", () => {
  test.each<[string, Behaviour, Record<string, string | undefined>]>([
    ["that names another issuer", {}, { iss: "https://evil.example" }],
    ["without the issuer it promises", { metadata: { authorization_response_iss_parameter_supported: true } }, {}],
    ["without a code", {}, { code: undefined }],
    ["with claims of another user", { userinfo: { sub: "another" } }, {}],
    ["with a code that it does not know", {}, { code: "x" }],
  ])("%s", async (what, behaviour, more) => {
    const answers = what.includes("does not know")
      ? { "/token": () => Response.json({ error: "invalid_grant" }, { status: 400 }) }
      : undefined;
    await expectRefused({ ...behaviour, answers }, UNTRUSTED, more);
  });

  test("the announced issuer is accepted", async () => {
    await using provider = await startForgedProvider({
      metadata: { authorization_response_iss_parameter_supported: true },
    });
    const tenant = await newUpstreamTenant({ Issuer: provider.issuer });
    const visitor = new Visitor();
    const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
    const view = await visitor.open(sentBack(provider, location, { iss: provider.issuer }));
    expect(answerOf(view).code).toBeString();
  });
});

const failing = (path: string, status = 500): Behaviour => ({
  answers: { [path]: () => new Response("<h1>Oops</h1>", { status }) },
});
const METADATA = "/.well-known/openid-configuration";

/** JSON that no reader with a stack can read. */
function nested(members: string): Response {
  const lists = `${"[".repeat(120_000)}${"]".repeat(120_000)}`;
  return new Response(`{${members},"x":${lists}}`, { headers: { "content-type": "application/json" } });
}

function nestedMetadata({ url }: Request): Response {
  const issuer = url.replace(METADATA, "");
  const endpoints = { authorization_endpoint: "authorize", token_endpoint: "token", jwks_uri: "jwks" };
  const members = Object.entries({ issuer: "", ...endpoints }).map(([name, path]) => [
    name,
    path && `${issuer}/${path}`,
  ]);
  return nested(JSON.stringify({ ...Object.fromEntries(members), issuer }).slice(1, -1));
}

describe.concurrent("users see an error and other ways to sign in when", () => {
  test.each<[string, Behaviour, string]>([
    ["the metadata fail", failing(METADATA), UNAVAILABLE],
    ["there are no metadata", failing(METADATA, 404), MISCONFIGURED],
    ["the metadata belong to a different issuer", { metadata: { issuer: "https://evil.example" } }, MISCONFIGURED],
    ["the metadata lack the keys", { metadata: { jwks_uri: undefined } }, MISCONFIGURED],
    ["the issuer is no address", { metadata: { issuer: "nowhere" } }, MISCONFIGURED],
    [
      "no algorithm is known",
      { metadata: { id_token_signing_alg_values_supported: ["HS256", "none"] } },
      MISCONFIGURED,
    ],
    ["the algorithms are no list", { metadata: { id_token_signing_alg_values_supported: "RS256" } }, MISCONFIGURED],
    [
      "the ways to show the secret are no list",
      { metadata: { token_endpoint_auth_methods_supported: 5 } },
      MISCONFIGURED,
    ],
    ["the browser is to be sent to a script", { metadata: { authorization_endpoint: "javascript:1" } }, MISCONFIGURED],
    ["the token endpoint fails", failing("/token"), UNAVAILABLE],
    ["the token endpoint is asked too much", failing("/token", 429), UNAVAILABLE],
    ["the keys fail", failing("/jwks", 503), UNAVAILABLE],
    ["userinfo fails", failing("/me"), UNAVAILABLE],
    [
      "the client is not known there",
      {
        answers: { "/token": () => Response.json({ error: "invalid_client" }, { status: 401 }) },
      },
      MISCONFIGURED,
    ],
    ["an address is none", { metadata: { token_endpoint: "nowhere" } }, MISCONFIGURED],
    ["the keys' address is none", { metadata: { jwks_uri: "nowhere" } }, MISCONFIGURED],
    ["userinfo is not https", { metadata: { userinfo_endpoint: "http://localhost/me" } }, MISCONFIGURED],
    ["the metadata are nested deeply", { answers: { [METADATA]: nestedMetadata } }, MISCONFIGURED],
    ["the keys are nested deeply", { answers: { "/jwks": () => nested('"keys":[]') } }, MISCONFIGURED],
    ["the tokens are nested deeply", { answers: { "/token": () => nested('"access_token":"a"') } }, MISCONFIGURED],
    ["userinfo is nested deeply", { answers: { "/me": () => nested('"sub":"somebody"') } }, MISCONFIGURED],
    ["an answer is endless", { answers: { "/jwks": () => new Response("x".repeat(300 * 1024)) } }, UNAVAILABLE],
    ["an answer is not of the protocol", { answers: { "/token": () => Response.json(["x"]) } }, UNTRUSTED],
    ["it does not answer in time", { answers: { "/token": () => new Promise<Response>(() => {}) } }, UNAVAILABLE],
  ])("%s", async (_, behaviour, says) => {
    await expectRefused(behaviour, says);
  });

  test.each([
    ["access_denied", DECLINED],
    ["temporarily_unavailable", UNAVAILABLE],
    ["invalid_scope", MISCONFIGURED],
  ])("it returns them with %s", async (error, says) => {
    await expectRefused({}, says, { code: undefined, error, error_description: "<b>evil</b>" });
  });

  test("it does not answer", async () => {
    const provider = await startForgedProvider();
    await provider[Symbol.asyncDispose]();
    const view = await begin(new Visitor(), provider.issuer);
    expect(view).toMatchObject({ status: 502, heading: "Sign-in did not work" });
    expect(view.html).toContain(UNAVAILABLE);
  });

  test("and the password still works", async () => {
    const { view, visitor } = await attempt(failing("/token"));
    const page = await visitor.open(linksOf(view)[1]!.href);
    expect(answerOf(await tenant.client.goThrough(visitor, page)).code).toBeString();
  });
});
