// Rules of a provider's settings: client authentication, algorithms, and permitted users.

import { describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { unique, until } from "../world/api.ts";
import { answerOf, carrying } from "../world/client.ts";
import { type Behaviour, type ForgedProvider, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { addProvider, linksOf, newUpstreamTenant, tested, toProvider, type UpstreamTenant } from "../world/provider.ts";
import { type View, Visitor } from "../world/visitor.ts";

type Fields = Record<string, unknown>;

/** A complete sign-in. */
async function signIn(provider: ForgedProvider, { client }: UpstreamTenant): Promise<View> {
  const visitor = new Visitor();
  const location = await toProvider(visitor, await visitor.open(client.authorize()));
  return visitor.open(sentBack(provider, location));
}

const atForged = ({ issuer }: ForgedProvider, more: Fields = {}) =>
  newUpstreamTenant({ Issuer: issuer, ClientSecret: "a secret", ...more });

describe.concurrent("a token endpoint with one authentication method", () => {
  const METHODS = ["client_secret_basic", "client_secret_post"] as const;

  test.each(METHODS)("by its metadata, %s, is authenticated to in that way", async (takes) => {
    await using provider = await startForgedProvider({
      takes,
      metadata: { token_endpoint_auth_methods_supported: ["private_key_jwt", takes] },
    });
    const tenant = await atForged(provider);
    expect((await tested(tenant)).Works).toBe(true);
    expect(answerOf(await signIn(provider, tenant)).code).toBeString();
  });

  test.each(METHODS)("%s, with metadata that do not say so, is authenticated to as configured", async (takes) => {
    await using provider = await startForgedProvider({ takes });
    const tenant = await atForged(provider, { TokenEndpointAuthMethod: takes });
    expect(tenant.provider.TokenEndpointAuthMethod).toBe(takes);
    expect((await tested(tenant)).Works).toBe(true);
    expect(answerOf(await signIn(provider, tenant)).code).toBeString();
  });

  test("that differs from the configured one is reported as that, not as a wrong secret", async () => {
    await using provider = await startForgedProvider({ takes: "client_secret_post" });
    const tenant = await atForged(provider);
    const { Works, Checks } = await tested(tenant);
    expect(Works).toBe(false);
    expect(Checks.at(-1)).toEqual({
      Name: "Client",
      Outcome: "Failed",
      Message:
        "The token endpoint accepts the ClientId and its secret by client_secret_post, and not by client_secret_basic: " +
        "set TokenEndpointAuthMethod to client_secret_post.",
    });
    await tenant.caller.made("IdentityProvider", { Id: tenant.provider.Id, ClientSecret: "wrong" });
    expect((await tested(tenant)).Checks.at(-1)!.Message).toContain("The ClientId or its secret is wrong");
  });

  test("that is not supported is reported", async () => {
    await using provider = await startForgedProvider({
      metadata: { token_endpoint_auth_methods_supported: ["private_key_jwt"] },
    });
    const { Checks } = await tested(await atForged(provider));
    expect(Checks.at(-1)!.Message).toBe(
      "The token endpoint cannot be used: the token endpoint takes neither client_secret_basic nor client_secret_post.",
    );
  });
});

describe.concurrent("an id_token", () => {
  const ALGS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];

  test.each(ALGS)("signed with %s is accepted if the metadata list it, and the test detects it", async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg, use: "sig", kid: "one" };
    await using provider = await startForgedProvider({
      metadata: { id_token_signing_alg_values_supported: [alg] },
      answers: { "/jwks": () => Response.json({ keys: [jwk] }) },
      sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg, kid: "one" }).sign(privateKey),
    });
    const tenant = await atForged(provider);
    const { Works, Checks } = await tested(tenant);
    expect(Works).toBe(true);
    expect(Checks[1]!.Message).toBe(`1 key verifies id_tokens: ${alg}.`);
    expect(answerOf(await signIn(provider, tenant)).code).toBeString();
  });

  test("with an algorithm that does not fit the keys is detected by the test", async () => {
    await using provider = await startForgedProvider({
      metadata: { id_token_signing_alg_values_supported: ["PS256", "HS256", "none"] },
    });
    const { Works, Checks } = await tested(await atForged(provider));
    expect(Works).toBe(false);
    expect(Checks[1]!.Message).toBe("Its keys cannot be used: none of the 1 is for PS256.");
  });
});

describe.concurrent("an issuer with another name", () => {
  test("is reported by the test", async () => {
    await using provider = await startForgedProvider({ metadata: { issuer: "https://other.example/realm" } });
    const { Checks } = await tested(await atForged(provider));
    expect(Checks).toEqual([
      {
        Name: "Metadata",
        Outcome: "Failed",
        Message: `The metadata belong to the issuer https://other.example/realm. If that is correct, set Issuer to it, and MetadataUri to ${provider.issuer}/.well-known/openid-configuration.`,
      },
    ]);
  });

  test("that differs by a final slash is a different one", async () => {
    const behaviour: Behaviour = {};
    await using provider = await startForgedProvider(behaviour);
    const tenant = await atForged(provider);
    behaviour.metadata = { issuer: `${provider.issuer}/` };
    expect((await tested(tenant)).Checks[0]!.Message).toBe(
      `The metadata belong to the issuer ${provider.issuer}/, with a slash at its end. If that is correct, set Issuer to it.`,
    );
    behaviour.metadata = {};
    await tenant.caller.made("IdentityProvider", {
      Id: tenant.provider.Id,
      Issuer: `${provider.issuer}/`,
      ClientSecret: "a secret",
    });
    expect((await tested(tenant)).Checks[0]!.Message).toContain("without a slash at its end");
  });
});

