// Answers of the authorization endpoint as one signed JWT (JARM).

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import {
  answerOf,
  CALLBACK,
  type Client,
  issuer,
  newClient,
  otherClient,
  RFC_PATH,
  SPEC_PATH,
} from "../world/client.ts";
import { expectRfcError, postAs } from "../world/grants.ts";
import { request, shared } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const CODE = expect.stringMatching(/^[\w-]{43}$/);
const HYBRID = { response_type: "code id_token", nonce: "n-1" };
/** JARM 2.1: seconds. */
const MAX_LIFETIME_SECONDS = 600;

const insecure = { [oauth.allowInsecureRequests]: true };

/** The only parameter at the client's address. */
function responseIn(view: View): string {
  const fields = view.location ? answerOf(view) : view.forms[0]!.fields;
  expect(Object.keys(fields)).toEqual(["response"]);
  return fields.response!;
}

/** The parameters in a JWT that is meant for the client. */
async function answered(client: Client, view: View): Promise<JWTPayload> {
  const jwks = createRemoteJWKSet(new URL(`${shared().url}/.well-known/jwks.json`));
  const verified = await jwtVerify(responseIn(view), jwks, { issuer: issuer(), audience: client.id });
  const { iss, aud, iat, exp, ...fields } = verified.payload;
  expect(exp! - iat!).toBeWithin(1, MAX_LIFETIME_SECONDS + 1);
  return fields;
}

describe.concurrent("a signed answer", () => {
  test.each([
    ["jwt", "?"],
    ["query.jwt", "?"],
    ["fragment.jwt", "#"],
  ])("by %s is returned after %s, and its code gives tokens", async (response_mode, separator) => {
    const client = await newClient();
    const state = "a b&c=d#é☃%41";
    const view = await client.visit(new Visitor(), { response_mode, state });
    expect(view.status).toBe(302);
    expect(view.location!.href).toStartWith(`${CALLBACK}${separator}response=`);
    const fields = await answered(client, view);
    expect({ ...fields }).toEqual({ code: CODE, state });
    expect((await client.token(String(fields.code))).status).toBe(200);
  });

  test("by form_post.jwt is the form's only field", async () => {
    const client = await newClient();
    const view = await client.visit(new Visitor(), { response_mode: "form_post.jwt" });
    expect([view.status, view.forms[0]!.action]).toEqual([200, CALLBACK]);
    expect(await answered(client, view)).toEqual({ code: CODE, state: "some state" });
  });

  test.each(["jwt", "fragment.jwt", "form_post.jwt"])(
    "by %s contains the id_token of the hybrid flow",
    async (mode) => {
      const client = await newClient();
      const view = await client.visit(new Visitor(), { ...HYBRID, response_mode: mode });
      expect(view.location?.search ?? "").toBe("");
      const fields = await answered(client, view);
      expect(fields).toEqual({ code: CODE, id_token: expect.any(String), state: "some state" });
      expect(decodeJwt(String(fields.id_token))).toMatchObject({ nonce: "n-1", c_hash: expect.any(String) });
    },
  );

  test.each(["RS256", "ES256", "EdDSA"])("is signed with the client's id_token algorithm: %s", async (id_token_alg) => {
    const client = await newClient({ id_token_alg });
    const view = await client.visit(new Visitor(), { response_mode: "jwt", state: undefined });
    expect(decodeProtectedHeader(responseIn(view))).toMatchObject({ alg: id_token_alg, typ: "JWT" });
    expect(await answered(client, view)).toEqual({ code: CODE });
  });

  test("of a pushed request must be requested in the push", async () => {
    const client = await newClient();
    const asked = { response_type: "code", redirect_uri: CALLBACK, response_mode: "jwt", state: "pushed" };
    const { body } = await postAs(client.tenant.client, "/oauth2/par", asked);
    const query = new URLSearchParams({ client_id: client.id, request_uri: body.request_uri, response_mode: "query" });
    const visitor = new Visitor();
    const view = await client.goThrough(visitor, await visitor.open(`${RFC_PATH}?${query}`));
    expect(await answered(client, view)).toEqual({ code: CODE, state: "pushed" });
  });

  test("is used for every error too", async () => {
    const client = await newClient();
    const refusals: [Record<string, string>, string][] = [
      [{ prompt: "none" }, "login_required"],
      [{ scope: "AccessManager:Nothing" }, "invalid_scope"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ request: "x.y.z" }, "invalid_request_object"],
    ];
    for (const [fields, error] of refusals) {
      const view = await new Visitor().open(client.authorize({ response_mode: "fragment.jwt", ...fields }));
      expect(view.location!.href).toStartWith(`${CALLBACK}#response=`);
      const told = { error, error_description: expect.any(String), state: "some state" };
      expect(await answered(client, view)).toEqual(told);
    }
    const visitor = new Visitor();
    const consent = await visitor.submit(
      await visitor.open(client.authorize({ response_mode: "jwt" })),
      client.tenant.admin,
    );
    const denied = await visitor.submit(consent, { decision: "deny" });
    expect(await answered(client, denied)).toMatchObject({ error: "access_denied", state: "some state" });
  });

  test("can be requested inside a request object", async () => {
    const client = await newClient();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const inside = { client_id: client.id, response_mode: "form_post.jwt", state: "inside" };
    const unsigned = `${part({ alg: "none" })}.${part(inside)}.`;
    const view = await new Visitor().open(client.authorize({ request: unsigned, state: undefined }));
    expect(await answered(client, view)).toMatchObject({ error: "invalid_request_object", state: "inside" });
  });
});

