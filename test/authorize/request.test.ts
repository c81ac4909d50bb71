// The parameters of a request. Errors are sent to the client's address (SPEC.md "Authorization endpoint errors", RFC
// 6749 4.1.2.1, OIDC Core 3.1.2.6).

import { describe, expect, test } from "bun:test";
import { answerOf, CALLBACK, type Credentials, issuer, newClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { Visitor } from "../world/visitor.ts";

type Fields = Record<string, string | undefined>;
const PKCE = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
const HYBRID = { response_type: "code id_token", response_mode: "fragment", nonce: "n" };

const REFUSED: [name: string, fields: Fields, error: string, credentials?: Partial<Credentials>][] = [
  ["no response_type", { response_type: undefined }, "invalid_request"],
  ["response_type token", { response_type: "token" }, "unsupported_response_type"],
  ["response_type id_token", { response_type: "id_token", nonce: "n" }, "unsupported_response_type"],
  ["response_type id_token token", { response_type: "id_token token" }, "unsupported_response_type"],
  ["response_type code id_token token", { response_type: "code id_token token" }, "unsupported_response_type"],
  ["response_type code token", { response_type: "code token" }, "unsupported_response_type"],
  ["response_type none", { response_type: "none" }, "unsupported_response_type"],
  ["response_type Code", { response_type: "Code" }, "unsupported_response_type"],
  ["an unknown response_mode", { response_mode: "web_message" }, "invalid_request"],
  ["scopes of which none is the client's", { scope: "Color:Read groups" }, "invalid_scope"],
  ["a scope the client lacks", { scope: "Webhooks:Read" }, "invalid_scope", { scopes: ["openid"] }],
  ["a client without the grant", {}, "unauthorized_client", { grant_types: ["client_credentials"] }],
  ["a request object", { request: "e30.e30." }, "invalid_request_object"],
  ["a request_uri", { request_uri: "https://app.example/r" }, "request_uri_not_supported"],
  ["a registration", { registration: "{}" }, "registration_not_supported"],
  ["a prompt nobody knows", { prompt: "create" }, "invalid_request"],
  ["prompt none with another", { prompt: "none login" }, "invalid_request"],
  ["prompt none without a session", { prompt: "none" }, "login_required"],
  ["a max_age that is no number", { max_age: "soon" }, "invalid_request"],
  ["a negative max_age", { max_age: "-1" }, "invalid_request"],
  ["claims that are no JSON", { claims: "{" }, "invalid_request"],
  ["claims that are no object", { claims: "[]" }, "invalid_request"],
  ["claims with a member that is no object", { claims: '{"userinfo":{"email":1}}' }, "invalid_request"],
  [
    "an acr out of reach",
    { claims: '{"id_token":{"acr":{"essential":true,"values":["9"]}}}' },
    "unmet_authentication_requirements",
  ],
  [
    "an acr that is no text",
    { claims: '{"id_token":{"acr":{"essential":true,"values":[{"toString":null}]}}}' },
    "unmet_authentication_requirements",
  ],
  ["an id_token_hint that is none, with prompt none", { id_token_hint: "x.y.z", prompt: "none" }, "login_required"],
  ["code_challenge_method plain", { ...PKCE, code_challenge_method: "plain" }, "invalid_request"],
  ["no code_challenge_method, which means plain", { ...PKCE, code_challenge_method: undefined }, "invalid_request"],
  ["a method without a challenge", { code_challenge_method: "S256" }, "invalid_request"],
  ["a short code_challenge", { ...PKCE, code_challenge: "short" }, "invalid_request"],
  ["a public client without PKCE", {}, "invalid_request", { client_type: "public" }],
  ["a native client without PKCE", {}, "invalid_request", { client_type: "native" }],
  ["a resource that is not ours", { resource: "https://other.example" }, "invalid_target"],
  ["a nonce with a NUL", { nonce: "a\0b" }, "invalid_request"],
  ["an overlong nonce", { nonce: "n".repeat(1_001) }, "invalid_request"],
];

/** For tests that do not change the client. */
const shared = await newClient();

describe.concurrent("is refused by redirect", () => {
  test.each(REFUSED.map(([name, fields, error, credentials]) => ({ name, fields, error, credentials })))(
    "$name",
    async (row) => {
      const { fields, error, credentials } = row;
      const client = credentials ? await newClient(credentials) : shared;
      for (const path of [SPEC_PATH, RFC_PATH]) {
        const back = await new Visitor().open(client.authorize(fields, path));
        expect(back.status).toBe(302);
        const mode = path === RFC_PATH && /token/.test(fields.response_type ?? "") ? "#" : "?";
        expect(back.location!.href).toStartWith(`${CALLBACK}${mode}error=`);
        expect(answerOf(back)).toEqual({
          error,
          error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
          state: "some state",
          ...(path === RFC_PATH ? { iss: issuer() } : {}),
        });
        expect(back.headers.get("cache-control")).toBe("no-store");
        expect(back.headers.get("referrer-policy")).toBe("no-referrer");
      }
    },
  );

  test.each(["scope", "nonce", "response_type", "response_mode", "prompt", "code_challenge", "login_hint", "unknown"])(
    "%s is repeated",
    async (name) => {
      const client = shared;
      const twice = `&${name}=query&${name}=query`;
      const back = await new Visitor().open(client.authorize({ [name]: undefined }) + twice);
      expect(answerOf(back)).toMatchObject({ error: "invalid_request", state: "some state" });
    },
  );

  test("a repeated state is not returned", async () => {
    const client = shared;
    const back = await new Visitor().open(`${client.authorize()}&state=another`);
    expect(answerOf(back)).toEqual({
      error: "invalid_request",
      error_description: expect.any(String),
      iss: issuer(),
    });
  });

  test("at the RFC door an id_token never stands in a query", async () => {
    const client = shared;
    const fields = { response_type: "code id_token", response_mode: "query", nonce: "n" };
    expect(answerOf(await new Visitor().open(client.authorize(fields)))).toMatchObject({ error: "invalid_request" });
  });

  test.each([
    ["nonce is missing", { ...HYBRID, nonce: undefined }, "invalid_request"],
    ["the scope openid is missing", { ...HYBRID, scope: "profile" }, "invalid_scope"],
  ])("hybrid: %s, returned in the fragment", async (_, fields, error) => {
    const client = shared;
    const back = await new Visitor().open(client.authorize(fields));
    expect(back.location!.search).toBe("");
    expect(answerOf(back)).toMatchObject({ error, state: "some state" });
  });
});

describe.concurrent("is accepted", () => {
  test.each<[string, Fields]>([
    ["parameters nobody knows", { foo: "bar", ui_locales: "xx en", display: "popup", acr_values: "9 1" }],
    ["empty parameters, as if they were absent", { prompt: "", max_age: "", claims: "", response_mode: "" }],
    ["scope *", { scope: "*" }],
    ["no scope", { scope: undefined }],
    ["the issuer as resource", { resource: "{issuer}" }],
    ["a voluntary acr out of reach", { claims: '{"id_token":{"acr":{"values":["9"]}}}' }],
    ["id_token code", { ...HYBRID, response_type: "id_token code" }],
    ["NUL in a claim's name", { claims: '{"userinfo":{"\\u0000":null}}' }],
  ])("%s", async (_, fields) => {
    const client = await newClient();
    const all = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value?.replace("{issuer}", issuer())]),
    );
    const visitor = new Visitor();
    expect((await visitor.open(client.authorize(all))).heading).toBe("Sign in");
    expect(answerOf(await client.visit(visitor, all)).code).toBeString();
  });

  test("a POST is answered, and so are its errors", async () => {
    const client = await newClient();
    const [path, query] = client.authorize().split("?");
    expect((await new Visitor().post(path!, query!)).heading).toBe("Sign in");
    const back = await new Visitor().post(path!, `${query}&prompt=none`);
    expect(answerOf(back)).toMatchObject({ error: "login_required" });
    const wrong = await fetch(new Visitor().origin + path, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    expect(wrong.status).toBe(415);
  });

  test("a cross-site POST, which has no cookies, still finds the session", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    await client.visit(visitor);
    const [path, query] = client.authorize().split("?");
    const crossSite = await fetch(visitor.origin + path, {
      method: "POST",
      body: new URLSearchParams(query),
      redirect: "manual",
    });
    expect(crossSite.status).toBe(303);
    const back = await visitor.open(crossSite.headers.get("location")!);
    expect(answerOf(back).code).toBeString();
  });

  test("offline_access is ignored at the RFC door, where grant types decide about refresh tokens", async () => {
    const client = await newClient({ first_party: true, grant_types: ["authorization_code", "refresh_token"] });
    const scope = "openid offline_access";
    const { body } = await client.token(await client.code(new Visitor(), { scope, prompt: "consent" }));
    expect(body.scope).toBe("openid");
    const next = await client.refresh(body.refresh_token, { scope });
    expect(next).toMatchObject({ status: 200, body: { scope: "openid" } });
    const only = await client.token(await client.code(new Visitor(), { scope: "offline_access" }));
    expect(only.body.scope).toBe("openid profile name");
    const alone = await newClient({ first_party: true, grant_types: ["authorization_code"] });
    const other = await alone.token(await alone.code(new Visitor(), { scope }));
    expect(other.body).not.toHaveProperty("refresh_token");
    const refused = await new Visitor().open(client.authorize({ scope: "offline_access" }, SPEC_PATH));
    expect(answerOf(refused)).toMatchObject({ error: "invalid_scope" });
  });

  test("other methods are 405 with Allow", async () => {
    for (const path of [SPEC_PATH, RFC_PATH, "/oauth2/logout"]) {
      const answer = await fetch(new Visitor().origin + path, { method: "DELETE" });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    }
  });
});
