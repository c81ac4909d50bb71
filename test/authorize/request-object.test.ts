// Authorization requests signed by their clients (RFC 9101): by value, and pushed.

import { describe, expect, test } from "bun:test";
import { type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { removeExpiredPushes } from "../../server/identity/oauth/authorize/pushed.store.ts";
import {
  answerOf,
  CALLBACK,
  type Client,
  issuer,
  newClient,
  RFC_PATH,
  SPEC_PATH,
  setCredentials,
} from "../world/client.ts";
import { expectRfcError, postAs } from "../world/grants.ts";
import { countOf, elapse } from "../world/rows.ts";
import { newSigner, type Signer } from "../world/signer.ts";
import { db } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PAR = "/oauth2/par";
const TYP = "oauth-authz-req+jwt";

async function signingClient(): Promise<{ client: Client; signer: Signer }> {
  const [client, signer] = await Promise.all([newClient(), newSigner()]);
  await setCredentials(client.id, { jwks: { keys: [signer.jwk] } });
  return { client, signer };
}

const now = () => Math.floor(Date.now() / 1000);

function claimsOf(client: Client, more: JWTPayload = {}): JWTPayload {
  const asked = { response_type: "code", redirect_uri: CALLBACK, scope: "openid", state: "signed state" };
  const about = { iss: client.id, aud: issuer(), client_id: client.id, exp: now() + 60, iat: now() };
  return { ...about, ...asked, ...more };
}

/** Valid JSON that cannot be converted to text. */
const NO_TEXT = { toString: null };
const unsigned = async (...parts: object[]) =>
  `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.AAAA`;

const at = (client: Client, request: string, path = RFC_PATH, beside: Record<string, string> = {}) =>
  `${path}?${new URLSearchParams({ client_id: client.id, request, ...beside })}`;

describe.concurrent("a signed request", () => {
  test.each([SPEC_PATH, RFC_PATH])("is answered at %s, and parameters beside it are ignored", async (path) => {
    const { client, signer } = await signingClient();
    const object = await signer.sign(claimsOf(client), { typ: TYP });
    const beside = { response_type: "x", redirect_uri: "https://evil.example/", scope: "profile", state: "other" };
    const visitor = new Visitor();
    const answer = answerOf(await client.goThrough(visitor, await visitor.open(at(client, object, path, beside))));
    expect(answer.state).toBe("signed state");
    const token = await client.token(answer.code!);
    expect(token.body).toMatchObject({ scope: "openid" });
  });

  test("is answered once, also if its signature is encoded differently", async () => {
    const { client, signer } = await signingClient();
    const claims = claimsOf(client);
    const object = await signer.sign(claims, { typ: TYP });
    const begin = (text: string) => new Visitor().open(at(client, text));
    // It may be loaded again until it is answered.
    expect([(await begin(object)).status, (await begin(object)).status]).toEqual([200, 200]);
    const visitor = new Visitor();
    const first = answerOf(await client.goThrough(visitor, await visitor.open(at(client, object))));
    expect(first.code).toBeString();
    const again = answerOf(await begin(object));
    expect(again).toMatchObject({ error: "invalid_request_object", state: "signed state" });
    expect(again.code).toBeUndefined();
    expect(again.error_description).toContain("was used before");
    const resigned = await signer.sign(claims, { typ: TYP });
    expect(resigned).not.toBe(object);
    expect(answerOf(await begin(resigned)).error_description).toContain("was used before");
    expect((await client.token(first.code!)).status).toBe(200);
  });

  const push = (client: Client, object: string) => postAs(client.tenant.client, PAR, { request: object });
  const brought = (client: Client, uri: string) =>
    `${RFC_PATH}?${new URLSearchParams({ client_id: client.id, request_uri: uri })}`;

  test("is answered once, whether pushed repeatedly or sent directly", async () => {
    const { client, signer } = await signingClient();
    const object = await signer.sign(claimsOf(client), { typ: TYP });
    const uris = [];
    for (let times = 0; times < 4; times++) uris.push((await push(client, object)).body.request_uri);
    const visitor = new Visitor();
    const first = answerOf(await client.goThrough(visitor, await visitor.open(brought(client, uris[0]))));
    expect(first.code).toBeString();
    for (const uri of [...uris, uris[1]]) {
      expect(answerOf(await visitor.open(brought(client, uri))).error).toBe("invalid_request_uri");
    }
    expect(answerOf(await visitor.open(at(client, object))).error).toBe("invalid_request_object");
    expectRfcError(await push(client, object), 400, "invalid_request_object", /used before/);
    expect((await client.token(first.code!)).status).toBe(200);
  });

  test("is answered once if pushed and sent concurrently", async () => {
    const { client, signer } = await signingClient();
    const visitor = new Visitor();
    await client.visit(visitor, { scope: "openid" });
    const object = await signer.sign(claimsOf(client), { typ: TYP });
    const uris = await Promise.all(
      Array.from({ length: 4 }, async () => (await push(client, object)).body.request_uri),
    );
    const paths = [...uris.map((uri) => brought(client, uri)), at(client, object)];
    const answers = (await Promise.all(paths.map((path) => visitor.open(path)))).map(answerOf);
    expect(answers.filter(({ code }) => code)).toHaveLength(1);
    expect(answers.filter(({ error }) => error)).toHaveLength(4);
  });

  test("is used up by an error too, and cannot be pushed again after an answer", async () => {
    const { client, signer } = await signingClient();
    const refused = () => signer.sign(claimsOf(client, { prompt: "none", jti: Bun.randomUUIDv7() }), { typ: TYP });
    const [one, other] = [await refused(), await refused()];
    expect(answerOf(await new Visitor().open(at(client, one))).error).toBe("login_required");
    expectRfcError(await push(client, one), 400, "invalid_request_object", /used before/);
    const { body } = await push(client, other);
    expect(answerOf(await new Visitor().open(brought(client, body.request_uri))).error).toBe("login_required");
    expect(answerOf(await new Visitor().open(at(client, other))).error_description).toContain("was used before");
  });

  test("stays used until it expires, even after its pushed request is deleted", async () => {
    const { client, signer } = await signingClient();
    const object = await signer.sign(claimsOf(client, { exp: now() + 3_000 }), { typ: TYP });
    const { body } = await push(client, object);
    const visitor = new Visitor();
    expect(
      answerOf(await client.goThrough(visitor, await visitor.open(brought(client, body.request_uri)))).code,
    ).toBeString();
    await elapse("40 minutes", "pushed_requests", { client_id: client.id });
    await removeExpiredPushes(db());
    expectRfcError(await push(client, object), 400, "invalid_request_object", /used before/);
  });

  test.each([TYP, TYP.toUpperCase(), `application/${TYP}`, "JWT", "jwt", undefined])(
    "may have the typ %p",
    async (typ) => {
      const { client, signer } = await signingClient();
      const object = await signer.sign(claimsOf(client), typ === undefined ? {} : { typ });
      const visitor = new Visitor();
      expect(answerOf(await client.goThrough(visitor, await visitor.open(at(client, object)))).code).toBeString();
    },
  );

  test("can be pushed, and parameters beside it are ignored", async () => {
    const { client, signer } = await signingClient();
    const request = await signer.sign(claimsOf(client), { typ: TYP });
    const pushed = await postAs(client.tenant.client, PAR, { request, scope: "profile", state: "other" });
    expect(pushed.status).toBe(201);
    const visitor = new Visitor();
    const query = new URLSearchParams({ client_id: client.id, request_uri: pushed.body.request_uri });
    const answer = answerOf(await client.goThrough(visitor, await visitor.open(`${RFC_PATH}?${query}`)));
    expect(answer.state).toBe("signed state");
    expect((await client.token(answer.code!)).body).toMatchObject({ scope: "openid" });
  });

  test("has numbers, lists and the claims parameter in JSON form", async () => {
    const { client, signer } = await signingClient();
    const more = { max_age: 0, claims: { id_token: { auth_time: { essential: true } } }, resource: [issuer()] };
    const visitor = new Visitor();
    const object = await signer.sign(claimsOf(client, more), { typ: TYP });
    const answer = answerOf(await client.goThrough(visitor, await visitor.open(at(client, object))));
    expect((await client.token(answer.code!)).body.id_token).toBeString();
  });

  test("redirects only to the client's registered addresses", async () => {
    const { client, signer } = await signingClient();
    const object = await signer.sign(claimsOf(client, { redirect_uri: "https://evil.example/" }));
    const view = await new Visitor().open(at(client, object, RFC_PATH, { redirect_uri: CALLBACK }));
    expect(view).toMatchObject({ status: 404, location: undefined });
  });

  test("does not replace a required push", async () => {
    const { client, signer } = await signingClient();
    await setCredentials(client.id, { require_par: true });
    const object = await signer.sign(claimsOf(client));
    const view = await new Visitor().open(at(client, object, RFC_PATH, { redirect_uri: CALLBACK }));
    expect(answerOf(view).error).toBe("invalid_request");
    expect((await postAs(client.tenant.client, PAR, { request: object })).status).toBe(201);
  });

  test("is the only accepted form where required, pushed or not", async () => {
    const { client, signer } = await signingClient();
    await setCredentials(client.id, { require_signed_request_object: true });
    const says = { error: "invalid_request", error_description: expect.stringMatching(/must sign/) };
    expect(answerOf(await new Visitor().open(client.authorize()))).toMatchObject(says);
    const plain = { response_type: "code", redirect_uri: CALLBACK, scope: "openid" };
    const refused = await postAs(client.tenant.client, PAR, plain);
    expect([refused.status, refused.body]).toMatchObject([400, says]);
    const visitor = new Visitor();
    const object = await signer.sign(claimsOf(client), { typ: TYP });
    expect(answerOf(await client.goThrough(visitor, await visitor.open(at(client, object)))).code).toBeString();
    const pushed = await postAs(client.tenant.client, PAR, { request: await signer.sign(claimsOf(client)) });
    const query = new URLSearchParams({ client_id: client.id, request_uri: pushed.body.request_uri });
    expect(answerOf(await visitor.open(`${RFC_PATH}?${query}`)).code).toBeString();
  });
});

describe.concurrent("is rejected, in a browser and when pushed", () => {
  type Made = (client: Client, signer: Signer) => Promise<string>;
  const signed =
    (more: (client: Client) => JWTPayload, header: Partial<JWTHeaderParameters> = { typ: TYP }): Made =>
    (client, signer) =>
      signer.sign(claimsOf(client, more(client)), header);

  test.each<[string, Made, RegExp]>([
    ["that is not signed", async (client) => new UnsecuredJWT(claimsOf(client)).encode(), /alg/],
    [
      "by HMAC with the public key",
      async (client, { jwk }) =>
        new SignJWT(claimsOf(client))
          .setProtectedHeader({ alg: "HS256", typ: TYP, kid: jwk.kid })
          .sign(new TextEncoder().encode(JSON.stringify(jwk))),
      /alg/,
    ],
    [
      "by a key of another client, of another tenant",
      async (client, { jwk }) => {
        const other = await newSigner("ES256", jwk.kid);
        const owner = await newClient();
        await setCredentials(owner.id, { jwks: { keys: [other.jwk] } });
        return other.sign(claimsOf(client), { typ: TYP });
      },
      /not signed by a key of the client/,
    ],
    ["that is none", async () => "x.y", /not a signed JWT/],
    ["of another client", signed(() => ({ client_id: "1" })), /client_id/],
    ["of no client", signed(() => ({ client_id: undefined })), /client_id/],
    ["of another issuer", signed(() => ({ iss: "1" })), /iss/],
    ["that could be a client assertion", signed(({ id }) => ({ sub: id })), /sub/],
    ["for another server", signed(() => ({ aud: "https://elsewhere.example" })), /aud/],
    ["for nobody", signed(() => ({ aud: undefined })), /aud/],
    ["that has expired", signed(() => ({ exp: now() - 20 })), /expired/],
    ["without an end", signed(() => ({ exp: undefined })), /exp is missing/],
    ["of a day", signed(() => ({ exp: now() + 86_400 })), /at most/],
    ["of the future", signed(() => ({ nbf: now() + 60 })), /future/],
    ["of another type", signed(() => ({}), { typ: "at+jwt" }), /typ/],
    ["whose type is no text", (client) => unsigned({ alg: "ES256", typ: NO_TEXT }, claimsOf(client)), /typ/],
    ["whose algorithm is no text", (client) => unsigned({ alg: NO_TEXT }, claimsOf(client)), /alg/],
    ["in a request object", signed(() => ({ request: "x" })), /request/],
    ["with a request_uri", signed(() => ({ request_uri: "urn:x" })), /request/],
    ["with a state that is no text", signed(() => ({ state: { a: 1 } })), /state has the wrong type/],
  ])("%s", async (_, make, says) => {
    const { client, signer } = await signingClient();
    const object = await make(client, signer);
    for (const path of [RFC_PATH, SPEC_PATH]) {
      const beside = { redirect_uri: CALLBACK, response_type: "code", scope: "openid", state: "outside" };
      const answer = answerOf(await new Visitor().open(at(client, object, path, beside)));
      expect(answer).toMatchObject({ error: "invalid_request_object", state: "outside" });
      expect(answer.error_description).toMatch(says);
    }
    const pushed = await postAs(client.tenant.client, PAR, { request: object });
    expectRfcError(pushed, 400, "invalid_request_object", says);
    expect(await countOf("pushed_requests", { client_id: client.id })).toBe(0);
  });
});

describe.concurrent("by a library", () => {
  test("openid-client signs the request", async () => {
    const { client, signer } = await signingClient();
    const { clientSecret } = client.tenant.client;
    const authentication = openid.ClientSecretPost(clientSecret);
    const execute = [openid.allowInsecureRequests];
    const config = await openid.discovery(new URL(issuer()), client.id, undefined, authentication, { execute });
    const asked = { redirect_uri: CALLBACK, scope: "openid", state: "signed state" };
    const key = { key: signer.privateKey, kid: signer.jwk.kid! };
    const url = await openid.buildAuthorizationUrlWithJAR(config, asked, key);
    const visitor = new Visitor();
    const view = await client.goThrough(visitor, await visitor.open(url.pathname + url.search));
    const tokens = await openid.authorizationCodeGrant(config, view.location!, { expectedState: "signed state" });
    expect(tokens.claims()?.aud).toBe(client.id);
  });

  test("oauth4webapi signs the request and pushes it", async () => {
    const { client: own, signer } = await signingClient();
    const insecure = { [oauth.allowInsecureRequests]: true };
    const found = await oauth.discoveryRequest(new URL(issuer()), insecure);
    const as = await oauth.processDiscoveryResponse(new URL(issuer()), found);
    const client: oauth.Client = { client_id: own.id };
    const asked = new URLSearchParams({ response_type: "code", redirect_uri: CALLBACK, scope: "openid", state: "s" });
    const key = { key: signer.privateKey, kid: signer.jwk.kid! };
    const request = await oauth.issueRequestObject(as, client, asked, key);
    const authentication = oauth.ClientSecretPost(own.tenant.client.clientSecret);
    const answer = await oauth.pushedAuthorizationRequest(as, client, authentication, { request }, insecure);
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, answer);
    const visitor = new Visitor();
    const query = new URLSearchParams({ client_id: own.id, request_uri });
    const view = await own.goThrough(visitor, await visitor.open(`${RFC_PATH}?${query}`));
    expect(oauth.validateAuthResponse(as, client, view.location!, "s").get("code")).toBeString();
  });
});
