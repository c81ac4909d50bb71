// POST …/IdentityProvider/{Id}/Test: checks of a provider without a user.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { kindsOf } from "../world/audit.ts";
import { type Behaviour, startForgedProvider } from "../world/forged-provider.ts";
import { newRealTenant, newUpstreamTenant, startRealProvider, tested } from "../world/provider.ts";

const real = closedAfterAll(await startRealProvider());

const HTML = { headers: { "content-type": "text/html" } };

async function testedForged(behaviour: Behaviour, fields: Record<string, unknown> = {}) {
  await using provider = await startForgedProvider(behaviour);
  return await tested(await newUpstreamTenant({ Issuer: provider.issuer, ClientSecret: "a secret", ...fields }));
}

describe.concurrent("a test of an identity provider", () => {
  test("passes where a sign-in would, changes nothing, and works for inactive providers", async () => {
    const tenant = await newRealTenant(real, { Is_Active: false });
    const before = await kindsOf(tenant.caller);
    expect(await tested(tenant)).toEqual({
      Works: true,
      Checks: [
        { Name: "Metadata", Outcome: "Passed", Message: "The issuer's metadata can be used." },
        { Name: "Keys", Outcome: "Passed", Message: "3 keys verify id_tokens: RS256, ES256, EdDSA." },
        { Name: "Client", Outcome: "Passed", Message: "The token endpoint accepts the ClientId and its secret." },
      ],
    });
    expect(await kindsOf(tenant.caller)).toEqual(before);
  });

  test("finds a wrong secret, and an unknown ClientId", async () => {
    for (const wrong of [{ ClientSecret: "wrong" }, { ClientId: "wrong" }]) {
      const tenant = await newRealTenant(real);
      await tenant.caller.made("IdentityProvider", { Id: tenant.provider.Id, ...wrong });
      const { Works, Checks } = await tested(tenant);
      expect(Works).toBe(false);
      const Message = "The ClientId or its secret is wrong: an endpoint answered 401.";
      expect(Checks[2]).toEqual({ Name: "Client", Outcome: "Failed", Message });
    }
  });

  test("of plain OAuth 2.0 calls the token and the userinfo endpoint", async () => {
    const plain = {
      Type: "OAuth2",
      Issuer: null,
      AuthorizationEndpoint: `${real.issuer}/auth`,
      TokenEndpoint: `${real.issuer}/token`,
      UserinfoEndpoint: `${real.issuer}/me`,
    };
    const tenant = await newRealTenant(real, plain);
    const { Works, Checks } = await tested(tenant);
    expect({ Works, checks: Checks.map(({ Name, Outcome }) => [Name, Outcome]) }).toEqual({
      Works: true,
      checks: [
        ["Client", "Passed"],
        ["Userinfo", "Passed"],
      ],
    });
    await tenant.caller.made("IdentityProvider", { Id: tenant.provider.Id, UserinfoEndpoint: `${real.issuer}/none` });
    const { Checks: wrong } = await tested(tenant);
    expect(wrong[1]).toMatchObject({
      Outcome: "Failed",
      Message: "The userinfo endpoint cannot be used: it answered 404.",
    });
  });

  test.each<[string, Behaviour, [string, string]]>([
    [
      "metadata of another issuer",
      { metadata: { issuer: "https://evil.example" } },
      ["Metadata", "belong to the issuer https://evil.example."],
    ],
    [
      "metadata that fail",
      { answers: { "/.well-known/openid-configuration": () => new Response("x", { status: 503 }) } },
      ["Metadata", "cannot be used: an endpoint answered 503."],
    ],
    [
      "a page in place of metadata",
      { answers: { "/.well-known/openid-configuration": () => new Response("<h1>Hello", HTML) } },
      ["Metadata", "cannot be used: an endpoint answered 200, but no JSON."],
    ],
    ["keys that are not there", { answers: { "/jwks": () => new Response("x", { status: 404 }) } }, ["Keys", "404"]],
    ["no keys", { answers: { "/jwks": () => Response.json({}) } }, ["Keys", "their address returned no key set"]],
    [
      "keys of no use",
      {
        answers: {
          "/jwks": () =>
            Response.json({ keys: [{ kty: "RSA", use: "enc" }, { kty: "oct" }, { kty: { toString: null } }, null, 1] }),
        },
      },
      ["Keys", "none of the 3 is for RS256"],
    ],
    ["keys inside the network", { metadata: { jwks_uri: "https://169.254.169.254/jwks" } }, ["Keys", "EGRESS_DENY"]],
    [
      "an address that is none",
      { metadata: { jwks_uri: "nowhere" } },
      ["Metadata", "jwks_uri is not an https address"],
    ],
    [
      "a token endpoint that fails",
      { answers: { "/token": () => new Response("x", { status: 500 }) } },
      ["Client", "cannot be used: an endpoint answered 500."],
    ],
  ])("detects %s", async (_, behaviour, [name, says]) => {
    const { Works, Checks } = await testedForged(behaviour);
    expect(Works).toBe(false);
    const failures = Checks.filter(({ Outcome }) => Outcome === "Failed");
    expect(failures).toEqual([{ Name: name, Outcome: "Failed", Message: expect.stringContaining(says) }]);
    if (name === "Metadata") expect(Checks).toHaveLength(1);
    expect(JSON.stringify(Checks)).not.toContain("a secret");
  });

  test("does not mention a secret if none was given", async () => {
    const invalid = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    const taken = await testedForged({ answers: { "/token": invalid } }, { ClientSecret: null });
    expect(taken.Checks[2]).toMatchObject({ Outcome: "Passed", Message: "The token endpoint accepts the ClientId." });
    const refused = await testedForged({ takes: "client_secret_post" }, { ClientSecret: null });
    expect(refused.Checks[2]).toMatchObject({
      Outcome: "Failed",
      Message: "The ClientId is wrong, or requires a secret: the token endpoint answered 401 invalid_client.",
    });
  });

  test("reports an unclear answer as unclear", async () => {
    const { Works, Checks } = await testedForged({ answers: { "/token": () => Response.json({}, { status: 400 }) } });
    expect(Works).toBe(true);
    expect(Checks[2]).toMatchObject({ Name: "Client", Outcome: "Unknown" });
  });

  test.each([
    ["bad_verification_code", "Passed"],
    ["invalid_code", "Passed"],
    ["incorrect_client_credentials", "Failed"],
    ["bad_client_secret", "Failed"],
  ])("recognises %s, which some send with status 200", async (error, Outcome) => {
    const { Checks } = await testedForged({ answers: { "/token": () => Response.json({ ok: false, error }) } });
    expect(Checks[2]).toMatchObject({ Name: "Client", Outcome });
  });

  test("reports that the provider does not answer", async () => {
    const provider = await startForgedProvider();
    await provider[Symbol.asyncDispose]();
    const { Checks } = await tested(await newUpstreamTenant({ Issuer: provider.issuer }));
    expect(Checks).toEqual([
      { Name: "Metadata", Outcome: "Failed", Message: expect.stringContaining("refused the connection") },
    ]);
  });

  test("requires settings scopes and an existing provider", async () => {
    const { caller, provider } = await newRealTenant(real);
    const reader = await caller.withScope("Settings:Read");
    expect((await reader.send("POST", `/IdentityProvider/${provider.Id}/Test`)).status).toBe(403);
    for (const id of ["1", "x"]) expect((await caller.send("POST", `/IdentityProvider/${id}/Test`)).status).toBe(404);
    expect((await caller.get(`/IdentityProvider/${provider.Id}/Test`)).status).toBe(405);
  });
});