describe.concurrent("is not given", () => {
  test("in a query that would contain an id_token (JARM 2.3.1)", async () => {
    const client = await newClient();
    const view = await new Visitor().open(client.authorize({ ...HYBRID, response_mode: "query.jwt" }));
    const told = await answered(client, view);
    expect(told).toMatchObject({ error: "invalid_request", error_description: expect.stringContaining("query.jwt") });
  });

  test.each([
    [SPEC_PATH, "jwt"],
    [SPEC_PATH, "query.jwt"],
    [RFC_PATH, "web_message.jwt"],
    [RFC_PATH, ".jwt"],
    [RFC_PATH, "JWT"],
  ])("at %s by %s: an error in plain fields", async (path, response_mode) => {
    const client = await newClient();
    const view = await new Visitor().open(client.authorize({ response_mode }, path));
    expect(answerOf(view)).toMatchObject({ error: "invalid_request", state: "some state" });
    expect(answerOf(view).response).toBeUndefined();
  });

  test("to a request with two modes", async () => {
    const client = await newClient();
    const view = await new Visitor().open(`${client.authorize({ response_mode: "jwt" })}&response_mode=query`);
    expect(answerOf(view)).toMatchObject({ error: "invalid_request", iss: issuer() });
  });

  test("where errors are not sent to the client", async () => {
    const client = await newClient();
    const fields = { response_mode: "jwt", redirect_uri: "https://evil.example/" };
    expect(await new Visitor().open(client.authorize(fields))).toMatchObject({ status: 404, location: undefined });
  });
});

test.concurrent("a signed answer is not accepted as a token", async () => {
  const client = await newClient();
  const browser = new Visitor();
  const response = responseIn(await client.visit(browser, { response_mode: "jwt" }));
  const headers = { authorization: `Bearer ${response}` };
  for (const path of ["/oauth2/userinfo", "/Endpoint/rest/api/v1/Entities"]) {
    expect([path, (await request("GET", path, { headers })).status]).toEqual([path, 401]);
  }
  const introspected = await postAs(client.tenant.client, "/oauth2/introspect", { token: response });
  expect(introspected.body).toEqual({ active: false });
  expectRfcError(await client.refresh(response), 400, "invalid_grant");
  const hinted = await browser.open(client.authorize({ id_token_hint: response, prompt: "none" }));
  expect(answerOf(hinted)).toMatchObject({ error: "login_required" });
  // As a hint, it would skip the confirmation.
  const logout = await browser.open(`/oauth2/logout?${new URLSearchParams({ id_token_hint: response })}`);
  expect(logout.heading).toBe("Sign out");
});

describe.concurrent("libraries", () => {
  async function visited(fields: Record<string, string> = {}) {
    const gatehouse = await newClient();
    const found = await oauth.discoveryRequest(new URL(issuer()), { algorithm: "oauth2", ...insecure });
    const as = await oauth.processDiscoveryResponse(new URL(issuer()), found);
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const view = await gatehouse.visit(new Visitor(), {
      ...{ response_mode: "jwt", state, code_challenge_method: "S256" },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      ...fields,
    });
    return { gatehouse, as, verifier, state, url: view.location! };
  }

  test("oauth4webapi takes the answer, and the code", async () => {
    const { gatehouse, as, verifier, state, url } = await visited();
    const client = { client_id: gatehouse.id, authorization_signed_response_alg: "RS256" };
    const callback = await oauth.validateJwtAuthResponse(as, client, url, state, insecure);
    const authentication = oauth.ClientSecretPost(gatehouse.tenant.client.clientSecret);
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

  test("oauth4webapi accepts an error, and rejects answers that are changed or for other clients", async () => {
    const { gatehouse, as, state, url } = await visited({ scope: "AccessManager:Nothing" });
    const client = { client_id: gatehouse.id };
    const check = (by: oauth.AuthorizationServer, whose: oauth.Client, at: URL) =>
      oauth.validateJwtAuthResponse(by, whose, at, state, insecure).then(
        () => undefined,
        (error) => error,
      );
    expect(await check(as, client, url)).toBeInstanceOf(oauth.AuthorizationResponseError);
    expect(await check(as, client, url)).toMatchObject({ error: "invalid_scope" });
    const stranger = await otherClient(gatehouse);
    expect(String(await check(as, { client_id: stranger.id }, url))).toContain('"aud"');
    expect(String(await check({ ...as, issuer: "https://another.example" }, client, url))).toContain('"iss"');
    const changed = new URL(url);
    const [header, payload, signature] = url.searchParams.get("response")!.split(".");
    const other = Buffer.from(JSON.stringify({ ...decodeJwt(`${header}.${payload}.`), error: "login_required" }));
    changed.searchParams.set("response", [header, other.toString("base64url"), signature].join("."));
    expect(String(await check(as, client, changed))).toContain("signature");
  });

  test("openid-client accepts it when configured to", async () => {
    const client = await newClient();
    const authentication = openid.ClientSecretPost(client.tenant.client.clientSecret);
    const execute = [openid.allowInsecureRequests, openid.useJwtResponseMode];
    const config = await openid.discovery(new URL(issuer()), client.id, undefined, authentication, { execute });
    const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()];
    const url = openid.buildAuthorizationUrl(config, {
      ...{ redirect_uri: CALLBACK, scope: "openid", state: expectedState, code_challenge_method: "S256" },
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    });
    expect(url.searchParams.get("response_mode")).toBe("jwt");
    const browser = new Visitor();
    const back = await client.goThrough(browser, await browser.open(url.pathname + url.search));
    const tokens = await openid.authorizationCodeGrant(config, back.location!, { pkceCodeVerifier, expectedState });
    expect(tokens.claims()!.sub).toStartWith("user-");
  });
});
