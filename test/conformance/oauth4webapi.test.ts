// The external library oauth4webapi completes a whole flow, with both discovery documents.

import { describe, expect, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { CALLBACK, type Client, issuer, newClient } from "../world/client.ts";
import { Visitor } from "../world/visitor.ts";
import { formRequest } from "./relying-party.ts";

const BYE = "https://app.example/bye";
const insecure = { [oauth.allowInsecureRequests]: true };

async function discover(algorithm: "oidc" | "oauth2" = "oidc"): Promise<oauth.AuthorizationServer> {
  const found = await oauth.discoveryRequest(new URL(issuer()), { algorithm, ...insecure });
  return oauth.processDiscoveryResponse(new URL(issuer()), found);
}

test.concurrent("a device polls until its user has answered, and then gets its tokens", async () => {
  const gatehouse = await newClient({ client_type: "native", grant_types: [DEVICE_GRANT] });
  const [as, client] = [await discover(), { client_id: gatehouse.id }];
  const scope = { scope: "openid" };
  const begun = await oauth.deviceAuthorizationRequest(as, client, oauth.None(), scope, insecure);
  const device = await oauth.processDeviceAuthorizationResponse(as, client, begun);
  const poll = async () => {
    const answer = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), device.device_code, insecure);
    return oauth.processDeviceCodeResponse(as, client, answer);
  };
  expect(await poll().catch((error) => error)).toMatchObject({ error: "authorization_pending", status: 400 });
  const browser = new Visitor();
  const page = await browser.submit(await browser.open("/device"), { user_code: device.user_code });
  const question = await browser.submit(page, gatehouse.tenant.admin);
  await browser.submit(question, { decision: "allow" });
  expect(oauth.getValidatedIdTokenClaims(await poll())!.aud).toBe(gatehouse.id);
});

/** Follows the authorization server's metadata through sign-in and consent. */
async function authorize(as: oauth.AuthorizationServer, client: Client, browser: Visitor, fields: [string, string][]) {
  const all = [["client_id", client.id], ["redirect_uri", CALLBACK], ...fields] as [string, string][];
  const path = `${new URL(as.authorization_endpoint!).pathname}?${new URLSearchParams(all)}`;
  return { path, view: await client.goThrough(browser, await browser.open(path)) };
}

describe.concurrent("by discovery of", () => {
  test.each(["oidc", "oauth2"] as const)(
    "%s: sign-in by code and PKCE, userinfo, refresh, introspection, revocation, logout",
    async (algorithm) => {
      const gatehouse = await newClient({ post_logout_redirect_uris: [BYE] });
      const browser = new Visitor();
      const as = await discover(algorithm);
      const client: oauth.Client = { client_id: gatehouse.id, require_auth_time: true };
      const authentication = oauth.ClientSecretPost(gatehouse.tenant.client.clientSecret);
      const [verifier, state, nonce] = [
        oauth.generateRandomCodeVerifier(),
        oauth.generateRandomState(),
        oauth.generateRandomNonce(),
      ];
      const { path, view } = await authorize(as, gatehouse, browser, [
        ["response_type", "code"],
        ["scope", "openid profile"],
        ["state", state],
        ["nonce", nonce],
        ["code_challenge", await oauth.calculatePKCECodeChallenge(verifier)],
        ["code_challenge_method", "S256"],
      ]);

      const callback = oauth.validateAuthResponse(as, client, view.location!, state);
      const granted = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authentication,
        callback,
        CALLBACK,
        verifier,
        insecure,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, granted, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(as, granted, insecure);
      const { sub } = oauth.getValidatedIdTokenClaims(tokens)!;
      const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
      expect(await oauth.processUserInfoResponse(as, client, sub, userinfo)).toMatchObject({ name: "Administrator" });

      const asked = await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token!, insecure);
      const refreshed = await oauth.processRefreshTokenResponse(as, client, asked);
      const seen = await oauth.introspectionRequest(as, client, authentication, refreshed.refresh_token!, insecure);
      expect(await oauth.processIntrospectionResponse(as, client, seen)).toMatchObject({ active: true, sub });

      const token = refreshed.refresh_token!;
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, authentication, token, insecure));
      const refused = await oauth.refreshTokenGrantRequest(as, client, authentication, token, insecure);
      const failure = await oauth.processRefreshTokenResponse(as, client, refused).catch((error) => error);
      expect(failure).toMatchObject({ error: "invalid_grant", status: 400 });

      const query = new URLSearchParams({ id_token_hint: tokens.id_token!, post_logout_redirect_uri: BYE, state });
      const bye = await browser.open(`${new URL(as.end_session_endpoint!).pathname}?${query}`);
      expect(bye.location!.href).toBe(`${BYE}?state=${state}`);
      expect((await browser.open(path)).heading).toBe("Sign in");
    },
  );
});

describe.concurrent("code id_token", () => {
  test.each(["fragment", "form_post"])(
    "by %s: nonce, c_hash, signature and the code are valid",
    async (response_mode) => {
      const gatehouse = await newClient();
      const as = await discover();
      const client: oauth.Client = { client_id: gatehouse.id };
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const { view } = await authorize(as, gatehouse, new Visitor(), [
        ["response_type", "code id_token"],
        ["response_mode", response_mode],
        ["scope", "openid"],
        ["state", state],
        ["nonce", nonce],
        ["max_age", "60"],
      ]);
      const answer = response_mode === "form_post" ? formRequest(view) : view.location!;
      const callback = await oauth.validateCodeIdTokenResponse(as, client, answer, nonce, state, 60, insecure);
      const authentication = oauth.ClientSecretBasic(gatehouse.tenant.client.clientSecret);
      const granted = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authentication,
        callback,
        CALLBACK,
        oauth.nopkce,
        insecure,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, granted, { expectedNonce: nonce });
      expect(oauth.getValidatedIdTokenClaims(tokens)!.nonce).toBe(nonce);
    },
  );
});

test.concurrent("pushes its request (RFC 9126)", async () => {
  const gatehouse = await newClient();
  const as = await discover("oauth2");
  const client: oauth.Client = { client_id: gatehouse.id };
  const authentication = oauth.ClientSecretBasic(gatehouse.tenant.client.clientSecret);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const asked = new URLSearchParams({
    response_type: "code",
    redirect_uri: CALLBACK,
    scope: "openid",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const answer = await oauth.pushedAuthorizationRequest(as, client, authentication, asked, insecure);
  const { request_uri, expires_in } = await oauth.processPushedAuthorizationResponse(as, client, answer);
  expect(expires_in).toBe(90);
  const browser = new Visitor();
  const query = new URLSearchParams({ client_id: gatehouse.id, request_uri });
  const view = await gatehouse.goThrough(browser, await browser.open(`/oauth2/authorize?${query}`));
  const callback = oauth.validateAuthResponse(as, client, view.location!, state);
  const granted = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    callback,
    CALLBACK,
    verifier,
    insecure,
  );
  expect((await oauth.processAuthorizationCodeResponse(as, client, granted)).id_token).toBeString();
});

test.concurrent("detects an answer of another issuer (RFC 9207)", async () => {
  const gatehouse = await newClient();
  const as = await discover();
  const client: oauth.Client = { client_id: gatehouse.id };
  const { view } = await authorize(as, gatehouse, new Visitor(), [
    ["response_type", "code"],
    ["scope", "openid"],
  ]);
  expect(() => oauth.validateAuthResponse(as, client, view.location!)).not.toThrow();
  const another = { ...as, issuer: "https://another.example" };
  expect(() => oauth.validateAuthResponse(another, client, view.location!)).toThrow(/iss/);
});
