// The external library openid-client completes a whole flow.

import { describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair } from "jose";
import * as openid from "openid-client";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { CALLBACK, type Client, issuer, newClient, setCredentials } from "../world/client.ts";
import { db } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { formRequest } from "./relying-party.ts";

const BYE = "https://app.example/bye";

function discover({ id, tenant }: Client, authentication = openid.ClientSecretBasic(tenant.client.clientSecret)) {
  return openid.discovery(new URL(issuer()), id, undefined, authentication, {
    execute: [openid.allowInsecureRequests],
  });
}

/** Where the library sends the browser, as a path of this Gatehouse. */
const pathOf = (url: URL) => url.pathname + url.search;

test.concurrent("a device signs in, polling at the given interval", async () => {
  const client = await newClient({ grant_types: [DEVICE_GRANT, "refresh_token"] });
  const config = await discover(client);
  const device = await openid.initiateDeviceAuthorization(config, { scope: "openid profile" });
  const browser = new Visitor();
  const page = await browser.open(pathOf(new URL(device.verification_uri_complete!)));
  const question = await browser.submit(await browser.submit(page), client.tenant.admin);
  await browser.submit(question, { decision: "allow" });
  const tokens = await openid.pollDeviceAuthorizationGrant(config, device);
  const { sub } = tokens.claims()!;
  expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({ preferred_username: "admin" });
  expect((await openid.refreshTokenGrant(config, tokens.refresh_token!)).claims()!.sub).toBe(sub);
});

test.concurrent("sign-in by code and PKCE, userinfo, refresh, introspection, revocation, logout", async () => {
  const client = await newClient({ post_logout_redirect_uris: [BYE] });
  const browser = new Visitor();
  const config = await discover(client);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: "openid profile",
    state: expectedState,
    nonce: expectedNonce,
    max_age: "600",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const back = await client.goThrough(browser, await browser.open(pathOf(url)));

  const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 600, idTokenExpected: true };
  const tokens = await openid.authorizationCodeGrant(config, back.location!, checks);
  const { sub } = tokens.claims()!;
  expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({ preferred_username: "admin" });

  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  expect(refreshed.claims()!.sub).toBe(sub);
  expect(await openid.tokenIntrospection(config, refreshed.access_token)).toMatchObject({ active: true, sub });
  await openid.tokenRevocation(config, refreshed.refresh_token!);
  expect(await openid.tokenIntrospection(config, refreshed.refresh_token!)).toEqual({ active: false });
  expect(await openid.refreshTokenGrant(config, refreshed.refresh_token!).catch((error) => error)).toMatchObject({
    error: "invalid_grant",
  });

  const bye = openid.buildEndSessionUrl(config, {
    id_token_hint: refreshed.id_token!,
    post_logout_redirect_uri: BYE,
    state: "bye",
  });
  expect((await browser.open(pathOf(bye))).location!.href).toBe(`${BYE}?state=bye`);
  expect((await browser.open(pathOf(url))).heading).toBe("Sign in");
});

test.concurrent("a public client, without a secret", async () => {
  const client = await newClient({ client_type: "public" });
  const browser = new Visitor();
  const config = await discover(client, openid.None());
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: "openid",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const back = await client.goThrough(browser, await browser.open(pathOf(url)));
  const tokens = await openid.authorizationCodeGrant(config, back.location!, { pkceCodeVerifier });
  expect((await openid.refreshTokenGrant(config, tokens.refresh_token!)).claims()!.sub).toBe(tokens.claims()!.sub);
});

describe.concurrent("code id_token", () => {
  test.each(["fragment", "form_post"])("by %s", async (response_mode) => {
    const client = await newClient();
    const browser = new Visitor();
    const config = await discover(client);
    openid.useCodeIdTokenResponseType(config);
    const expectedNonce = openid.randomNonce();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: "openid",
      nonce: expectedNonce,
      response_mode,
    });
    expect(url.searchParams.get("response_type")).toBe("code id_token");
    const view = await client.goThrough(browser, await browser.open(pathOf(url)));
    const callback = response_mode === "form_post" ? formRequest(view) : view.location!;
    const tokens = await openid.authorizationCodeGrant(config, callback, { expectedNonce });
    expect(tokens.claims()!.nonce).toBe(expectedNonce);
  });

  test.each(["ES256", "EdDSA"])("signed with %s", async (id_token_alg) => {
    const client = await newClient({ id_token_alg });
    const browser = new Visitor();
    const config = await openid.discovery(
      new URL(issuer()),
      client.id,
      { id_token_signed_response_alg: id_token_alg },
      openid.ClientSecretPost(client.tenant.client.clientSecret),
      { execute: [openid.allowInsecureRequests] },
    );
    openid.useCodeIdTokenResponseType(config);
    const expectedNonce = openid.randomNonce();
    const url = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: "openid", nonce: expectedNonce });
    const back = await client.goThrough(browser, await browser.open(pathOf(url)));
    const tokens = await openid.authorizationCodeGrant(config, back.location!, { expectedNonce });
    expect(tokens.claims()!.sub).toStartWith("user-");
  });
});

