// POST /oauth2/revoke (RFC 7009) and /oauth2/introspect (RFC 7662).

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { type Answer, type Api, ok, TOKEN_PATH, until } from "../world/api.ts";
import { RFC_TOKEN_PATH } from "../world/client.ts";
import {
  age,
  basic,
  clientGrant,
  expectRfcError,
  form,
  otherProcess,
  postAs,
  refresh,
  userFamily,
} from "../world/grants.ts";
import { rowsOf, setRows } from "../world/rows.ts";
import { newMember, newTenant, request } from "../world/tenant.ts";

const REVOKE = "/oauth2/revoke";
const INTROSPECT = "/oauth2/introspect";

const client = await newTenant();
const issuer = String(decodeJwt(client.token).iss);

const revoke = (token: string, by = client) => postAs(by, REVOKE, { token });
const introspect = (token: string, by = client) => postAs(by, INTROSPECT, { token });
const callApi = (token: string) => client.send("GET", "/Entities", { headers: { authorization: `Bearer ${token}` } });

function expectRevoked(answer: Answer): void {
  expect(answer.status).toBe(200);
  expect(answer.body).toBeUndefined();
  expect(answer.headers.get("cache-control")).toBe("no-store");
}

function expectInactive(answer: Answer): void {
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ active: false });
}

async function makePublic(own: Api): Promise<void> {
  const changes = { ClientType: "public", GrantTypes: ["refresh_token"], RedirectUris: [] };
  await ok((await newMember(own, "admin")).patch(`/Application/${own.clientId}/Credentials`, changes));
}

describe("revocation", () => {
  test("of an access token: the API rejects it at once, its family continues", async () => {
    const { access, refresh: token } = await clientGrant(client);
    expect((await callApi(access)).status).toBe(200);
    expectRevoked(await revoke(access));
    const answer = await callApi(access);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    expectInactive(await introspect(access));
    expect((await refresh(client, TOKEN_PATH, token)).status).toBe(200);
  });

  test("of an access token of the RFC door without a family", async () => {
    const { body } = await postAs(client, RFC_TOKEN_PATH, { grant_type: "client_credentials", scope: "*" });
    expectRevoked(await revoke(body.access_token));
    expect((await callApi(body.access_token)).status).toBe(401);
  });

  test("of a refresh token: its whole family is revoked", async () => {
    const family = await userFamily(client, issuer, ["openid", "AccessManager:Read"]);
    const { body } = await refresh(client, RFC_TOKEN_PATH, family.refreshToken);
    expect((await callApi(body.access_token)).status).toBe(200);
    expectRevoked(await revoke(body.refresh_token));
    expect((await callApi(body.access_token)).status).toBe(401);
    expectRfcError(await refresh(client, RFC_TOKEN_PATH, body.refresh_token), 400, "invalid_grant");
    for (const token of [body.access_token, body.refresh_token]) expectInactive(await introspect(token));
  });

  test("of a used refresh token: its family is revoked", async () => {
    const family = await userFamily(client, issuer, ["openid"]);
    const { body } = await refresh(client, RFC_TOKEN_PATH, family.refreshToken);
    expectRevoked(await revoke(family.refreshToken));
    expectRfcError(await refresh(client, RFC_TOKEN_PATH, body.refresh_token), 400, "invalid_grant");
  });

  test("of a client's refresh token that was never used", async () => {
    const { access, refresh: token } = await clientGrant(client);
    expectRevoked(await revoke(token));
    expectRfcError(await refresh(client, RFC_TOKEN_PATH, token), 400, "invalid_grant");
    expect((await callApi(access)).status).toBe(401);
  });

  test("of an unknown token, repeated, and with any hint, succeeds (RFC 7009 2.2)", async () => {
    const { access } = await clientGrant(client);
    for (const token of ["x", "a.b.c", access, access]) expectRevoked(await revoke(token));
    const { refresh: token } = await clientGrant(client);
    expectRevoked(await postAs(client, REVOKE, { token, token_type_hint: "access_token" }));
    expectRevoked(await postAs(client, REVOKE, { token, token_type_hint: "color" }));
    expectRfcError(await refresh(client, RFC_TOKEN_PATH, token), 400, "invalid_grant");
  });

  test("by a public client, and by Basic", async () => {
    const own = await newTenant();
    const tokens = [await userFamily(own, issuer, ["openid"]), await userFamily(own, issuer, ["openid"])];
    const byBasic = { body: form({ token: tokens[0]!.refreshToken }), headers: basic(own.clientId, own.clientSecret) };
    expectRevoked(await request("POST", REVOKE, byBasic));
    await makePublic(own);
    expectRevoked(await postAs(own, REVOKE, { token: tokens[1]!.refreshToken, client_secret: undefined }));
    const families = await rowsOf("refresh_families", { id: tokens.map(({ familyId }) => familyId) });
    expect(families.filter(({ revoked_on }) => revoked_on !== null)).toHaveLength(2);
  });

  test("another client's token is rejected, and stays valid (RFC 7009 2.1)", async () => {
    const other = await newTenant();
    const { access, refresh: token } = await clientGrant(client);
    for (const presented of [access, token]) {
      expectRfcError(await revoke(presented, other), 400, "unauthorized_client", /another client/);
    }
    expect((await callApi(access)).status).toBe(200);
    expect((await refresh(client, TOKEN_PATH, token)).status).toBe(200);
  });

  test("another running process applies it", async () => {
    const { access } = await clientGrant(client);
    const { tokens } = otherProcess(issuer);
    expect(await tokens.verifyAccessToken(access)).toBeDefined();
    await revoke(access);
    await until("the other process to hear of it", async () => !(await tokens.verifyAccessToken(access)));
  });
});

