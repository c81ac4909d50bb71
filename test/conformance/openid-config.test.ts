// OpenID certification of Config OP: oidcc-discovery-endpoint-verification, one test for each requirement, and the
// checks of the JWKS at the start of every module. The suite requires https throughout, so this Gatehouse has an https
// PUBLIC_URL.

import { afterAll, describe, expect, test } from "bun:test";
import { importJWK, type JWK } from "jose";
import { startPrivateApp } from "../support/private-app.ts";

const ISSUER = "https://id.example";

const app = startPrivateApp({ publicUrl: ISSUER });
const metadata = await (await fetch(`${app.url}/.well-known/openid-configuration`)).json();
afterAll(() => app[Symbol.asyncDispose]());

describe("oidcc-discovery-endpoint-verification", () => {
  test("EnsureDiscoveryEndpointResponseStatusCodeIs200, CheckDiscoveryEndpointReturnedJsonContentType", async () => {
    const answer = await fetch(`${app.url}/.well-known/openid-configuration`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  test("CheckDiscEndpointIssuer: the discovery URL starts with it, and it is a plain https address", () => {
    expect(metadata.issuer).toBe(ISSUER);
  });

  test.each([
    "authorization_endpoint",
    "token_endpoint",
    "userinfo_endpoint",
    "jwks_uri",
    "end_session_endpoint",
    "revocation_endpoint",
    "introspection_endpoint",
    "pushed_authorization_request_endpoint",
    "device_authorization_endpoint",
    "registration_endpoint",
  ])("CheckDiscEndpointAllEndpointsAreHttps: %s is below the issuer", (name) => {
    expect(metadata[name]).toStartWith(`${ISSUER}/`);
    expect(new URL(metadata[name]).href).toBe(metadata[name]);
  });

  test("no other member is an address", () => {
    const addresses = Object.entries(metadata).filter(([, value]) => String(value).includes("://"));
    expect(addresses).toHaveLength(11);
  });

  test.each([
    ["response_types_supported", ["code", "code id_token"]],
    ["subject_types_supported", ["public"]],
    ["id_token_signing_alg_values_supported", ["RS256"]],
    ["scopes_supported", ["openid"]],
    ["claims_supported", ["sub", "iss"]],
    ["grant_types_supported", ["authorization_code"]],
    ["response_modes_supported", ["query", "fragment", "form_post"]],
    ["token_endpoint_auth_methods_supported", ["client_secret_basic", "client_secret_post"]],
    ["code_challenge_methods_supported", ["S256"]],
  ])("%s is a list of strings with %p", (name, demanded) => {
    expect(metadata[name]).toEqual(expect.arrayContaining(demanded));
    for (const value of metadata[name]) expect(value).toBeString();
    expect(new Set(metadata[name]).size).toBe(metadata[name].length);
  });

  test("CheckDiscEndpointScopesSupportedSyntax: scope tokens of RFC 6749 3.3", () => {
    for (const scope of metadata.scopes_supported) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test("CheckDiscEndpointLocalesSyntax", () => {
    expect(Intl.getCanonicalLocales(metadata.ui_locales_supported)).toEqual(metadata.ui_locales_supported);
  });

  test("unsupported features are declared: request objects unsigned or by reference, unsigned id_tokens", () => {
    expect(metadata.request_object_signing_alg_values_supported).not.toContain("none");
    // If it is absent, the default is true (OIDC Discovery 3).
    expect(metadata.request_uri_parameter_supported).toBe(false);
    expect(metadata.id_token_signing_alg_values_supported).not.toContain("none");
  });

  test("every listed endpoint exists", async () => {
    const names = Object.keys(metadata).filter((name) => name.endsWith("_endpoint") || name === "jwks_uri");
    const found = await Promise.all(
      names.map(async (name) => (await fetch(metadata[name].replace(ISSUER, app.url), { redirect: "manual" })).status),
    );
    expect(found).not.toContain(404);
  });
});

describe("the JWKS", () => {
  test("ValidateJwks, CheckForKeyIdInServerJWKs, CheckDistinctKeyIdValueInServerJWKs", async () => {
    const answer = await fetch(metadata.jwks_uri.replace(ISSUER, app.url));
    const { keys } = (await answer.json()) as { keys: JWK[] };
    const kids = keys.map(({ kid }) => kid);
    expect(new Set(kids).size).toBe(keys.length);
    for (const key of keys) {
      expect(["RSA", "EC", "OKP"]).toContain(key.kty!);
      expect(key.kid).toMatch(/./);
      for (const part of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]) expect(key).not.toHaveProperty(part);
      expect(await importJWK(key, key.alg)).toMatchObject({ type: "public" });
      if (key.kty === "RSA") expect(Buffer.from(key.n!, "base64url").length).toBeGreaterThanOrEqual(256);
    }
  });
});
