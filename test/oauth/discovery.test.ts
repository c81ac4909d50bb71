import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { DEVICE_GRANT, EXCHANGE_GRANT } from "../../server/identity/oauth/contract.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { ok } from "../world/api.ts";
import { newTenant, request, shared } from "../world/tenant.ts";

const PATHS = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"];

test("a base path has its metadata below it and, by RFC 8414 3.1, before it", async () => {
  await using app = startPrivateApp({ publicUrl: "https://example.com/id" });
  for (const path of PATHS.flatMap((one) => [one, `${one}/id`])) {
    const answer = await fetch(app.url + path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      issuer: "https://example.com/id",
      token_endpoint: "https://example.com/id/oauth2/token",
    });
  }
  expect((await fetch(`${app.url}${PATHS[1]}/other`)).status).toBe(404);
});

const METHODS = ["client_secret_basic", "client_secret_post", "private_key_jwt"];
const JWKS = "/.well-known/jwks.json";

const client = await newTenant();

describe.each(PATHS)("%s", (path) => {
  test("meets OIDC Discovery 3 and RFC 8414 2 for the RFC door", async () => {
    const answer = await request("GET", path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    const issuer = String(decodeJwt(client.token).iss);
    expect(answer.body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/oauth2/token`,
      userinfo_endpoint: `${issuer}/oauth2/userinfo`,
      jwks_uri: `${issuer}${JWKS}`,
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      introspection_endpoint: `${issuer}/oauth2/introspect`,
      pushed_authorization_request_endpoint: `${issuer}/oauth2/par`,
      device_authorization_endpoint: `${issuer}/oauth2/device_authorization`,
      require_pushed_authorization_requests: false,
      end_session_endpoint: `${issuer}/oauth2/logout`,
      response_types_supported: ["code", "code id_token"],
      response_modes_supported: ["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"],
      authorization_signing_alg_values_supported: ["RS256", "ES256", "EdDSA"],
      grant_types_supported: [
        "authorization_code",
        "client_credentials",
        "refresh_token",
        DEVICE_GRANT,
        EXCHANGE_GRANT,
      ],
      subject_types_supported: ["public", "pairwise"],
      token_endpoint_auth_methods_supported: [...METHODS, "none"],
      token_endpoint_auth_signing_alg_values_supported: ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"],
      introspection_endpoint_auth_methods_supported: METHODS,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: true,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
    });
    expect(answer.body.id_token_signing_alg_values_supported).toContain("RS256");
    expect(answer.body.scopes_supported).toContain("openid");
    expect(answer.body.claims_supported).toEqual(
      expect.arrayContaining(["sub", "email_verified", "phone_number_verified"]),
    );
    expect(answer.body.scopes_supported).toContain("address");
    expect(answer.body.claims_supported).toContain("address");
  });

  test("is read-only", async () => {
    const answer = await request("POST", path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, HEAD");
  });
});

test("every algorithm that is advertised has a published key as soon as a client uses it", async () => {
  const { body: metadata } = await request("GET", PATHS[0]!);
  const admin = await newTenant();
  const algs = Object.entries<string[]>(metadata).flatMap(([name, values]) =>
    /^(id_token|userinfo|introspection|authorization)_signing_alg_values_supported$/.test(name) ? values : [],
  );
  for (const IdTokenAlg of new Set(algs)) {
    await ok(admin.patch(`/Application/${admin.clientId}/Credentials`, { IdTokenAlg }));
  }
  const { body } = await request("GET", JWKS);
  const published = body.keys.map((key: { alg: string }) => key.alg);
  expect(published).toEqual(expect.arrayContaining(algs));
  for (const key of body.keys) {
    expect(key).toMatchObject({ kid: expect.any(String), use: "sig" });
    for (const secret of ["d", "p", "q", "dp", "dq", "qi", "k"]) expect(key).not.toHaveProperty(secret);
  }
});

describe("an application in a browser of another origin", () => {
  const origin = { origin: "https://spa.example.com" };

  test.each([...PATHS, JWKS])("can read %s", async (path) => {
    const method = "GET";
    const preflight = await fetch(shared().url + path, {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toBe(method);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization");
    const answer = await fetch(shared().url + path, { method, headers: origin });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });
});
