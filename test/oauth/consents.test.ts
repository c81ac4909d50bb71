// …/User/{Id}/Consents: what users have allowed applications, seen and revoked.

import { describe, expect, test } from "bun:test";
import { CALLBACK, Client } from "../authorize/client.ts";
import { Visitor } from "../authorize/visitor.ts";
import type { Api } from "../support/api.ts";
import { newTenant } from "../support/tenant.ts";

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe.concurrent("what a user has allowed an application", () => {
  test("is listed with its scopes", async () => {
    const { api, client, path } = await allowed();
    const { status, body } = await api.call("GET", path);
    expect(status).toBe(200);
    const Application = { Id: Number(client.id), ExternalId: "", Name: expect.any(String), Type: "Application" };
    expect(body).toEqual({
      Items: [{ Application, Scopes: ["openid", "profile"], GrantedOn: expect.any(String) }],
      Next: null,
    });
  });

  test("can be revoked: its tokens end, codes on their way too, and the next sign-in asks again", async () => {
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
    expect((await api.call("GET", path)).body).toEqual({ Items: [], Next: null });
    expect((await api.call("DELETE", `${path}/${client.id}`)).status).toBe(404);
  });

  test("is not there for an unknown user, a word, or another tenant", async () => {
    const [{ api, client, path }, stranger] = await Promise.all([allowed(), newTenant()]);
    expect((await api.call("GET", "/User/999999999/Consents")).status).toBe(404);
    expect((await api.call("GET", "/User/word/Consents")).status).toBe(404);
    expect((await stranger.call("GET", path)).status).toBe(404);
    expect((await stranger.call("DELETE", `${path}/${client.id}`)).status).toBe(404);
    expect(((await api.call("GET", path)).body.Items as unknown[]).length).toBe(1);
  });

  test("takes no other method, and pages like every list", async () => {
    const { api, client, path } = await allowed();
    expect((await api.call("PATCH", path, {})).status).toBe(405);
    expect((await api.call("GET", `${path}/${client.id}`)).status).toBe(405);
    expect((await api.call("GET", `${path}?Limit=0`)).body).toMatchObject({ Type: "/Errors/Bad Input" });
    expect((await api.call("GET", `${path}?Limit=1`)).body).toMatchObject({ Next: null });
  });
});

/** The tenant's admin has signed in to its client and allowed what it asked. */
async function allowed() {
  const api = await newTenant();
  const client = new Client(api.tenant);
  await ok(api, "PATCH", `/Application/${client.id}/Credentials`, { RedirectUris: [CALLBACK] });
  const visitor = new Visitor();
  await client.visit(visitor);
  const { Items } = await ok(api, "GET", `/User?Username=${api.tenant.admin.username}`);
  return { api, client, visitor, path: `/User/${(Items as { Id: number }[])[0]!.Id}/Consents` };
}

async function ok(api: Api, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await api.call(method, path, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
