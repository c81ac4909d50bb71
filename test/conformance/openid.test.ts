// Requirements of OpenID certification on authorization requests and their results, by the names of the conformance
// suite's modules (openid-certification/conformance-suite, src/main/java/net/openid/conformance/openid). Plans: Basic
// OP, Hybrid OP, Form Post OP. Other plans: Config OP (openid-config), RP-Initiated and Back-Channel Logout OP
// (openid-logout), Dynamic OP (openid-dynamic) and FAPI 2.0 (fapi2, fapi2-dpop). Left out are features that are not
// advertised: unsigned request objects and unsigned id_tokens.

import { beforeAll, describe, expect, test } from "bun:test";
import { until } from "../world/api.ts";
import { answerOf, CALLBACK, newPkce, otherClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { elapse } from "../world/rows.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { ADA, LONG_STATE, RelyingParty, USERINFO_PATH, VARIANTS } from "./relying-party.ts";

const parties = new Map<string, RelyingParty>();
beforeAll(async () => {
  await Promise.all(VARIANTS.map(async (variant) => parties.set(variant.plan, await RelyingParty.start(variant))));
});

/** Claims that an id_token may contain unrequested (EnsureIdTokenDoesNotContainNonRequestedClaims). */
const UNASKED = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "at_hash", "c_hash", "sid"];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.concurrent.each(VARIANTS)("$plan:", (variant) => {
  const party = () => parties.get(variant.plan)!;
  const isHybrid = variant.response_type === "code id_token";

  test("oidcc-server", async () => {
    const { front, token, claims, userinfo } = await party().flow();
    expect(front.code!.length * 8).toBeGreaterThanOrEqual(128);
    expect(token.headers.get("cache-control")).toBe("no-store");
    expect(token.headers.get("content-type")).toStartWith("application/json");
    expect(token.body).toMatchObject({ token_type: "Bearer", expires_in: 3600, refresh_token: expect.any(String) });
    expect(UNASKED).toEqual(expect.arrayContaining(Object.keys(claims)));
    expect(claims.at_hash).toBeString();
    expect(userinfo).toEqual({ sub: claims.sub });
  });

  test("oidcc-server-client-secret-post", async () => {
    const { code } = party().answerOf(await party().browser.open(party().request()));
    expect((await party().client.token(code!)).status).toBe(200);
  });

  test("oidcc-response-type-missing", async () => {
    const back = await party().browser.open(party().request({ response_type: undefined }));
    const answer = back.location ? Object.fromEntries(back.location.searchParams) : back.forms[0]!.fields;
    expect(answer).toMatchObject({ error: "invalid_request", state: "some state" });
    expect(answer.code).toBeUndefined();
  });

  test("oidcc-idtoken-signature: RS256 by default, with kid", async () => {
    const { token } = await party().flow();
    const header = JSON.parse(Buffer.from(token.body.id_token.split(".")[0], "base64url").toString());
    expect(header).toMatchObject({ alg: "RS256", kid: expect.any(String) });
  });

  test("oidcc-userinfo-get, -post-header, -post-body", async () => {
    const { token, userinfo } = await party().flow({ scope: "openid profile" });
    const { access_token } = token.body;
    expect(userinfo.updated_at).toBeNumber();
    const byHeader = await request("POST", USERINFO_PATH, { headers: bearer(access_token) });
    const byBody = await request("POST", USERINFO_PATH, { body: new URLSearchParams({ access_token }) });
    for (const answer of [byHeader, byBody]) {
      expect(answer.headers.get("content-type")).toStartWith("application/json");
      expect(answer.body).toEqual(userinfo);
    }
  });

  if (isHybrid) {
    test("oidcc-ensure-request-without-nonce-fails", async () => {
      expect(await party().error({ nonce: undefined })).toBe("invalid_request");
    });
  } else {
    test("oidcc-ensure-request-without-nonce-succeeds-for-code-flow", async () => {
      await party().flow({ nonce: undefined });
    });
  }

  // Standard claims of a scope for which a User has a field.
  test.each([
    ["profile", { name: ADA.name, preferred_username: "admin", updated_at: expect.any(Number) }],
    ["email", { email: ADA.email, email_verified: false }],
    ["address", {}],
    ["phone", { phone_number: ADA.phone_number, phone_number_verified: false }],
  ])("oidcc-scope-%s", async (scope, expected) => {
    const { claims, userinfo } = await party().flow({ scope: `openid ${scope}` });
    expect(userinfo).toEqual({ sub: claims.sub, ...expected });
    expect(UNASKED).toEqual(expect.arrayContaining(Object.keys(claims)));
  });

  test("oidcc-scope-all", async () => {
    const { userinfo } = await party().flow({ scope: "openid profile email address phone" });
    expect(userinfo).toMatchObject({ ...ADA, preferred_username: "admin" });
  });

  test("oidcc-alternate-happy-flow: scopes and parameters in another order", async () => {
    const fields = { scope: "email openid" };
    const [path, query] = party().request(fields).split("?");
    const reversed = new URLSearchParams([...new URLSearchParams(query)].reverse());
    const { userinfo } = await party().goOn(await party().browser.open(`${path}?${reversed}`), fields);
    expect(userinfo.email).toBe(ADA.email);
    expect(userinfo.name).toBeUndefined();
  });

  test.each([
    ["display-page", { display: "page" }],
    ["display-popup", { display: "popup" }],
    ["ensure-request-with-unknown-parameter-succeeds", { extra: "foobar" }],
    ["login-hint", { login_hint: "buffy@localhost" }],
    ["ui-locales", { ui_locales: "se" }],
    ["claims-locales", { claims_locales: "se" }],
  ])("oidcc-%s", async (_, fields) => {
    await party().flow(fields);
    const page = await new Visitor().open(party().request(fields));
    expect(page).toMatchObject({ status: 200, heading: "Sign in" });
  });

  test("oidcc-ensure-request-with-acr-values-succeeds: an advertised value is reached", async () => {
    const { body } = await request("GET", "/.well-known/openid-configuration");
    const acr_values = body.acr_values_supported.join(" ");
    expect(acr_values.split(" ")).toContain((await party().flow({ acr_values })).claims.acr);
  });

  test("oidcc-prompt-login: auth_time is later", async () => {
    const own = await RelyingParty.start(variant);
    await own.ageSession(2);
    const first = await own.flow();
    const fields = { prompt: "login" };
    const page = await own.browser.open(own.request(fields));
    expect(page.heading).toBe("Sign in");
    const second = await own.goOn(await own.client.goThrough(own.browser, page), fields);
    expect(Number(second.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time));
  });

  test("oidcc-prompt-none-not-logged-in: a long state is returned unchanged", async () => {
    expect(await party().error({ prompt: "none", state: LONG_STATE }, new Visitor())).toBe("login_required");
  });

  test("oidcc-prompt-none-logged-in, oidcc-id-token-hint: the same user and sign-in", async () => {
    const first = await party().flow();
    const hint = { prompt: "none", id_token_hint: first.token.body.id_token };
    for (const fields of [{ prompt: "none" }, hint]) {
      const { sub, auth_time } = (await party().flow(fields)).claims;
      expect({ sub, auth_time }).toEqual({ sub: first.claims.sub, auth_time: first.claims.auth_time });
    }
  });

  test("oidcc-max-age-1: asks again after that time", async () => {
    const own = await RelyingParty.start(variant);
    // The suite uses 1 s; on a busy machine the steps after a sign-in take longer.
    await own.ageSession(1_000);
    const first = await own.flow();
    expect(await own.error({ max_age: "900", prompt: "none" })).toBe("login_required");
    const page = await own.browser.open(own.request({ max_age: "900" }));
    const second = await own.goOn(await own.client.goThrough(own.browser, page));
    expect(Number(second.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time));
  });

  test("oidcc-max-age-10000: auth_time is present and unchanged", async () => {
    const [first, second] = [await party().flow({ max_age: "15000" }), await party().flow({ max_age: "10000" })];
    expect(second.claims.auth_time).toBeNumber();
    expect(second.claims.auth_time).toBe(first.claims.auth_time);
  });

  test("oidcc-codereuse, oidcc-codereuse-30seconds: invalid_grant, and the access token is revoked", async () => {
    const { front, token } = await party().flow();
    const digest = new Bun.CryptoHasher("sha256").update(front.code!).digest();
    await elapse("30 seconds", "authorization_codes", { digest }, "used_on");
    const again = await party().redeem(front.code!);
    expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
    expect(again.headers.get("content-type")).toStartWith("application/json");
    const isRevoked = async () =>
      (await request("GET", USERINFO_PATH, { headers: bearer(token.body.access_token) })).status === 401;
    await until("the access token to be refused", isRevoked);
  });

  test.each([
    ["oidcc-ensure-registered-redirect-uri", "https://app.example/callback/xyz", 404],
    ["oidcc-redirect-uri-query-added", "https://app.example/callback?foo=bar", 404],
    ["oidcc-ensure-redirect-uri-in-authorization-request", undefined, 400],
  ])("%s: an error page", async (_, redirect_uri, status) => {
    const view = await party().browser.open(party().request({ redirect_uri }));
    expect(view).toMatchObject({ status, location: undefined, forms: [] });
  });

  test("oidcc-ensure-post-request-succeeds", async () => {
    const [path, query] = party().request().split("?");
    await party().goOn(await party().browser.post(path!, query!));
  });

  test("oidcc-…-request-object-supported-correctly-or-rejected-as-unsupported: rejected", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const object = `${part({ alg: "none" })}.${part({ client_id: party().client.id, scope: "openid" })}.`;
    expect(await party().error({ request: object })).toBe("invalid_request_object");
    expect(await party().error({ request_uri: "https://app.example/r#x" })).toBe("request_uri_not_supported");
    // oidcc-ensure-request-object-with-redirect-uri: the one outside is wrong.
    const view = await party().browser.open(
      party().request({ request: object, redirect_uri: "https://app.example/x" }),
    );
    expect(view).toMatchObject({ status: 404, location: undefined });
  });

  test.each(["query", "fragment", "form_post"])(
    "oidcc-unsigned-request-object-… with response_mode %s: rejected in that mode, with the object's state",
    async (response_mode) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const { client } = party();
      const inside = { client_id: client.id, response_mode, state: "inside", redirect_uri: "https://evil.example/" };
      const request = `${part({ alg: "none" })}.${part(inside)}.`;
      for (const path of [RFC_PATH, SPEC_PATH]) {
        const refused = { error: "invalid_request_object", state: "inside" };
        const view = await new Visitor().open(client.authorize({ request, state: undefined }, path));
        if (response_mode === "form_post") {
          expect(view.forms[0]).toMatchObject({ action: CALLBACK, fields: refused });
        } else {
          expect(view.location!.href).toStartWith(CALLBACK + (response_mode === "query" ? "?" : "#"));
          expect(answerOf(view)).toMatchObject(refused);
        }
        // Parameters outside the object come first.
        const outside = await new Visitor().open(
          client.authorize({ request, response_mode: "query", state: "outside" }, path),
        );
        expect(answerOf(outside)).toMatchObject({ ...refused, state: "outside" });
      }
    },
  );

  test("oidcc-claims-essential: in userinfo only", async () => {
    const { claims, userinfo } = await party().flow({ claims: '{"userinfo":{"name":{"essential":true}}}' });
    expect(userinfo.name).toBe(ADA.name);
    expect(claims.name).toBeUndefined();
  });

  test("oidcc-refresh-token: the same user and sign-in; bound to its client", async () => {
    const { token, claims } = await party().flow();
    const answer = await party().client.refresh(token.body.refresh_token, { scope: "openid" });
    expect(answer.status).toBe(200);
    const second = JSON.parse(Buffer.from(answer.body.id_token.split(".")[1], "base64url").toString());
    const { iss, sub, aud, auth_time } = claims;
    expect(second).toMatchObject({ iss, sub, aud, auth_time });
    expect(second.iat).toBeGreaterThanOrEqual(claims.iat!);
    const stranger = await otherClient(party().client);
    const stolen = await stranger.refresh(answer.body.refresh_token);
    expect([stolen.status, stolen.body.error]).toEqual([400, "invalid_grant"]);
  });

  test("oidcc-ensure-request-with-valid-pkce-succeeds", async () => {
    const { verifier, challenge } = newPkce();
    const view = await party().browser.open(party().request(challenge));
    await party().goOn(view, { code_verifier: verifier });
  });
});
