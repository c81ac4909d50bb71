// External client libraries against the running server.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { ok, until } from "../world/api.ts";
import { userFamily } from "../world/grants.ts";
import { newSigner, provesBy } from "../world/signer.ts";
import { newTenant } from "../world/tenant.ts";

const caller = await newTenant();
const issuer = String(decodeJwt(caller.token).iss);

describe("oauth4webapi", () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  test.each(["oidc", "oauth2"] as const)(
    "discovers, requests tokens, introspects and revokes by %s discovery",
    async (algorithm) => {
      const found = await oauth.discoveryRequest(new URL(issuer), { algorithm, ...insecure });
      const as = await oauth.processDiscoveryResponse(new URL(issuer), found);
      const client: oauth.Client = { client_id: caller.clientId };
      const authentication = oauth.ClientSecretBasic(caller.clientSecret);
      const granted = await oauth.clientCredentialsGrantRequest(
        as,
        client,
        authentication,
        { scope: "AccessManager:Read" },
        insecure,
      );
      const { access_token: token } = await oauth.processClientCredentialsResponse(as, client, granted);
      const asked = await oauth.introspectionRequest(as, client, authentication, token, insecure);
      expect(await oauth.processIntrospectionResponse(as, client, asked)).toMatchObject({
        active: true,
        scope: "AccessManager:Read",
      });
      const revoked = await oauth.revocationRequest(as, client, authentication, token, insecure);
      await oauth.processRevocationResponse(revoked);
      const again = await oauth.introspectionRequest(as, client, authentication, token, insecure);
      expect(await oauth.processIntrospectionResponse(as, client, again)).toEqual({ active: false });
    },
  );

  test("accepts our access token as a JWT access token (RFC 9068)", async () => {
    const found = await oauth.discoveryRequest(new URL(issuer), insecure);
    const as = await oauth.processDiscoveryResponse(new URL(issuer), found);
    const request = new Request("http://localhost/", { headers: { authorization: `Bearer ${caller.token}` } });
    const options = { ...insecure, signingAlgorithms: ["ES256"] };
    const claims = await oauth.validateJwtAccessToken(as, request, issuer, options);
    expect(claims.client_id).toBe(caller.clientId);
  });

  test("reads our errors", async () => {
    const found = await oauth.discoveryRequest(new URL(issuer), insecure);
    const as = await oauth.processDiscoveryResponse(new URL(issuer), found);
    const client: oauth.Client = { client_id: caller.clientId };
    const wrong = oauth.ClientSecretPost("wrong");
    const answer = await oauth.refreshTokenGrantRequest(as, client, wrong, "x", insecure);
    const failure = await oauth.processRefreshTokenResponse(as, client, answer).catch((error) => error);
    expect(failure).toBeInstanceOf(oauth.ResponseBodyError);
    expect(failure).toMatchObject({ error: "invalid_client", status: 401 });
  });
});

describe("with a private key", () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const CASES = ["ES256", "PS256", "EdDSA"];

  test.each(CASES)("oauth4webapi gets, introspects and revokes a token with %s", async (alg) => {
    const [own, signer] = await Promise.all([newTenant(), newSigner(alg)]);
    await provesBy(own, signer);
    const found = await oauth.discoveryRequest(new URL(issuer), insecure);
    const as = await oauth.processDiscoveryResponse(new URL(issuer), found);
    const client = { client_id: own.clientId };
    const authentication = oauth.PrivateKeyJwt({ key: signer.privateKey, kid: signer.jwk.kid! });
    const scope = { scope: "AccessManager:Read" };
    const granted = await oauth.clientCredentialsGrantRequest(as, client, authentication, scope, insecure);
    const { access_token: token } = await oauth.processClientCredentialsResponse(as, client, granted);
    const asked = await oauth.introspectionRequest(as, client, authentication, token, insecure);
    expect(await oauth.processIntrospectionResponse(as, client, asked)).toMatchObject({ active: true });
    const revoked = await oauth.revocationRequest(as, client, authentication, token, insecure);
    await oauth.processRevocationResponse(revoked);
  });

  test.each(CASES)("openid-client gets and introspects a token with %s", async (alg) => {
    const [own, signer] = await Promise.all([newTenant(), newSigner(alg)]);
    await provesBy(own, signer);
    const authentication = openid.PrivateKeyJwt({ key: signer.privateKey, kid: signer.jwk.kid! });
    const execute = [openid.allowInsecureRequests];
    const config = await openid.discovery(new URL(issuer), own.clientId, undefined, authentication, { execute });
    const tokens = await openid.clientCredentialsGrant(config, { scope: "AccessManager:Read" });
    expect((await openid.tokenIntrospection(config, tokens.access_token)).active).toBe(true);
  });
});

describe("openid-client", () => {
  test("registers itself with an initial access token, and requests tokens", async () => {
    const api = await newTenant();
    const settings = { ClientRegistration: "InitialAccessToken", RegistrationScopes: ["openid", "AccessManager:Read"] };
    await ok(api.patch("/TenantSettings", settings));
    const { Token } = await ok(api.call("POST", "/RegistrationToken", {}));
    const known = async () =>
      (
        await openid.discovery(new URL(issuer), "x", undefined, undefined, { execute: [openid.allowInsecureRequests] })
      ).serverMetadata();
    await until("discovery to name the endpoint", async () => (await known()).registration_endpoint);
    const metadata = { client_name: "Wages", grant_types: ["client_credentials"], redirect_uris: [] };
    const config = await openid.dynamicClientRegistration(new URL(issuer), metadata, undefined, {
      execute: [openid.allowInsecureRequests],
      initialAccessToken: Token,
    });
    const granted = await openid.clientCredentialsGrant(config, { scope: "AccessManager:Read" });
    expect(decodeJwt(granted.access_token)).toMatchObject({ client_id: config.clientMetadata().client_id });
  });

  const discover = (authentication: openid.ClientAuth) =>
    openid.discovery(new URL(issuer), caller.clientId, undefined, authentication, {
      execute: [openid.allowInsecureRequests],
    });

  test.each([
    ["client_secret_basic", openid.ClientSecretBasic],
    ["client_secret_post", openid.ClientSecretPost],
  ])("by %s gets, introspects and revokes a token", async (_, method) => {
    const config = await discover(method(caller.clientSecret));
    const tokens = await openid.clientCredentialsGrant(config, { scope: "openid AccessManager:Read" });
    expect(tokens.expiresIn()).toBeGreaterThan(3_500);
    expect((await openid.tokenIntrospection(config, tokens.access_token)).active).toBe(true);
    await openid.tokenRevocation(config, tokens.access_token);
    expect((await openid.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
  });

  test("refreshes a user's tokens and accepts the id_token", async () => {
    const config = await discover(openid.ClientSecretBasic(caller.clientSecret));
    const family = await userFamily(caller, issuer, ["openid", "profile"]);
    const tokens = await openid.refreshTokenGrant(config, family.refreshToken, { scope: "openid" });
    expect(tokens.claims()).toMatchObject({ sub: `user-${family.userId}`, auth_time: family.authTime });
    expect(tokens.scope).toBe("openid");
    const again = await openid.refreshTokenGrant(config, tokens.refresh_token!);
    await openid.tokenRevocation(config, again.refresh_token!);
    const failure = await openid.refreshTokenGrant(config, again.refresh_token!).catch((error) => error);
    expect(failure).toMatchObject({ error: "invalid_grant", status: 400 });
  });
});
