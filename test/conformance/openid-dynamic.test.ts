// The Dynamic OP plan of the OpenID conformance suite, by the names of its modules; each registers a client with
// private_key_jwt. oidcc-discovery-endpoint-verification is in openid-config.test.ts, oidcc-server-rotate-keys in
// test/oauth/keys.test.ts. Left out are logos and policies on the sign-in page (oidcc-registration-logo-uri,
// -policy-uri, -tos-uri), and features that discovery does not advertise: unsigned id_tokens and request_uri. The last
// tests check that these are rejected.

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import type { Answer } from "../world/api.ts";
import { answerOf, issuer, RFC_PATH, RFC_TOKEN_PATH } from "../world/client.ts";
import { form } from "../world/grants.ts";
import { at, initialToken, newRegistrar, REDIRECT, refused, register, send } from "../world/registrar.ts";
import { assertion, assertionClaims, newSigner, publish, type Signer } from "../world/signer.ts";
import { request, shared } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

type Fields = Record<string, string | undefined>;

const registrar = await newRegistrar("InitialAccessToken");
const initial = await initialToken(registrar, { Uses: 100 });

const asks = (metadata: object) => register(registrar, metadata, initial);

/** A client that registered itself. */
class Registered {
  readonly browser = new Visitor();

  private constructor(
    readonly answer: Answer,
    public signer: Signer,
    readonly redirectUri: string,
  ) {}

  static async of(more: object = {}, signer?: Signer, redirectUri = REDIRECT): Promise<Registered> {
    const own = signer ?? (await newSigner());
    const answer = await asks({
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "private_key_jwt",
      ...("jwks_uri" in more ? {} : { jwks: { keys: [own.jwk] } }),
      ...more,
    });
    expect([answer.status, answer.body.error_description]).toEqual([201, undefined]);
    return new Registered(answer, own, redirectUri);
  }

  get id(): string {
    return this.answer.body.client_id;
  }

  /** Signs the user in, and allows the request. */
  async visit(fields: Fields = {}): Promise<View> {
    const { username, password } = registrar;
    let view = await this.open(fields);
    if (view.heading === "Sign in") view = await this.browser.submit(view, { username, password });
    if (view.heading === "Allow access") view = await this.browser.submit(view, { decision: "allow" });
    return view;
  }

  open(fields: Fields = {}): Promise<View> {
    const asked = {
      response_type: "code",
      client_id: this.id,
      redirect_uri: this.redirectUri,
      scope: "openid",
      ...fields,
    };
    const sent = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return this.browser.open(`${RFC_PATH}?${new URLSearchParams(sent)}`);
  }

  async token(fields: Fields, claims: JWTPayload = {}): Promise<Answer> {
    const signed = await this.signer.sign({ ...assertionClaims(this.id, issuer()), ...claims });
    return request("POST", RFC_TOKEN_PATH, { body: form({ ...assertion(signed), ...fields }) });
  }

  async redeem(view: View, claims?: JWTPayload): Promise<Answer> {
    const { code } = answerOf(view);
    return this.token({ grant_type: "authorization_code", code, redirect_uri: this.redirectUri }, claims);
  }

  /** The complete flow, as every module of the suite checks it. */
  async flow(claims?: JWTPayload) {
    const answer = await this.redeem(await this.visit({ nonce: "some nonce" }), claims);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    const { id_token, access_token, refresh_token } = answer.body;
    const expected = { issuer: issuer(), audience: this.id, algorithms: ["RS256"] };
    const { payload } = await jwtVerify(id_token, keys(), expected);
    expect(payload.nonce).toBe("some nonce");
    const headers = { authorization: `Bearer ${access_token}` };
    const userinfo = await request("GET", "/oauth2/userinfo", { headers });
    expect([userinfo.status, userinfo.body.sub]).toEqual([200, payload.sub]);
    return { idToken: id_token as string, refreshToken: refresh_token as string, sub: payload.sub! };
  }
}

const keys = () => createRemoteJWKSet(new URL(`${shared().url}/.well-known/jwks.json`));

