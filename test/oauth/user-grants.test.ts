// …/User/{Id}/Grants and …/Application/{Id}/Grants: grants of users to applications, listed and revoked.

import { describe, expect, test } from "bun:test";
import type { Api } from "../world/api.ts";
import { CALLBACK, Client, issuer, otherClient } from "../world/client.ts";
import { postAs } from "../world/grants.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe.concurrent("a user's grant to an application", () => {
  test("is listed with its scopes, of the user and of the application", async () => {
    const { api, client, path } = await allowed();
    const { status, body } = await api.call("GET", path);
    expect(status).toBe(200);
    const Application = { Id: Number(client.id), ExternalId: "", Name: expect.any(String), Type: "Application" };
    const User = { Id: Number(path.split("/")[2]), ExternalId: "", Name: "Administrator", Type: "User" };
    const grant = {
      User,
      Application,
      Apis: [],
      Scopes: ["openid", "profile"],
      Claims: [],
      Consented: true,
      LastUsedOn: null,
    };
    const page = { Items: [{ ...grant, GrantedOn: expect.any(String) }], Next: null, Hidden: 0 };
    expect(body).toEqual(page);
    expect((await api.call("GET", `/Application/${client.id}/Grants`)).body).toEqual(page);
  });

  test("can be revoked: tokens and unredeemed codes end, and the next sign-in asks again", async () => {
    const { api, client, visitor, path } = await allowed();
    const tokens = (await client.token(await client.code(visitor))).body as unknown as Tokens;
    const code = await client.code(visitor);

    const revoked = await api.call("DELETE", `${path}/${client.id}`);
    expect(revoked).toMatchObject({ status: 200, body: { Scopes: ["openid", "profile"] } });
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await client.token(code)).body).toMatchObject({ error: "invalid_grant" });
    const userinfo = await fetch(`${api.url}/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(userinfo.status).toBe(401);
    expect((await visitor.open(client.authorize())).heading).toBe("Allow access");
    expect((await api.call("GET", path)).body).toEqual({ Items: [], Next: null, Hidden: 0 });
    expect((await api.call("DELETE", `${path}/${client.id}`)).status).toBe(404);
  });

  test("shows when tokens were last issued", async () => {
    const { api, client, visitor, path } = await allowed();
    const { body } = await client.token(await client.code(visitor));
    const issued = (await grantOf(api, path)).LastUsedOn!;
    await client.refresh(body.refresh_token);
    const refreshed = (await grantOf(api, path)).LastUsedOn!;
    expect(Date.parse(refreshed)).toBeGreaterThan(Date.parse(issued));
    expect(Date.parse((await grantOf(api, path)).GrantedOn)).toBeLessThan(Date.parse(issued));
  });

  test("names the tenant's APIs that it covers", async () => {
    const { api, client, visitor, path } = await allowed();
    const Scopes = [{ Name: "orders:read", Description: "" }];
    const { Id } = await ok(api, "PATCH", "/Api", { Name: "Orders", Audience: `urn:${Bun.randomUUIDv7()}`, Scopes });
    await ok(api, "PATCH", "/Api", { Name: "Stock", Audience: `urn:${Bun.randomUUIDv7()}`, Scopes: [] });
    const role = {
      Name: "buyers",
      Scopes: ["orders:read"],
      Members: [{ Type: "User", Id: Number(path.split("/")[2]) }],
    };
    await ok(api, "PATCH", "/Role", role);
    const credentials = `/Application/${client.id}/Credentials`;
    const own = (await ok(api, "GET", credentials)).Scopes as string[];
    await ok(api, "PATCH", credentials, { Scopes: [...own, "orders:read"] });
    const { Audience } = await ok(api, "GET", `/Api/${Id}`);
    await client.visit(visitor, { scope: "openid orders:read", resource: String(Audience) });
    expect(await grantOf(api, path)).toMatchObject({
      Apis: [{ Id, Name: "Orders" }],
      Scopes: ["openid", "orders:read", "profile"],
    });
  });

  test("exists for an application without consent, and ends when revoked", async () => {
    const { api, client, visitor, path } = await allowed({ FirstParty: true });
    expect((await api.call("GET", path)).body).toEqual({ Items: [], Next: null, Hidden: 0 });
    const { body } = await client.token(await client.code(visitor));
    const other = (await client.token(await client.code(visitor))).body;
    expect(await grantOf(api, path)).toMatchObject({ Consented: false, Scopes: ["openid", "profile"] });
    const code = await client.code(visitor);
    expect(await api.call("DELETE", `${path}/${client.id}`)).toMatchObject({ status: 200, body: { Consented: false } });
    for (const token of [body.refresh_token, other.refresh_token]) {
      expect((await client.refresh(token)).body).toMatchObject({ error: "invalid_grant" });
    }
    expect((await client.token(code)).body).toMatchObject({ error: "invalid_grant" });
    expect((await api.call("GET", path)).body).toEqual({ Items: [], Next: null, Hidden: 0 });
    const [entry] = (await ok(api, "GET", "/AuditEvent?Kind=Grant.Revoked")).Items as { Details: object }[];
    expect(entry!.Details).toEqual({ ApplicationId: client.id, Scopes: ["openid", "profile"] });
  });

  test("is not shown for an administrator's own sign-in to Settings, or for expired tokens", async () => {
    const { api, client, visitor, path } = await allowed({ FirstParty: true });
    const settings = new Visitor(issuer());
    const page = await settings.open(`/settings?organisation=${api.tenantId}`);
    expect((await settings.submit(page, api.tenant.admin)).heading).toBe("Overview");
    const { body } = await client.token(await client.code(visitor));
    await postAs(api, "/oauth2/revoke", { token: body.refresh_token });
    expect((await api.call("GET", path)).body).toEqual({ Items: [], Next: null, Hidden: 0 });
  });

  test("belongs to one user: revoking it leaves other users' tokens", async () => {
    const { api, client, visitor, path } = await allowed();
    const { Id } = await ok(api, "PATCH", "/User", { Username: "colleague" });
    const { body } = await client.token(await client.code(visitor));
    expect((await api.call("DELETE", `/User/${Id}/Grants/${client.id}`)).status).toBe(404);
    expect((await client.refresh(body.refresh_token)).status).toBe(200);
    expect(await grantOf(api, path)).toMatchObject({ Consented: true });
  });

  test("of many applications is listed in pages by Id", async () => {
    const { api, client, visitor, path } = await allowed();
    const others = await Promise.all(Array.from({ length: 3 }, () => otherClient(client)));
    for (const other of others) await other.visit(visitor);
    const ids: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const page = await ok(api, "GET", `${path}?Limit=1${next && `&Cursor=${next}`}`);
      ids.push(...(page.Items as Grant[]).map(({ Application }) => String(Application.Id)));
      next = page.Next as string | null;
    }
    expect(ids).toEqual([client, ...others].map(({ id }) => id).toSorted((one, two) => Number(one) - Number(two)));
  });

  test("is not found for an unknown user, a word, or another tenant", async () => {
    const [{ api, client, path }, stranger] = await Promise.all([allowed(), newTenant()]);
    expect((await api.call("GET", "/User/999999999/Grants")).status).toBe(404);
    expect((await api.call("GET", "/User/word/Grants")).status).toBe(404);
    expect((await stranger.call("GET", path)).status).toBe(404);
    expect((await stranger.call("DELETE", `${path}/${client.id}`)).status).toBe(404);
    expect((await stranger.call("GET", `/Application/${client.id}/Grants`)).status).toBe(404);
    expect((await api.call("GET", "/Application/999999999/Grants")).status).toBe(404);
    expect(((await api.call("GET", path)).body.Items as unknown[]).length).toBe(1);
  });

  test("accepts no other method, and has pages like every list", async () => {
    const { api, client, path } = await allowed();
    expect((await api.call("PATCH", path, {})).status).toBe(405);
    expect((await api.call("GET", `${path}/${client.id}`)).status).toBe(405);
    expect((await api.call("GET", `${path}?Limit=0`)).body).toMatchObject({ Type: "/Errors/Bad Input" });
    expect((await api.call("GET", `${path}?Limit=1`)).body).toMatchObject({ Next: null });
  });
});

/** The tenant's admin has signed in to its client and given consent. */
async function allowed(credentials: object = {}) {
  const api = await newTenant();
  const client = new Client(api.tenant);
  await ok(api, "PATCH", `/Application/${client.id}/Credentials`, { RedirectUris: [CALLBACK], ...credentials });
  const visitor = new Visitor();
  await client.visit(visitor);
  const { Items } = await ok(api, "GET", `/User?Username=${api.tenant.admin.username}`);
  return { api, client, visitor, path: `/User/${(Items as { Id: number }[])[0]!.Id}/Grants` };
}

interface Grant {
  Application: { Id: number };
  GrantedOn: string;
  LastUsedOn: string | null;
}

/** The only grant. */
async function grantOf(api: Api, path: string): Promise<Grant> {
  const { Items } = await ok(api, "GET", path);
  expect(Items).toBeArrayOfSize(1);
  return (Items as Grant[])[0]!;
}

async function ok(api: Api, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await api.call(method, path, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
