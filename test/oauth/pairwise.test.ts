// Pairwise subjects (OIDC Core 8): a user's subject in each sector.

import { beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { API, type Api, ok } from "../world/api.ts";
import { answerOf, CALLBACK, type Client, issuer, newClient, otherClient } from "../world/client.ts";
import { expectRfcError, postAs } from "../world/grants.ts";
import { logoutClient, logoutsOf, tokensOf as logoutTokensOf, signIn, signOut } from "../world/logouts.ts";
import { startReceiver } from "../world/receiver.ts";
import { at, initialToken, REGISTER, send } from "../world/registrar.ts";
import { rowsOf } from "../world/rows.ts";
import { publish } from "../world/signer.ts";
import { clientOf, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PAIRWISE = { subject_type: "pairwise", scopes: ["openid", "profile", "AccessManager:Read"] };
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

let first: Client;
let admin: Api;
let userId: number;
beforeAll(async () => {
  const own = await newClient();
  admin = await clientOf(own.tenant);
  first = await otherClient(own, PAIRWISE);
  const [user] = await rowsOf<{ id: number }>("users", { tenant_id: first.tenant.tenantId, username: "admin" });
  userId = user!.id;
});

/** A client of the same tenant whose only redirect URI is on this host. */
const clientAt = (host: string, more = {}) =>
  otherClient(first, { ...PAIRWISE, redirect_uris: [`https://${host}/callback`], ...more });

async function tokensOf(client: Client, redirect_uri = CALLBACK, fields: Record<string, string> = {}) {
  const visitor = new Visitor();
  const asked = client.authorize({ scope: "openid profile AccessManager:Read", redirect_uri, ...fields });
  const { code } = answerOf(await client.goThrough(visitor, await visitor.open(asked)));
  return (await client.token(code!, { redirect_uri })).body;
}

const subOf = (jwt: string) => decodeJwt(jwt).sub!;

describe("a pairwise sub", () => {
  test("is the same in everything that the client receives, and does not reveal the user's Id", async () => {
    const token = await tokensOf(first);
    const sub = subOf(token.id_token);
    expect(sub).toMatch(/^pairwise-[\w-]{22}$/);
    expect(sub).not.toContain(String(userId));
    expect(subOf(token.access_token)).toBe(sub);
    const userinfo = await request("GET", "/oauth2/userinfo", bearer(token.access_token));
    expect(userinfo.body).toMatchObject({ sub, name: "Administrator" });
    const refreshed = (await first.refresh(token.refresh_token)).body;
    expect([subOf(refreshed.id_token), subOf(refreshed.access_token)]).toEqual([sub, sub]);
    for (const one of [refreshed.access_token, refreshed.refresh_token]) {
      const { body } = await postAs(first.tenant.client, "/oauth2/introspect", { token: one });
      expect(body).toMatchObject({ active: true, sub });
      expect(body.userId).toBeUndefined();
    }
    // The entity API still identifies the user.
    expect((await request("GET", `${API}/User/${userId}`, bearer(refreshed.access_token))).status).toBe(200);
    expect(subOf((await tokensOf(first)).id_token)).toBe(sub);
    await postAs(first.tenant.client, "/oauth2/revoke", { token: refreshed.access_token });
    const { Items } = await ok(admin.get("/AuditEvent?Kind=Token.Revoked"));
    expect(Items[0]).toMatchObject({ Subject: { Type: "User", Id: String(userId) } });
  });

  test("is the same for clients of one sector, different for others; public ones get the user's own", async () => {
    const [same, other, open] = await Promise.all([
      clientAt("app.example"),
      clientAt("other.example"),
      otherClient(first, { scopes: PAIRWISE.scopes }),
    ]);
    const sub = subOf((await tokensOf(first)).id_token);
    expect(subOf((await tokensOf(same, "https://app.example/callback")).id_token)).toBe(sub);
    const others = subOf((await tokensOf(other, "https://other.example/callback")).id_token);
    expect(others).toStartWith("pairwise-");
    expect(others).not.toBe(sub);
    expect(subOf((await tokensOf(open)).id_token)).toBe(`user-${userId}`);
  });

  test("differs by tenant, for the same host and any user", async () => {
    const elsewhere = await newClient(PAIRWISE);
    expect(subOf((await tokensOf(elsewhere)).id_token)).not.toBe(subOf((await tokensOf(first)).id_token));
  });

  test("is accepted in claims and hints; other subs match no user", async () => {
    const { id_token } = await tokensOf(first);
    const asked = (fields: Record<string, string>) => ({ prompt: "none", scope: "openid", ...fields });
    const visitor = new Visitor();
    await first.visit(visitor);
    const named = (value: string) => asked({ claims: JSON.stringify({ id_token: { sub: { value } } }) });
    expect(answerOf(await first.visit(visitor, named(subOf(id_token)))).code).toBeString();
    expect(answerOf(await first.visit(visitor, asked({ id_token_hint: id_token }))).code).toBeString();
    // The answer would tell the client which user it is.
    expect(answerOf(await first.visit(visitor, named(`user-${userId}`))).error).toBe("login_required");
    expect(answerOf(await first.visit(visitor, named(`pairwise-${"A".repeat(22)}`))).error).toBe("login_required");
    const ended = await visitor.open(`/oauth2/logout?${new URLSearchParams({ id_token_hint: id_token })}`);
    expect(ended.heading).toBe("Signed out");
  });

  test("changes with the sector, and former tokens become invalid", async () => {
    const moving = await clientAt("before.example");
    const token = await tokensOf(moving, "https://before.example/callback");
    await ok(
      admin.patch(`/Application/${moving.id}/Credentials`, { RedirectUris: ["https://after.example/callback"] }),
    );
    expect((await request("GET", "/oauth2/userinfo", bearer(token.access_token))).status).toBe(401);
    const after = await tokensOf(moving, "https://after.example/callback");
    expect(subOf(after.id_token)).not.toBe(subOf(token.id_token));
  });
});

test("is the same in logout tokens and id_tokens", async () => {
  await using receiver = startReceiver(200);
  const fields = { SubjectType: "pairwise" };
  const { api, client } = await logoutClient(receiver.url, undefined, fields);
  const { visitor, idToken, sid } = await signIn(client);
  expect(subOf(idToken)).toStartWith("pairwise-");
  await signOut(visitor, idToken);
  expect(await logoutsOf(receiver, 1)).toEqual([sid]);
  expect(subOf(logoutTokensOf(receiver)[0]!)).toBe(subOf(idToken));
  const { Items } = await ok(api.get(`/Application/${client.id}/Logouts`));
  expect(Items).toEqual([expect.objectContaining({ SessionId: sid })]);
});

test("clients of two sectors know one session by two sids, which survive a refresh", async () => {
  const visitor = new Visitor();
  const sidsAt = async (host: string, more = {}) => {
    const client = await clientAt(host, { backchannel_logout_uri: `https://${host}/logout`, ...more });
    const redirect_uri = `https://${host}/callback`;
    const { code } = answerOf(await client.visit(visitor, { redirect_uri }));
    const { id_token, refresh_token } = (await client.token(code!, { redirect_uri })).body;
    const again = (await client.refresh(refresh_token)).body;
    return [id_token, again.id_token].map((jwt) => decodeJwt(jwt).sid as string);
  };
  const [here, same, there, open] = [
    await sidsAt("app.example"),
    await sidsAt("app.example"),
    await sidsAt("other.example"),
    await sidsAt("open.example", { subject_type: "public" }),
  ];
  for (const [before, after] of [here, same, there, open]) expect(after).toBe(before!);
  expect(same).toEqual(here);
  expect(new Set([here[0], there[0], open[0]]).size).toBe(3);
});

describe("SectorIdentifierUri", () => {
  const hosts = ["https://one.example/callback", "https://two.example/callback"];
  const change = (client: Client, changes: object) => admin.patch(`/Application/${client.id}/Credentials`, changes);

  test("is required for a pairwise client with several hosts, or on a loopback address", async () => {
    const client = await clientAt("one.example", { subject_type: "public" });
    for (const RedirectUris of [hosts, ["http://localhost:3001/callback"], []]) {
      const answer = await change(client, { SubjectType: "pairwise", RedirectUris });
      expect([answer.status, answer.body.Errors?.[0]]).toEqual([400, expect.stringContaining("SectorIdentifierUri")]);
    }
  });

  test("must list every redirect URI; clients that share it get the same sub", async () => {
    let listed: unknown = hosts;
    await using sector = publish(() => Response.json(listed));
    const [one, two] = await Promise.all([clientAt("one.example"), clientAt("two.example")]);
    for (const client of [one, two]) {
      await ok(change(client, { SectorIdentifierUri: sector.uri, RedirectUris: hosts }));
    }
    const [ofOne, ofTwo] = await Promise.all([one, two].map((client, at) => tokensOf(client, hosts[at]!)));
    expect(subOf(ofOne.id_token)).toBe(subOf(ofTwo.id_token));
    const more = { RedirectUris: [...hosts, "https://three.example/callback"] };
    expect((await change(one, more)).body.Errors[0]).toContain("does not list https://three.example/callback");
    for (const wrong of [{ uris: hosts }, [1], "x"]) {
      listed = wrong;
      expect((await change(one, more)).body.Errors[0]).toContain("is not a JSON list");
    }
    sector.answer = () => new Response("no", { status: 404 });
    expect((await change(one, more)).body.Errors[0]).toContain("status 404");
    // An unchanged sector is not read again.
    await ok(change(one, { RedirectUris: [hosts[0]], IdTokenClaims: true }));
  });

  test("with a private address is rejected for every caller", async () => {
    const client = await clientAt("one.example");
    for (const SectorIdentifierUri of ["https://10.0.0.1/s", "http://app.example/s", "file:///etc/passwd"]) {
      const answer = await change(client, { SectorIdentifierUri });
      expect([answer.status, answer.body.Errors?.[0]]).toEqual([400, expect.stringContaining("SectorIdentifierUri")]);
    }
  });

  test("is accepted at registration, with subject_type", async () => {
    await using sector = publish(() => Response.json(hosts));
    await ok(admin.patch("/TenantSettings", { ClientRegistration: "InitialAccessToken" }));
    const token = await initialToken({ admin }, { Uses: 2 });
    const body = { subject_type: "pairwise", redirect_uris: hosts };
    const post = (more: object) => send("POST", REGISTER, token, { ...body, ...more });
    expectRfcError(await post({}), 400, "invalid_client_metadata", /sector_identifier_uri/);
    const foreign = { redirect_uris: [...hosts, CALLBACK], sector_identifier_uri: sector.uri };
    expectRfcError(await post(foreign), 400, "invalid_client_metadata", /does not list/);
    expectRfcError(
      await post({ sector_identifier_uri: "https://10.0.0.1/s" }),
      400,
      "invalid_client_metadata",
      /sector_identifier_uri/,
    );
    const made = await post({ sector_identifier_uri: sector.uri });
    expect(made.body).toMatchObject({ subject_type: "pairwise", sector_identifier_uri: sector.uri });
    expect((await send("GET", at(made), made.body.registration_access_token)).body.subject_type).toBe("pairwise");
    expect(made.body.registration_client_uri).toStartWith(issuer());
  });
});