describe("introspection", () => {
  test("of an access token: its claims (RFC 7662 2.2)", async () => {
    const { access } = await clientGrant(client, "AccessManager:Read");
    const { grant_id: _, ...claims } = decodeJwt(access);
    const answer = await introspect(access);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ active: true, token_type: "Bearer", ...claims });
    expect(answer.body).toMatchObject({ client_id: client.clientId, scope: "AccessManager:Read", iss: issuer });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("of an access token of a user", async () => {
    const family = await userFamily(client, issuer, ["openid"]);
    const { body } = await refresh(client, RFC_TOKEN_PATH, family.refreshToken);
    const answer = await introspect(body.access_token);
    expect(answer.body).toMatchObject({
      active: true,
      sub: `user-${family.userId}`,
      acr: "1",
      auth_time: family.authTime,
    });
  });

  test("of a token whose client or user is inactive: inactive", async () => {
    const other = await newTenant();
    const family = await userFamily(other, issuer, ["openid"]);
    const { body } = await refresh(other, RFC_TOKEN_PATH, family.refreshToken);
    const sibling = await other.patch("/Application", { Name: `sibling ${Bun.randomUUIDv7()}`, Is_Active: true });
    const secret = await other.send("POST", `/Application/${sibling.body.Id}/Secrets`);
    const asSibling = { client_id: sibling.body.Id, client_secret: secret.body.Secret };
    const ask = (token: string) => postAs(other, INTROSPECT, { ...asSibling, token });
    await setRows("users", { id: family.userId }, { is_active: false });
    expectInactive(await ask(body.access_token));
    expect((await ask(other.token)).body.active).toBe(true);
    await setRows("applications", { id: other.clientId }, { is_active: false });
    expectInactive(await ask(other.token));
  });

  test("of a refresh token, until it is used", async () => {
    const family = await userFamily(client, issuer, ["openid", "profile"]);
    const { refresh: signed } = await clientGrant(client, "openid");
    for (const [token, sub, scope, days] of [
      [family.refreshToken, `user-${family.userId}`, "openid profile", 30],
      [signed, client.clientId, "openid", 30],
    ] as const) {
      const { body } = await introspect(token);
      expect(body).toEqual({
        ...{ active: true, scope, sub, client_id: client.clientId, iss: issuer },
        ...{ iat: expect.any(Number), exp: body.iat + days * 86_400 },
      });
      const next = await refresh(client, RFC_TOKEN_PATH, token);
      expectInactive(await introspect(token));
      expect((await introspect(next.body.refresh_token)).body.active).toBe(true);
    }
    await age(family.familyId, "31 days");
    expectInactive(await introspect(family.refreshToken));
  });

  test("a client sees its tenant's access tokens, and nothing of other tenants or clients", async () => {
    const other = await newTenant();
    const { access, refresh: token } = await clientGrant(client);
    expectInactive(await introspect(access, other));
    expectInactive(await introspect(token, other));
    const sibling = await client.patch("/Application", { Name: `sibling ${Bun.randomUUIDv7()}`, Is_Active: true });
    const { body } = await client.send("POST", `/Application/${sibling.body.Id}/Secrets`);
    const asSibling = { client_id: sibling.body.Id, client_secret: body.Secret };
    expect((await postAs(client, INTROSPECT, { ...asSibling, token: access })).body.active).toBe(true);
    expectInactive(await postAs(client, INTROSPECT, { ...asSibling, token }));
  });

  test.each(["x", "a.b.c", "A".repeat(80)])("%.10s is not active", async (token) => {
    expectInactive(await introspect(token));
  });

  test("an id_token is not active", async () => {
    const family = await userFamily(client, issuer, ["openid"]);
    const { body } = await refresh(client, RFC_TOKEN_PATH, family.refreshToken);
    expectInactive(await introspect(body.id_token));
  });

  test("a public client is rejected, whatever the token", async () => {
    const own = await newTenant();
    await makePublic(own);
    for (const token of ["x", own.token]) {
      const answer = await postAs(own, INTROSPECT, { token, client_secret: undefined });
      expectRfcError(answer, 401, "invalid_client");
    }
  });
});

describe.each([REVOKE, INTROSPECT])("%s", (path) => {
  test("without a token is invalid_request", async () => {
    expectRfcError(await postAs(client, path, {}), 400, "invalid_request", /token is missing/);
  });

  test("without a client, or with a wrong secret, is invalid_client", async () => {
    const token = client.token;
    expectRfcError(await request("POST", path, { body: form({ token }) }), 401, "invalid_client");
    expectRfcError(await postAs(client, path, { token, client_secret: "wrong" }), 401, "invalid_client");
    const header = basic(client.clientId, "wrong");
    const answer = await request("POST", path, { body: form({ token }), headers: header });
    expectRfcError(answer, 401, "invalid_client");
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic /);
    expect((await callApi(token)).status).toBe(200);
  });

  test("with a repeated parameter, another media type or method is rejected", async () => {
    const body = form({ client_id: client.clientId, client_secret: client.clientSecret, token: "x" });
    body.append("token", "y");
    expectRfcError(await request("POST", path, { body }), 400, "invalid_request", /token/);
    const json = { body: "{}", headers: { "content-type": "application/json" } };
    expectRfcError(await request("POST", path, json), 400, "invalid_request");
    expectRfcError(await request("GET", path), 405, "invalid_request");
  });
});
