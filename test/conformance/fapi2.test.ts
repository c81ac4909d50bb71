// The FAPI 2.0 Security Profile (Final) for authorization servers, by the names of the suite's modules: its plan
// fapi2-security-profile-final-test-plan with plain_fapi, openid_connect, private_key_jwt, dpop and plain_response.
//
// Left out are
// - ensure-registered-redirect-uri, ensure-server-handles-non-matching-intent-id, test-essential-acr-sca-claim and those
//   of Brazil and ConnectID: of other profiles. The suite leaves them out as well.
// - those about DPoP, which are in fapi2-dpop.test.ts.

import { describe, expect, test } from "bun:test";
import { decodeJwt, type JWTPayload } from "jose";
import { CALLBACK, issuer, newPkce, otherClient, RFC_PATH, RFC_TOKEN_PATH, SPEC_PATH } from "../world/client.ts";
import { age, expectRfcError, form } from "../world/grants.ts";
import { setUsers } from "../world/planted.ts";
import { elapse } from "../world/rows.ts";
import { assertion, assertionClaims, newSigner } from "../world/signer.ts";
import { newMember, newTenant, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { FapiClient, newFapiClient, PAR } from "./fapi-client.ts";
import { LONG_STATE } from "./relying-party.ts";

/** FAPI 2.0 Security Profile 5.4.1. */
const ALGS = ["PS256", "ES256", "EdDSA", "Ed25519"];

const now = () => Math.floor(Date.now() / 1000);

describe.concurrent("fapi2-security-profile-final-", () => {
  test("discovery-end-point-verification", async () => {
    const { body } = await request("GET", "/.well-known/openid-configuration");
    expect(body.response_types_supported).toContain("code");
    expect(body.authorization_response_iss_parameter_supported).toBe(true);
    expect(body.pushed_authorization_request_endpoint).toBe(`${issuer()}${PAR}`);
    expect(body.require_pushed_authorization_requests).toBeBoolean();
    expect(body.token_endpoint_auth_methods_supported).toContain("private_key_jwt");
    expect(body.code_challenge_methods_supported).toContain("S256");
    expect(body.scopes_supported).toContain("openid");
    const signed = ["id_token", "token_endpoint_auth", "dpop"];
    for (const name of signed.map((what) => `${what}_signing_alg_values_supported`)) {
      expect(body[name].filter((alg: string) => ALGS.includes(alg))).not.toBeEmpty();
    }
    const server = await request("GET", "/.well-known/oauth-authorization-server");
    expect(server.body).toEqual(body);
  });

  test.each(["ES256", "PS256", "EdDSA"])("happy-flow: two clients with assertions, signed with %s", async (alg) => {
    const first = await newFapiClient(alg);
    const { answer, claims } = await first.flow();
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(claims.nonce).toBe("n-0S6_WzA2Mj");
    expect(claims.auth_time).toBeNumber();

    // The suite's second client has a query in its redirect URI.
    const redirect_uri = `${CALLBACK}?dummy1=lorem&dummy2=ipsum`;
    const second = await FapiClient.of(await otherClient(first.client, { redirect_uris: [redirect_uri] }), alg);
    const back = second.answerOf(await second.visit(await second.pushed({ redirect_uri })));
    expect(back).toMatchObject({ dummy1: "lorem", dummy2: "ipsum" });
    const redeemed = await second.redeem(back.code!, { redirect_uri });
    expect((await second.idTokenOf(redeemed)).sub).toBe(claims.sub!);
  });

  test("user-rejects-authentication", async () => {
    const party = await newFapiClient();
    const { browser, client } = party;
    const consent = await browser.submit(
      await browser.open(await party.pushed({ state: LONG_STATE })),
      client.tenant.admin,
    );
    const back = party.answerOf(await browser.submit(consent, { decision: "deny" }), LONG_STATE);
    expect(Object.keys(back).sort()).toEqual(["error", "error_description", "iss", "state"]);
    expect(back.error).toBe("access_denied");
  });

  test("the issuer is in answers and errors of the spec door too", async () => {
    const party = await newFapiClient();
    const atSpecDoor = async (fields: Record<string, string>) =>
      (await party.pushed(fields)).replace(RFC_PATH, SPEC_PATH);
    expect(party.answerOf(await party.visit(await atSpecDoor({}))).code).toBeString();
    expect(party.answerOf(await new Visitor().open(await atSpecDoor({ prompt: "none" }))).error).toBe("login_required");
  });

  test("ensure-authorization-request-without-state-success: none is returned", async () => {
    const party = await newFapiClient();
    const back = (await party.visit(await party.pushed({ state: undefined }))).location!.searchParams;
    expect([...back.keys()].sort()).toEqual(["code", "iss"]);
    const claims = await party.idTokenOf(await party.redeem(back.get("code")!));
    expect(claims.s_hash).toBeUndefined();
  });

  test("ensure-authorization-request-without-nonce-success: none is returned", async () => {
    const { claims } = await (await newFapiClient()).flow({ nonce: undefined });
    expect(claims).not.toHaveProperty("nonce");
  });

  test.each([
    ["ensure-authorization-request-with-64-char-nonce-success", 64],
    ["ensure-authorization-request-with-long-nonce", 384],
  ])("%s", async (_, length) => {
    const nonce = "n".repeat(length);
    expect((await (await newFapiClient()).flow({ nonce })).claims.nonce).toBe(nonce);
  });

  test("ensure-authorization-request-with-long-state", async () => {
    const party = await newFapiClient();
    const state = "s".repeat(384);
    expect(party.answerOf(await party.visit(await party.pushed({ state })), state).code).toBeString();
  });

  test("ensure-other-scope-order-succeeds", async () => {
    const { answer } = await (await newFapiClient()).flow({ scope: "profile openid" });
    expect(answer.body.scope.split(" ").sort()).toEqual(["openid", "profile"]);
  });

  test("test-claims-parameter-identity-claims: in the id_token and in userinfo, unknown ones omitted", async () => {
    const party = await newFapiClient();
    const email = "ada@example.com";
    await setUsers(party.client.tenant, { email });
    const members = { email: null, email_verified: { essential: true }, nowhere: { value: "no one" } };
    const asked = JSON.stringify({ id_token: members, userinfo: members });
    const { claims, userinfo } = await party.flow({ scope: "openid", claims: asked });
    for (const told of [claims, userinfo]) {
      expect(told).toMatchObject({ email, email_verified: false });
      expect(told).not.toHaveProperty("nowhere");
    }
  });

  test("access-token-type-header-case-sensitivity", async () => {
    const party = await newFapiClient();
    const { body } = await party.redeem(await party.code());
    expect((await party.userinfo(body.access_token, {}, "dpOp")).status).toBe(200);
  });

  test.each([
    ["ensure-different-nonce-inside-and-outside-request-object", "nonce"],
    ["ensure-different-state-inside-and-outside-request-object", "state"],
  ])("%s: only the pushed parameters count", async (_, name) => {
    const party = await newFapiClient();
    const { body } = await party.push();
    const back = party.answerOf(await party.visit(party.address(body.request_uri, { [name]: "another" })));
    expect((await party.idTokenOf(await party.redeem(back.code!))).nonce).toBe("n-0S6_WzA2Mj");
  });

  test("state-only-outside-request-object-not-used", async () => {
    const party = await newFapiClient();
    const { body } = await party.push({ state: undefined });
    const view = await party.visit(party.address(body.request_uri, { state: "outside" }));
    expect([...view.location!.searchParams.keys()].sort()).toEqual(["code", "iss"]);
  });

  test.each([
    ["ensure-request-object-without-redirect-uri-fails, ensure-redirect-uri-in-authorization-request", undefined],
    ["plain-fapi-tolerate-unregistered-redirect-uri: it is not", `${CALLBACK}/unregistered`],
  ])("%s", async (_, redirect_uri) => {
    expectRfcError(await (await newFapiClient()).push({ redirect_uri }), 400, "invalid_request", /redirect_uri/);
  });

  test("ensure-redirect-uri-in-authorization-request: also for plain OAuth and a single registered one", async () => {
    const answer = await (await newFapiClient()).push({ redirect_uri: undefined, scope: "profile" });
    expectRfcError(answer, 400, "invalid_request", /redirect_uri is missing/);
  });

  test("ensure-unsigned-authorization-request-without-using-par-fails", async () => {
    const party = await newFapiClient();
    const asked = party.client.authorize({ ...party.pkce.challenge, nonce: "n" });
    const back = party.answerOf(await party.browser.open(asked));
    expect(Object.keys(back).sort()).toEqual(["error", "error_description", "iss", "state"]);
    expect(back.error).toBe("invalid_request");
  });

  test("ensure-response-type-token-fails", async () => {
    expectRfcError(await (await newFapiClient()).push({ response_type: "token" }), 400, "unsupported_response_type");
  });

  test("ensure-response-type-code-idtoken-fails", async () => {
    const answer = await (await newFapiClient()).push({ response_type: "code id_token", response_mode: "fragment" });
    expectRfcError(answer, 400, "unsupported_response_type", /SecurityProfile/);
  });

  test("ensure-token-endpoint-fails-with-expired-auth-code: after a minute", async () => {
    const party = await newFapiClient();
    const code = await party.code();
    await elapse("60 seconds", "authorization_codes", { client_id: party.client.id });
    expectRfcError(await party.redeem(code), 400, "invalid_grant", /expired/);
  });

  test("ensure-client-id-in-token-endpoint: another client_id with the client's own assertion", async () => {
    const party = await newFapiClient();
    const other = await FapiClient.of(await otherClient(party.client));
    const code = await party.code();
    const { id } = other.client;
    const answer = await party.redeem(code, { client_id: id }, { iss: id, sub: id });
    expectRfcError(answer, 401, "invalid_client");
    // The code was not used up.
    expect((await party.redeem(code)).status).toBe(200);
  });

  test("ensure-authorization-code-is-bound-to-client", async () => {
    const party = await newFapiClient();
    const other = await FapiClient.of(await otherClient(party.client));
    const code = await party.code();
    const answer = await other.redeem(code, { code_verifier: party.pkce.verifier });
    expectRfcError(answer, 400, "invalid_grant");
  });

  test("attempt-reuse-authorization-code-after-one-second: its tokens are revoked", async () => {
    const party = await newFapiClient();
    const code = await party.code();
    const { body } = await party.redeem(code);
    expect((await party.userinfo(body.access_token)).status).toBe(200);
    expectRfcError(await party.redeem(code), 400, "invalid_grant");
    expect((await party.userinfo(body.access_token)).status).toBe(401);
    expectRfcError(await party.refresh(body.refresh_token), 400, "invalid_grant");
  });

  test("ensure-signed-client-assertion-with-RS256-fails: the key is for PS256", async () => {
    const party = await newFapiClient("PS256");
    const { privateKey } = party.signer;
    const claims = assertionClaims(party.client.id, issuer());
    const text = [{ alg: "RS256", kid: party.signer.jwk.kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const rs256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const pkcs8 = await crypto.subtle.exportKey("pkcs8", privateKey);
    const key = await crypto.subtle.importKey("pkcs8", pkcs8, rs256, false, ["sign"]);
    const signature = Buffer.from(await crypto.subtle.sign(rs256, key, Buffer.from(text))).toString("base64url");
    const answer = await party.redeem(await party.code(), assertion(`${text}.${signature}`));
    expectRfcError(answer, 401, "invalid_client");
  });

  test("ensure-client-assertion-in-token-endpoint", async () => {
    const party = await newFapiClient();
    const none = { client_assertion: undefined, client_assertion_type: undefined, client_id: party.client.id };
    expectRfcError(await party.redeem(await party.code(), none), 401, "invalid_client");
  });

  test.each<[string, () => JWTPayload, RegExp]>([
    ["exp-is-5-minutes-in-past", () => ({ iat: now() - 360, exp: now() - 300 }), /expired/],
    ["wrong-aud", () => ({ aud: "https://www.other1.example/" }), /aud/],
    ["no-sub", () => ({ sub: undefined }), /sub/],
  ])("ensure-client-assertion-with-%s-fails", async (_, claims, says) => {
    const party = await newFapiClient();
    const code = await party.code();
    expectRfcError(await party.redeem(code, {}, claims()), 401, "invalid_client", says);
    expect((await party.redeem(code)).status).toBe(200);
  });

  test("refresh-token: not rotated (5.3.2.1-9), and bound to the client's own proof", async () => {
    const first = await newFapiClient();
    const { answer, claims } = await first.flow();
    const token: string = answer.body.refresh_token;
    const familyId = String(decodeJwt(answer.body.access_token).grant_id);
    const used = async () => {
      const refreshed = await first.refresh(token);
      expect({ status: refreshed.status, body: refreshed.body }).toMatchObject({ status: 200 });
      expect(refreshed.body.refresh_token).toBe(token);
      const { sub, auth_time } = await first.idTokenOf(refreshed);
      expect({ sub, auth_time }).toEqual({ sub: claims.sub, auth_time: claims.auth_time });
    };
    // The suite waits between its attempts.
    for (const interval of ["0 seconds", "35 seconds", "29 days", "29 days"]) {
      await age(familyId, interval);
      await used();
    }
    await Promise.all(Array.from({ length: 8 }, used));

    const next: string = token;
    const bare = form({ grant_type: "refresh_token", refresh_token: next, client_id: first.client.id });
    expectRfcError(await request("POST", RFC_TOKEN_PATH, { body: bare }), 401, "invalid_client");
    const second = await FapiClient.of(await otherClient(first.client));
    expectRfcError(await second.refresh(next), 400, "invalid_grant");
    expect((await first.refresh(next)).status).toBe(200);
  });
});

test("SecurityProfile FAPI2 is saved only with all its requirements, and the error names the missing ones", async () => {
  const api = await newTenant();
  const path = `/Application/${api.clientId}/Credentials`;
  const by = { AccessTokenAlg: "RS256", UserinfoAlg: "RS256", IntrospectionAlg: "RS256" };
  const { status, body } = await api.call<{ Errors: string[] }>("PATCH", path, { SecurityProfile: "FAPI2", ...by });
  expect(status).toBe(400);
  for (const need of ["RequirePar", "DpopBound", "private_key_jwt", "IdTokenAlg", ...Object.keys(by)]) {
    expect(body.Errors.join()).toContain(need);
  }
  const { jwk } = await newSigner();
  const whole = {
    ...{ SecurityProfile: "FAPI2", RequirePar: true, DpopBound: true, IdTokenAlg: "ES256", AccessTokenAlg: "EdDSA" },
    ...{ TokenEndpointAuthMethod: "private_key_jwt", Jwks: { keys: [jwk] }, RedirectUris: [CALLBACK] },
  };
  const person = await newMember(api, "admin");
  expect((await person.patch(path, whole)).status).toBe(200);
  expect((await person.patch(path, { RedirectUris: ["http://localhost/"] })).status).toBe(400);
});

describe.concurrent("fapi2-security-profile-final-par-", () => {
  test("ensure-reused-request-uri-prior-to-auth-completion-succeeds", async () => {
    const party = await newFapiClient();
    const path = await party.pushed();
    expect((await new Visitor().open(path)).heading).toBe("Sign in");
    expect(party.answerOf(await party.visit(path)).code).toBeString();
  });

  test("attempt-reuse-request_uri", async () => {
    const party = await newFapiClient();
    const path = await party.pushed();
    await party.visit(path);
    expect(party.answerOf(await party.browser.open(path)).error).toBe("invalid_request_uri");
  });

  test("attempt-to-use-expired-request_uri", async () => {
    const party = await newFapiClient();
    const path = await party.pushed();
    await elapse("91 seconds", "pushed_requests", { client_id: party.client.id });
    expect(party.answerOf(await party.browser.open(path)).error).toBe("invalid_request_uri");
  });

  test("ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted", async () => {
    const time = now() + 8;
    const answer = await (await newFapiClient()).push({}, { iat: time, nbf: time, exp: time + 60 });
    expect(answer.status).toBe(201);
  });

  test("ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails", async () => {
    const time = now() + 61;
    const answer = await (await newFapiClient()).push({}, { iat: time, nbf: time, exp: time + 300 });
    expectRfcError(answer, 401, "invalid_client", /future/);
  });

  test("attempt-to-use-request_uri-for-different-client", async () => {
    const party = await newFapiClient();
    const other = await FapiClient.of(await otherClient(party.client));
    const { body } = await party.push();
    expect(await other.browser.open(other.address(body.request_uri))).toMatchObject({
      ...{ status: 400, location: undefined, html: expect.stringContaining("request_uri") },
    });
  });

  test("authorization-request-containing-request_uri-form-param", async () => {
    const party = await newFapiClient();
    const answer = await party.push({ request_uri: "urn:ietf:params:oauth:request_uri:abc" });
    expectRfcError(answer, 400, "invalid_request", /request_uri/);
  });

  test("attempt-invalid-http-method", async () => {
    const answer = await request("PUT", PAR, { body: form({ client_id: "1" }) });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toContain("POST");
  });

  test("plain-pkce-rejected", async () => {
    const party = await newFapiClient();
    const plain = { code_challenge: party.pkce.verifier, code_challenge_method: "plain" };
    expectRfcError(await party.push(plain), 400, "invalid_request", /S256/);
  });

  test("ensure-pkce-required", async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    expectRfcError(await (await newFapiClient()).push(without), 400, "invalid_request", /PKCE/);
  });

  test.each<[string, () => string | string[]]>([
    ["array-as-audience", () => [issuer()]],
    ["par-endpoint-url-as-audience", () => `${issuer()}${PAR}`],
    ["token-endpoint-url-as-audience", () => `${issuer()}${RFC_TOKEN_PATH}`],
  ])("test-%s-fails", async (_, aud) => {
    const answer = await (await newFapiClient()).push({}, { aud: aud() });
    expectRfcError(answer, 401, "invalid_client", /only the issuer/);
  });

  test("without-duplicate-parameters", async () => {
    const party = await newFapiClient();
    const path = await party.pushed();
    expect([...new URL(path, issuer()).searchParams.keys()]).toEqual(["client_id", "request_uri"]);
    expect(path).toStartWith(RFC_PATH);
    expect(party.answerOf(await party.visit(path)).code).toBeString();
  });
});

test.concurrent.each([
  ["ensure-pkce-code-verifier-required", undefined],
  ["incorrect-pkce-code-verifier-rejected", newPkce().verifier],
])("fapi2-security-profile-final-%s", async (_, code_verifier) => {
  const party = await newFapiClient();
  const code = await party.code();
  expectRfcError(await party.redeem(code, { code_verifier }), 400, "invalid_grant", /code_verifier/);
});