// In sequence, because concurrent password checks of one account are limited.
describe("oidcc-dynamic-certification-test-plan:", () => {
  test("oidcc-server", async () => {
    await (await Registered.of()).flow();
  });

  test("oidcc-ensure-client-assertion-with-iss-aud-succeeds", async () => {
    await (await Registered.of()).flow({ aud: issuer() });
  });

  test("oidcc-ensure-redirect-uri-in-authorization-request: an error page, no redirect", async () => {
    const view = await (await Registered.of()).open({ redirect_uri: undefined });
    expect(view.location).toBeUndefined();
    expect(view.status).toBeWithin(400, 500);
  });

  test("oidcc-ensure-request-object-with-redirect-uri: the object's takes precedence", async () => {
    const client = await Registered.of();
    const now = Math.floor(Date.now() / 1000);
    const asked = { response_type: "code", redirect_uri: REDIRECT, scope: "openid", state: "of the object" };
    const claims = { iss: client.id, aud: issuer(), client_id: client.id, jti: Bun.randomUUIDv7(), exp: now + 60 };
    const object = await client.signer.sign({ ...claims, ...asked }, { typ: "oauth-authz-req+jwt" });
    const view = await client.visit({ request: object, redirect_uri: "https://other.example/callback" });
    expect(view.location!.origin + view.location!.pathname).toBe(REDIRECT);
    expect(answerOf(view)).toMatchObject({ state: "of the object", code: expect.any(String) });
  });

  test("oidcc-idtoken-rs256", async () => {
    const { idToken } = await (await Registered.of({ id_token_signed_response_alg: "RS256" })).flow();
    expect(decodeProtectedHeader(idToken)).toMatchObject({ alg: "RS256", kid: expect.any(String) });
  });

  test("oidcc-redirect-uri-query-OK: its query is kept", async () => {
    const client = await Registered.of({}, undefined, `${REDIRECT}?foo=bar`);
    const view = await client.visit();
    expect(view.location!.searchParams.get("foo")).toBe("bar");
    expect((await client.redeem(view)).status).toBe(200);
  });

  test.each([
    ["added", REDIRECT, `${REDIRECT}?foo=bar`],
    ["mismatch", `${REDIRECT}?foo=bar`, `${REDIRECT}?foo=baz`],
  ])("oidcc-redirect-uri-query-%s: an error page, no redirect", async (_, uri, redirect_uri) => {
    const view = await (await Registered.of({}, undefined, uri)).open({ redirect_uri });
    expect(view).toMatchObject({ status: 404, location: undefined });
  });

  test("oidcc-redirect-uri-regfrag: is not registered", async () => {
    refused(await asks({ redirect_uris: [`${REDIRECT}#fragment`] }), "invalid_redirect_uri");
  });

  test("oidcc-refresh-token", async () => {
    const client = await Registered.of({ grant_types: ["authorization_code", "refresh_token"] });
    const { refreshToken, sub } = await client.flow();
    const { status, body } = await client.token({ grant_type: "refresh_token", refresh_token: refreshToken });
    expect(status).toBe(200);
    const { payload } = await jwtVerify(body.id_token, keys(), { issuer: issuer(), audience: client.id });
    expect(payload.sub).toBe(sub);
    const other = await Registered.of({ grant_types: ["authorization_code", "refresh_token"] });
    const stolen = await other.token({ grant_type: "refresh_token", refresh_token: body.refresh_token });
    expect([stolen.status, stolen.body.error]).toEqual([400, "invalid_grant"]);
  });

  test("oidcc-refresh-token-rp-key-rotation: with the new key only", async () => {
    const client = await Registered.of({ grant_types: ["authorization_code", "refresh_token"] });
    const { refreshToken } = await client.flow();
    const [former, next] = [client.signer, await newSigner()];
    const { registration_access_token: token } = client.answer.body;
    const changed = {
      ...{ client_id: client.id, redirect_uris: [REDIRECT], token_endpoint_auth_method: "private_key_jwt" },
      ...{ grant_types: ["authorization_code", "refresh_token"], jwks: { keys: [next.jwk] } },
    };
    expect((await send("PUT", at(client.answer), token, changed)).status).toBe(200);
    const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
    client.signer = former;
    const byFormer = await client.token(fields);
    expect([byFormer.status, byFormer.body.error]).toEqual([401, "invalid_client"]);
    client.signer = next;
    expect((await client.token(fields)).status).toBe(200);
  });

  test("oidcc-userinfo-rs256", async () => {
    const client = await Registered.of({ userinfo_signed_response_alg: "RS256" });
    const { body } = await client.redeem(await client.visit());
    const headers = { authorization: `Bearer ${body.access_token}` };
    const answer = await fetch(`${shared().url}/oauth2/userinfo`, { headers });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/jwt"]);
    const expected = { issuer: issuer(), audience: client.id, algorithms: ["RS256"] };
    const { payload } = await jwtVerify(await answer.text(), keys(), expected);
    expect(payload.sub).toBe(decodeJwt(body.id_token).sub!);
  });

  test("oidcc-registration-jwks-uri", async () => {
    const signer = await newSigner();
    await using published = publish(() => Response.json({ keys: [signer.jwk] }));
    await (await Registered.of({ jwks_uri: published.uri }, signer)).flow();
  });

  test("oidcc-registration-sector-uri, oidcc-registration-sector-bad: it must list the redirect URI", async () => {
    let listed = [REDIRECT];
    await using sector = publish(() => Response.json(listed));
    const pairwise = { subject_type: "pairwise", sector_identifier_uri: sector.uri };
    const { sub } = await (await Registered.of(pairwise)).flow();
    expect((await (await Registered.of(pairwise)).flow()).sub).toBe(sub);
    listed = ["https://other.example/callback"];
    refused(await asks({ redirect_uris: [REDIRECT], ...pairwise }), "invalid_client_metadata", /does not list/);
  });

  test("oidcc-idtoken-unsigned: not advertised; a client that requests it is registered with a signed one", async () => {
    const answer = await asks({ redirect_uris: [REDIRECT], id_token_signed_response_alg: "none" });
    expect([answer.status, answer.body.id_token_signed_response_alg]).toEqual([201, "RS256"]);
    const { body } = await request("GET", "/.well-known/openid-configuration");
    expect(body.id_token_signing_alg_values_supported).not.toContain("none");
  });

  test("oidcc-request-uri-unsigned, oidcc-request-uri-signed-rs256: requests by reference are not fetched", async () => {
    const client = await Registered.of();
    await using published = publish(() => new Response("no request"));
    const view = await client.open({ request_uri: published.uri });
    expect(view.location?.searchParams.get("code") ?? undefined).toBeUndefined();
    expect(published.asked).toBe(0);
    const { body } = await request("GET", "/.well-known/openid-configuration");
    expect(body.request_uri_parameter_supported).toBe(false);
  });
});
