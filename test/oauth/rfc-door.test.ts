// POST /oauth2/token: RFC 6749, strictly.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { RFC_TOKEN_PATH } from "../world/client.ts";
import { basic, changeCredentials, expectRfcError, form, newClientOfType, postAs } from "../world/grants.ts";
import { newTenant, request } from "../world/tenant.ts";

const GRANT = { grant_type: "client_credentials" };
const FORM = "application/x-www-form-urlencoded";

const client = await newTenant();

const ask = (fields: Record<string, string | undefined> = {}) =>
  postAs(client, RFC_TOKEN_PATH, { ...GRANT, scope: "openid", ...fields });
const send = (body: BodyInit, headers: Record<string, string> = {}) =>
  request("POST", RFC_TOKEN_PATH, { body, headers });

describe("a client credentials grant", () => {
  test("returns a token and its scope, and no refresh token (RFC 6749 4.4.3, 5.1)", async () => {
    const answer = await ask({ scope: "AccessManager:Create, Update" });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token_type: "Bearer",
      expires_in: 3600,
      access_token: expect.stringMatching(/./),
      scope: "AccessManager:Create AccessManager:Update",
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("pragma")).toBe("no-cache");
    expect(decodeJwt(answer.body.access_token)).toMatchObject({ sub: client.clientId, client_id: client.clientId });
  });

  test("by Basic", async () => {
    const answer = await send(form(GRANT), basic(client.clientId, client.clientSecret));
    expect(answer.status).toBe(200);
  });

  test("by Basic with the client_id in the form, and with unknown parameters", async () => {
    const body = form({ ...GRANT, client_id: client.clientId, color: "blue", client_secret: "" });
    expect((await send(body, basic(client.clientId, client.clientSecret))).status).toBe(200);
  });

  test("for the API as its resource (RFC 8707)", async () => {
    const { iss } = decodeJwt(client.token);
    expect((await ask({ resource: iss })).status).toBe(200);
    expect((await ask({ resource: `${iss}/Endpoint/rest/api/v1` })).status).toBe(200);
    expectRfcError(await ask({ resource: "https://api.example.com" }), 400, "invalid_target");
  });
});

describe("invalid_client, 401:", () => {
  const challenge = 'Basic realm="Gatehouse", charset="UTF-8"';

  test.each([
    ["a wrong secret", () => ask({ client_secret: "wrong" })],
    ["an unknown client", () => ask({ client_id: "999999999" })],
    ["a client_id that is no number", () => ask({ client_id: "app'; --" })],
    ["no client_id", () => ask({ client_id: undefined })],
    ["no client_secret", () => ask({ client_secret: undefined })],
    ["an empty client_secret", () => ask({ client_secret: "" })],
  ])("%s in the form, without a challenge", async (_, asked) => {
    const answer = await asked();
    expectRfcError(answer, 401, "invalid_client");
    expect(answer.headers.get("www-authenticate")).toBeNull();
  });

  test.each([
    ["a wrong secret", () => basic(client.clientId, "wrong")],
    ["no secret", () => basic(client.clientId, "")],
    ["an unknown client", () => basic("nobody", client.clientSecret)],
    ["no Basic", () => ({ authorization: `Bearer ${client.token}` })],
    ["no base64", () => ({ authorization: "Basic !!!" })],
    ["no colon", () => ({ authorization: `Basic ${btoa("abc")}` })],
  ])("%s in the header, with a challenge (RFC 6749 5.2)", async (_, header) => {
    const answer = await send(form(GRANT), header());
    expectRfcError(answer, 401, "invalid_client");
    expect(answer.headers.get("www-authenticate")).toBe(challenge);
  });

  test("is the same for a wrong secret and an unknown client", async () => {
    const [wrong, unknown] = await Promise.all([ask({ client_secret: "wrong" }), ask({ client_id: "999999999" })]);
    expect(wrong.body).toEqual(unknown.body);
    const [none, nobody] = await Promise.all([
      ask({ client_secret: undefined }),
      ask({ client_secret: undefined, client_id: "999999999" }),
    ]);
    expect(none.body).toEqual(nobody.body);
  });
});