describe.concurrent("a provider that is down", () => {
  test.each(["OpenIDConnect", "OAuth2"])("of Type %s gets no redirects, also for seconds afterwards", async (Type) => {
    // Plain OAuth 2.0 has no id_token.
    const provider = await startForgedProvider(Type === "OAuth2" ? { sign: async () => undefined } : {});
    const { issuer } = provider;
    const endpoints = {
      Issuer: null,
      AuthorizationEndpoint: `${issuer}/authorize`,
      TokenEndpoint: `${issuer}/token`,
      UserinfoEndpoint: `${issuer}/me`,
    };
    const tenant = await atForged(provider, { Type, ...(Type === "OAuth2" ? endpoints : {}) });
    expect(answerOf(await signIn(provider, tenant)).code).toBeString();
    await provider[Symbol.asyncDispose]();
    const visitor = new Visitor();
    const [link] = linksOf(await visitor.open(tenant.client.authorize()));
    const view = await until("it to be asked again", async () => {
      const shown = await visitor.open(link!.href);
      return shown.location === undefined && shown;
    });
    expect({ status: view.status, heading: view.heading }).toEqual({ status: 502, heading: "Sign-in did not work" });
    expect(view.html).toContain("Try again later; if the problem persists, tell the administrator of the application.");
    expect(linksOf(view).map(({ text }) => text)).toEqual(["Try again", "Sign in another way"]);
  });
});

