// OIDC Core 5.3, RFC 6750.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { until } from "../world/api.ts";
import { type Client, newClient } from "../world/client.ts";
import { setUsers } from "../world/planted.ts";
import { newTenant, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PATH = "/oauth2/userinfo";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function tokens(client: Client, fields: Record<string, string>) {
  return (await client.token(await client.code(new Visitor(), fields))).body;
}

async function newAda(): Promise<Client> {
  const client = await newClient();
  const ada = { name: "Ada Lovelace", email: "ada@example.com", mobile_phone: "+441815", address: "1 Square\nLondon" };
  await setUsers(client.tenant, ada);
  return client;
}

describe.concurrent("claims", () => {
  test.each([
    ["openid", {}],
    ["openid name", { name: "Ada Lovelace" }],
    ["openid profile", { name: "Ada Lovelace", preferred_username: "admin", updated_at: expect.any(Number) }],
    ["openid email", { email: "ada@example.com", email_verified: false }],
    ["openid phone", { phone_number: "+441815", phone_number_verified: false }],
    ["openid address", { address: { formatted: "1 Square\nLondon" } }],
  ])("of the scope %s", async (scope, claims) => {
    const client = await newAda();
    const { access_token, id_token } = await tokens(client, { scope });
    const answer = await request("GET", PATH, { headers: bearer(access_token) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ sub: decodeJwt(id_token).sub, ...claims });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("of the scope profile come from the User's fields", async () => {
    const client = await newAda();
    await setUsers(client.tenant, {
      given_name: "Ada",
      family_name: "Lovelace",
      locale: "en-GB",
      zone_info: "Europe/London",
      picture: "https://example.com/ada.png",
      middle_name: "King",
      nickname: "Countess",
      profile: "https://example.com/ada",
      website: "https://ada.example.com",
      gender: "female",
      birth_date: "1815-12-10",
    });
    const { access_token } = await tokens(client, { scope: "openid profile" });
    expect((await request("GET", PATH, { headers: bearer(access_token) })).body).toMatchObject({
      given_name: "Ada",
      family_name: "Lovelace",
      locale: "en-GB",
      zoneinfo: "Europe/London",
      picture: "https://example.com/ada.png",
      middle_name: "King",
      nickname: "Countess",
      profile: "https://example.com/ada",
      website: "https://ada.example.com",
      gender: "female",
      birthdate: "1815-12-10",
    });
  });

  test("requested by the claims parameter are in userinfo and the id_token, also after a refresh", async () => {
    const client = await newAda();
    const claims = JSON.stringify({
      userinfo: { email: { essential: true }, website: null },
      id_token: { phone_number: null },
    });
    const { access_token, id_token, refresh_token } = await tokens(client, { scope: "openid", claims });
    expect(decodeJwt(id_token)).toMatchObject({ phone_number: "+441815" });
    expect(decodeJwt(id_token).email).toBeUndefined();
    const sub = decodeJwt(id_token).sub;
    for (const token of [access_token, (await client.refresh(refresh_token)).body.access_token]) {
      const { body } = await request("GET", PATH, { headers: bearer(token) });
      expect(body).toEqual({ sub, email: "ada@example.com" });
    }
  });
});

describe.concurrent("the token", () => {
  test("in the header or the form of a POST is accepted", async () => {
    const { access_token } = await tokens(await newAda(), { scope: "openid" });
    expect((await request("POST", PATH, { headers: bearer(access_token) })).status).toBe(200);
    expect((await request("POST", PATH, { body: new URLSearchParams({ access_token }) })).status).toBe(200);
    const both = { headers: bearer(access_token), body: new URLSearchParams({ access_token }) };
    expect((await request("POST", PATH, both)).body.error).toBe("invalid_request");
    expect((await request("GET", `${PATH}?access_token=${access_token}`)).status).toBe(401);
  });

  test("missing: 401 with a bare challenge; invalid: invalid_token", async () => {
    const missing = await request("GET", PATH);
    expect([missing.status, missing.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    for (const authorization of ["Bearer x", "Basic YTpi", "Bearer", "Bearer a b"]) {
      const answer = await request("GET", PATH, { headers: { authorization } });
      expect([answer.status, answer.body.error]).toEqual([401, "invalid_token"]);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    }
  });

  test("without the scope openid, or of the client itself: 403 insufficient_scope", async () => {
    const { access_token } = await tokens(await newAda(), { scope: "profile" });
    const caller = await newTenant();
    for (const token of [access_token, caller.token]) {
      const answer = await request("GET", PATH, { headers: bearer(token) });
      expect([answer.status, answer.body.error]).toEqual([403, "insufficient_scope"]);
      expect(answer.headers.get("www-authenticate")).toContain('scope="openid"');
    }
  });

  test("of an inactive user: 401", async () => {
    const client = await newAda();
    const { access_token } = await tokens(client, { scope: "openid" });
    await setUsers(client.tenant, { is_active: false });
    await until("401", async () => (await request("GET", PATH, { headers: bearer(access_token) })).status === 401);
  });

  test("other methods are 405", async () => {
    expect((await request("DELETE", PATH)).status).toBe(405);
  });
});