test.concurrent("reads errors of the user and of the server", async () => {
  const client = await newClient();
  const browser = new Visitor();
  const config = await discover(client);
  const url = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: "openid" });
  const consent = await browser.submit(await browser.open(pathOf(url)), client.tenant.admin);
  const denied = await browser.submit(consent, { decision: "deny" });
  const refusal = await openid.authorizationCodeGrant(config, denied.location!).catch((error) => error);
  expect(refusal).toBeInstanceOf(openid.AuthorizationResponseError);
  expect(refusal.error).toBe("access_denied");

  const back = await client.goThrough(browser, await browser.open(pathOf(url)));
  await openid.authorizationCodeGrant(config, back.location!);
  const reused = await openid.authorizationCodeGrant(config, back.location!).catch((error) => error);
  expect(reused).toBeInstanceOf(openid.ResponseBodyError);
  expect(reused).toMatchObject({ error: "invalid_grant", status: 400 });
});

test.concurrent("a client with a private key pushes its requests (RFC 7523, RFC 9126)", async () => {
  const client = await newClient();
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const declared = {
    require_par: true,
    token_endpoint_auth_method: "private_key_jwt",
    jwks: db().json({ keys: [{ ...(await exportJWK(publicKey)), kid: "own" }] } as never),
  };
  await setCredentials(client.id, declared);
  const config = await discover(client, openid.PrivateKeyJwt({ key: privateKey, kid: "own" }));
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const [expectedState, browser] = [openid.randomState(), new Visitor()];
  const asked = {
    redirect_uri: CALLBACK,
    scope: "openid",
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  };
  const refused = await browser.open(pathOf(openid.buildAuthorizationUrl(config, asked)));
  expect(refused.location!.searchParams.get("error")).toBe("invalid_request");

  const url = await openid.buildAuthorizationUrlWithPAR(config, asked);
  expect([...url.searchParams.keys()].toSorted()).toEqual(["client_id", "request_uri"]);
  const back = await client.goThrough(browser, await browser.open(pathOf(url)));
  const tokens = await openid.authorizationCodeGrant(config, back.location!, { pkceCodeVerifier, expectedState });
  expect(tokens.claims()!.aud).toBe(client.id);
});

test.concurrent("pushes its request with a private key and gets DPoP-bound tokens (RFC 9449), as FAPI 2.0 requires", async () => {
  const client = await newClient();
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const declared = {
    ...{ require_par: true, dpop_bound: true, token_endpoint_auth_method: "private_key_jwt" },
    jwks: db().json({ keys: [{ ...(await exportJWK(publicKey)), kid: "own" }] } as never),
  };
  await setCredentials(client.id, declared);
  const config = await discover(client, openid.PrivateKeyJwt({ key: privateKey, kid: "own" }));
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const asked = {
    redirect_uri: CALLBACK,
    scope: "openid profile",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  };
  const browser = new Visitor();
  const url = await openid.buildAuthorizationUrlWithPAR(config, asked, { DPoP });
  const back = await client.goThrough(browser, await browser.open(pathOf(url)));
  const tokens = await openid.authorizationCodeGrant(config, back.location!, { pkceCodeVerifier }, {}, { DPoP });
  expect(tokens.token_type).toBe("dpop");
  const { sub } = tokens.claims()!;
  const about = await openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP });
  expect(about.sub).toBe(sub);
  const stolen = await openid.fetchUserInfo(config, tokens.access_token, sub).catch((error) => error);
  expect(stolen).toBeInstanceOf(openid.WWWAuthenticateChallengeError);
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token!, {}, { DPoP });
  expect(next.token_type).toBe("dpop");
});
