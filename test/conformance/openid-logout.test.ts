// OpenID certification of RP-Initiated Logout OP and of Back-Channel OP, by the names of the suite's modules. Each
// signs a user in, opens the end_session_endpoint, and checks whether prompt=none still finds the user.

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { issuer, newClient } from "../world/client.ts";
import { logoutClient, logoutsOf, signIn, tokensOf } from "../world/logouts.ts";
import { startReceiver } from "../world/receiver.ts";
import { request, shared } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";
import { type Fields, LONG_STATE, RelyingParty, VARIANTS } from "./relying-party.ts";

const BYE = "https://app.example/post-logout";
const QUESTION = { status: 200, heading: "Sign out", location: undefined };

/** A signed-in user, and an end session request; undefined removes a parameter. */
async function start() {
  const client = await newClient({ post_logout_redirect_uris: [BYE] });
  const browser = new Visitor();
  const { id_token } = (await client.token(await client.code(browser))).body;
  const party = new RelyingParty(client, VARIANTS[0]!, browser);
  return {
    browser,
    id_token: id_token as string,
    leave: (fields: Fields = {}): Promise<View> => {
      const all = { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: LONG_STATE, ...fields };
      const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return browser.open(`/oauth2/logout?${new URLSearchParams(sent)}`);
    },
    isSignedIn: async () => {
      const answer = party.answerOf(await browser.open(party.request({ prompt: "none" })));
      if (answer.code) return true;
      expect(answer.error).toBe("login_required");
      return false;
    },
  };
}

describe.concurrent("Back-Channel OP:", () => {
  test("oidcc-backchannel-logout-discovery-endpoint-verification", async () => {
    const { body } = await request("GET", "/.well-known/openid-configuration");
    expect(body).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      end_session_endpoint: `${issuer()}/oauth2/logout`,
    });
  });

  test("oidcc-backchannel-rp-initiated-logout: the logout token names the session, and the browser returns", async () => {
    await using receiver = startReceiver(200);
    const { client } = await logoutClient(receiver.url, undefined, { PostLogoutRedirectUris: [BYE] });
    const { visitor, idToken, sid } = await signIn(client);
    const left = { id_token_hint: idToken, post_logout_redirect_uri: BYE, state: LONG_STATE };
    const back = await visitor.open(`/oauth2/logout?${new URLSearchParams(left)}`);
    expect(back.location!.href).toBe(`${BYE}?state=${LONG_STATE}`);
    expect(await logoutsOf(receiver, 1)).toEqual([sid]);
    const [token] = tokensOf(receiver);
    const keys = createRemoteJWKSet(new URL(`${shared().url}/.well-known/jwks.json`));
    const expected = { issuer: issuer(), audience: client.id, algorithms: ["RS256"], typ: "logout+jwt" };
    const { payload } = await jwtVerify(token!, keys, { ...expected, requiredClaims: ["iat", "exp", "jti"] });
    const { sub, nonce } = payload;
    expect({ sub, nonce }).toEqual({ sub: decodeJwt(idToken).sub!, nonce: undefined });
    expect(payload.events).toEqual({ "http://schemas.openid.net/event/backchannel-logout": {} });
    const party = new RelyingParty(client, VARIANTS[0]!, visitor);
    expect(await party.error({ prompt: "none" })).toBe("login_required");
  });
});

describe.concurrent("RP-Initiated OP:", () => {
  test("oidcc-rp-initiated-logout: returns with the unchanged state only", async () => {
    const { leave, isSignedIn } = await start();
    const back = await leave();
    expect([back.status, back.location!.href]).toEqual([302, `${BYE}?state=${LONG_STATE}`]);
    expect(await isSignedIn()).toBe(false);
  });

  test("oidcc-rp-initiated-logout-no-state: returns without a state", async () => {
    const { leave, isSignedIn } = await start();
    expect((await leave({ state: undefined })).location!.href).toBe(BYE);
    expect(await isSignedIn()).toBe(false);
  });

  test.each<[string, Fields]>([
    ["bad-post-logout-redirect-uri", { post_logout_redirect_uri: `${BYE}/xyz` }],
    ["query-added-to-post-logout-redirect-uri", { post_logout_redirect_uri: `${BYE}?foo=bar` }],
  ])("oidcc-rp-initiated-logout-%s: signed out with a message, no redirect", async (_, fields) => {
    const { leave, isSignedIn } = await start();
    expect(await leave(fields)).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
    expect(await isSignedIn()).toBe(false);
  });

  test("oidcc-rp-initiated-logout-modified-id-token-hint: alg none is a question, no redirect", async () => {
    const { leave, id_token, isSignedIn } = await start();
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    const claims = id_token.split(".")[1];
    for (const hint of [`${none}.${claims}.`, `${none}.${claims}.${id_token.split(".")[2]}`]) {
      expect(await leave({ id_token_hint: hint })).toMatchObject(QUESTION);
    }
    expect(await isSignedIn()).toBe(true);
  });

  test("oidcc-rp-initiated-logout-bad-id-token-hint: another signature is a question, no redirect", async () => {
    const { leave, id_token, isSignedIn } = await start();
    const signed = id_token.slice(0, id_token.lastIndexOf("."));
    const { privateKey } = await crypto.subtle.generateKey(RS256, false, ["sign"]);
    const signature = await crypto.subtle.sign(RS256, privateKey, Buffer.from(signed));
    const id_token_hint = `${signed}.${Buffer.from(signature).toString("base64url")}`;
    expect(await leave({ id_token_hint })).toMatchObject(QUESTION);
    expect(await isSignedIn()).toBe(true);
  });

  test("oidcc-rp-initiated-logout-no-post-logout-redirect-uri: signed out with a message", async () => {
    const { leave, isSignedIn } = await start();
    const page = await leave({ post_logout_redirect_uri: undefined });
    expect(page).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
    expect(await isSignedIn()).toBe(false);
  });

  test.each<[string, Fields]>([
    ["no-id-token-hint", { id_token_hint: undefined }],
    ["no-params", { id_token_hint: undefined, post_logout_redirect_uri: undefined, state: undefined }],
    ["only-state", { id_token_hint: undefined, post_logout_redirect_uri: undefined }],
  ])("oidcc-rp-initiated-logout-%s: the user confirms and is signed out", async (_, fields) => {
    const { browser, leave, isSignedIn } = await start();
    const page = await leave(fields);
    expect(page).toMatchObject(QUESTION);
    expect(await browser.submit(page)).toMatchObject({ status: 200, heading: "Signed out", location: undefined });
    expect(await isSignedIn()).toBe(false);
  });
});

const RS256 = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const;