describe.concurrent("the provisioning rules", () => {
  const ANA = { email: "ana@example.com", email_verified: true };

  test.each<[string, Fields, Fields, boolean]>([
    ["anybody without a rule", {}, {}, true],
    ["who has an address at a domain", { AllowedDomains: ["Example.com"] }, ANA, true],
    ["nobody of another domain", { AllowedDomains: ["example.com"] }, { ...ANA, email: "ana@evil.com" }, false],
    ["nobody of a domain below", { AllowedDomains: ["example.com"] }, { ...ANA, email: "a@x.example.com" }, false],
    [
      "nobody whose domain is only in the name",
      { AllowedDomains: ["example.com"] },
      { ...ANA, email: "example.com@evil.com" },
      false,
    ],
    [
      "nobody with two domains",
      { AllowedDomains: ["example.com"] },
      { ...ANA, email: "a@evil.com@example.com" },
      false,
    ],
    [
      "nobody with two addresses",
      { AllowedDomains: ["example.com"] },
      { ...ANA, email: "a@b.com,c@example.com" },
      false,
    ],
    ["nobody with an address that is not verified", { AllowedDomains: ["example.com"] }, { email: ANA.email }, false],
    ["nobody without an address", { AllowedDomains: ["example.com"] }, {}, false],
    ["who is of an organisation at Google", { AllowedTenants: ["example.com"] }, { hd: "example.com" }, true],
    ["who is of an organisation at Microsoft", { AllowedTenants: ["a-b"] }, { tid: "a-b" }, true],
    ["nobody of another organisation", { AllowedTenants: ["a-b"] }, { tid: "c-d", hd: "evil.com" }, false],
    ["nobody of no organisation", { AllowedTenants: ["a-b"] }, ANA, false],
    ["who has a verified address", { RequireVerifiedEmail: true }, ANA, true],
    ["nobody without one", { RequireVerifiedEmail: true }, { email: ANA.email }, false],
    ["nobody who keeps one rule of two", { AllowedDomains: ["example.com"], AllowedTenants: ["a"] }, ANA, false],
  ])("apply: the user is %s", async (_, rules, claims, comesIn) => {
    await using provider = await startForgedProvider({ idToken: claims, userinfo: claims });
    const tenant = await atForged(provider, rules);
    const view = await signIn(provider, tenant);
    const { body } = await tenant.caller.get("/User");
    expect(body.Items).toHaveLength(comesIn ? 2 : 1);
    if (comesIn) return expect(answerOf(view).code).toBeString();
    expect({ status: view.status, heading: view.heading }).toEqual({ status: 403, heading: "Sign-in did not work" });
    expect(view.html).toContain("is not accepted here");
    const { body: log } = await tenant.caller.get("/AuditEvent?Kind=SignIn.Failed");
    expect(log.Items[0].Details.Reason).toBe("NotAllowed");
  });

  test.each<[string, Fields]>([
    ["AllowedDomains", { AllowedDomains: ["example.com"] }],
    ["AllowedTenants", { AllowedTenants: ["a-b"] }],
    ["RequireVerifiedEmail", { RequireVerifiedEmail: true }],
  ])("are not revealed to a user excluded by %s: taken and free names look alike", async (_, rules) => {
    await using provider = await startForgedProvider({});
    const tenant = await atForged(provider, { ...rules, Mapping: { Username: "login", External_Id: "number" } });
    await tenant.caller.patch("/User", { Username: "taken", External_Id: "HR-1" });
    const pages: string[] = [];
    for (const claims of [{ login: "taken" }, { login: "free" }, { number: "HR-1" }, { number: "HR-2" }, {}]) {
      const told = { sub: unique("sub"), ...claims };
      Object.assign(provider.behaviour, { idToken: told, userinfo: told });
      const view = await signIn(provider, tenant);
      expect({ status: view.status, heading: view.heading }).toEqual({
        status: 403,
        heading: "Sign-in did not work",
      });
      pages.push(view.html.replace(/request=[^"]*|RequestKey [\w-]+/g, ""));
    }
    expect(new Set(pages).size).toBe(1);
  });

  test("are required at public providers", async () => {
    const { caller } = await newUpstreamTenant({ Issuer: "https://id.example.com" });
    const at = (Issuer: string, more: Fields = {}) =>
      caller.patch("/IdentityProvider", {
        ...{ Name: unique("public"), Type: "OpenIDConnect", ClientId: "us", Provisioning: "Create" },
        ...{ Issuer, ...more },
      });
    const open = [
      ...["https://accounts.google.com", "https://appleid.apple.com", "https://gitlab.com", "https://www.facebook.com"],
      ...["https://login.microsoftonline.com/common/v2.0", "https://login.microsoftonline.com/organizations/v2.0"],
      ...["https://login.microsoftonline.com/consumers/v2.0", "https://accounts.google.com."],
      "https://sts.windows.net/9188040d-6c67-4c5b-b112-36a304b66dad/",
    ];
    for (const issuer of open) {
      const refused = await at(issuer);
      expect({ issuer, status: refused.status }).toEqual({ issuer, status: 400 });
      expect(refused.body.Errors.join(" ")).toContain("needs AllowedDomains or AllowedTenants");
      expect((await at(issuer, { RequireVerifiedEmail: true })).status).toBe(400);
      for (const rule of [
        { AllowedDomains: ["example.com"] },
        { AllowedTenants: ["a-b"] },
        { Provisioning: "LinkOnly" },
      ]) {
        expect((await at(issuer, rule)).status).toBe(200);
      }
    }
    for (const issuer of [
      "https://login.microsoftonline.com/0a1b/v2.0",
      "https://notgoogle.com",
      "https://id.example.org",
    ]) {
      expect((await at(issuer)).status).toBe(200);
    }
    const github = await at("", {
      ...{ Type: "OAuth2", Issuer: null, UserinfoEndpoint: "https://api.github.com/user" },
      AuthorizationEndpoint: "https://github.com/login/oauth/authorize",
      TokenEndpoint: "https://github.com/login/oauth/access_token",
    });
    expect(github.body.Errors.join(" ")).toContain("anyone can register at github.com");
  });

  test.each<[Fields, RegExp]>([
    [{ AllowedDomains: "example.com" }, /AllowedDomains/],
    [{ AllowedDomains: ["@example.com"] }, /AllowedDomains/],
    [{ AllowedDomains: ["localhost"] }, /AllowedDomains/],
    [{ AllowedTenants: [""] }, /AllowedTenants/],
    [{ AllowedTenants: [1] }, /AllowedTenants/],
    [{ AllowedDomains: Array(51).fill("example.com") }, /AllowedDomains/],
    [{ RequireVerifiedEmail: "yes" }, /RequireVerifiedEmail/],
    [{ TokenEndpointAuthMethod: "none" }, /TokenEndpointAuthMethod/],
  ])("reject %p", async (fields, says) => {
    const { caller } = await newUpstreamTenant({ Issuer: "https://id.example.com" });
    const { status, body } = await caller.patch("/IdentityProvider", { Name: "Example ID", ...fields });
    expect(status).toBe(400);
    expect(body.Errors.join(" ")).toMatch(says);
  });
});

test("a new provider is inactive: it is on no page, and no user signs in by it", async () => {
  await using provider = await startForgedProvider();
  const tenant = await atForged(provider, { Is_Active: undefined });
  expect(tenant.provider.Is_Active).toBe(false);
  const visitor = new Visitor();
  const page = await visitor.open(tenant.client.authorize());
  expect(linksOf(page)).toEqual([]);
  const { client } = tenant;
  const straight = carrying(`/signin/upstream/${tenant.provider.Id}`, client.authorize());
  expect((await visitor.open(straight)).status).toBe(403);
  // It can be tested while it is off.
  expect((await tested(tenant)).Works).toBe(true);
  await addProvider(tenant.caller, { Is_Active: true });
  expect(linksOf(await visitor.open(tenant.client.authorize()))).toHaveLength(1);
  expect(answerOf(await signIn(provider, tenant)).code).toBeString();
});