describe("invalid_request, 400:", () => {
  test.each([undefined, ""])("grant_type %p", async (grant) => {
    expectRfcError(await ask({ grant_type: grant }), 400, "invalid_request", /grant_type is missing/);
  });

  test("credentials in the form and in the header (RFC 6749 2.3)", async () => {
    const body = form({ ...GRANT, client_id: client.clientId, client_secret: client.clientSecret });
    expectRfcError(await send(body, basic(client.clientId, client.clientSecret)), 400, "invalid_request", /not both/);
  });

  test("different client_ids in the form and the header", async () => {
    const body = form({ ...GRANT, client_id: "1" });
    expectRfcError(await send(body, basic(client.clientId, client.clientSecret)), 400, "invalid_request");
  });

  test.each(["grant_type", "client_id", "client_secret", "scope", "color"])("%s repeated (3.2)", async (name) => {
    const body = form({ ...GRANT, client_id: client.clientId, client_secret: client.clientSecret, scope: "openid" });
    body.append(name, "x");
    body.append(name, "x");
    expectRfcError(await send(body), 400, "invalid_request", new RegExp(name));
  });

  test.each(["application/json", "text/plain", "multipart/form-data; boundary=x"])("Content-Type %s", async (type) => {
    expectRfcError(await send("grant_type=client_credentials", { "content-type": type }), 400, "invalid_request");
  });

  test("bytes that are not UTF-8", async () => {
    const answer = await send(Buffer.from("grant_type=\xff", "latin1"), { "content-type": FORM });
    expectRfcError(answer, 400, "invalid_request");
  });

  test("parameters in the query are ignored (2.3.1)", async () => {
    const query = form({ ...GRANT, client_id: client.clientId, client_secret: client.clientSecret });
    const answer = await request("POST", `${RFC_TOKEN_PATH}?${query}`, { body: "", headers: { "content-type": FORM } });
    expectRfcError(answer, 401, "invalid_client");
  });
});

test.each(["GET", "PUT", "DELETE"])("%s is 405 with Allow", async (method) => {
  const answer = await request(method, RFC_TOKEN_PATH);
  expectRfcError(answer, 405, "invalid_request");
  expect(answer.headers.get("allow")).toBe("POST");
});

test("a form above 64 KiB is 413", async () => {
  expectRfcError(await ask({ scope: "x ".repeat(40_000) }), 413, "invalid_request");
});

test.each(["password", "Client_Credentials", "urn:x", "constructor", "__proto__"])(
  "grant_type %p is unsupported_grant_type",
  async (grant) => {
    expectRfcError(await ask({ grant_type: grant }), 400, "unsupported_grant_type");
  },
);

test.each(["Color:Read", "Color:Read groups", "ключ", 'a"b\\c', "**"])("scope %p is invalid_scope", async (scope) => {
  expectRfcError(await ask({ scope }), 400, "invalid_scope");
});

describe("unauthorized_client, 400:", () => {
  test("a grant that the client does not have", async () => {
    const own = await newTenant();
    await changeCredentials(own, { GrantTypes: ["refresh_token"] });
    expectRfcError(await postAs(own, RFC_TOKEN_PATH, GRANT), 400, "unauthorized_client", /client_credentials/);
  });

  test.each(["public", "native"])("a %s client never gets a token of its own (4.4)", async (type) => {
    const own = await newClientOfType(type);
    const answers = [
      await postAs(own, RFC_TOKEN_PATH, { ...GRANT, client_secret: undefined }),
      await postAs(own, RFC_TOKEN_PATH, GRANT),
    ];
    for (const answer of answers) expectRfcError(answer, 400, "unauthorized_client", /confidential/);
  });
});
