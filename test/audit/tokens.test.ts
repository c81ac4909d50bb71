// Tokens that ended early, and withdrawn consents.

import { describe, expect, test } from "bun:test";
import { ok, TOKEN_PATH } from "../world/api.ts";
import { byClient, fromHere, logOf, textOf } from "../world/audit.ts";
import { newClient, otherClient } from "../world/client.ts";
import { clientGrant, postAs, refresh } from "../world/grants.ts";
import { clientOf, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** The tenant's admin has signed in to its client. */
async function arrange(credentials = {}) {
  const client = await newClient(credentials);
  const reader = await clientOf(client.tenant);
  const { body } = await reader.get(`/User/${client.tenant.admin.username}?Name=Username`);
  const visitor = new Visitor();
  const code = await client.code(visitor);
  const tokens = (await client.token(code)).body;
  return { client, reader, visitor, code, tokens, user: { Type: "User", Id: String(body.Id) } };
}

const revoke = (client: { clientId: string; clientSecret: string }, token: string) =>
  postAs(client, "/oauth2/revoke", { token });

describe.concurrent("a token", () => {
  test("revoked by its client is logged once, without the token", async () => {
    const { client, reader, tokens, user } = await arrange();
    for (const token of [tokens.access_token, tokens.refresh_token, tokens.refresh_token, "unknown"]) {
      expect((await revoke(reader, token)).status).toBe(200);
    }
    const about = { Kind: "Token.Revoked", Subject: user, Outcome: "Success", ...byClient(reader) };
    const rows = await logOf(reader, "Kind=Token.Revoked");
    expect(rows).toMatchObject([
      { ...about, Details: { FamilyId: expect.any(String) } },
      { ...about, Details: { TokenId: expect.any(String) } },
    ]);
    expect(rows[0]!.ClientId).toBe(client.id);
    const text = await textOf(reader.tenantId);
    for (const value of [tokens.access_token, tokens.refresh_token]) expect(text).not.toContain(value);
  });

  test("of a client's own has its Application as subject", async () => {
    const reader = await newTenant();
    const { access, refresh: refreshToken } = await clientGrant(reader);
    await revoke(reader, access);
    await revoke(reader, refreshToken);
    await revoke(reader, refreshToken);
    const Subject = { Type: "Application", Id: reader.clientId };
    expect(await logOf(reader)).toMatchObject([
      { Kind: "Token.Revoked", Subject, ...byClient(reader) },
      { Kind: "Token.Revoked", Subject, ...byClient(reader) },
    ]);
  });

  test("used a second time is logged once", async () => {
    const { client, reader, tokens, user } = await arrange();
    const second = (await client.refresh(tokens.refresh_token)).body.refresh_token;
    await client.refresh(second);
    for (let tried = 0; tried < 2; tried++) {
      expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    }
    expect(await logOf(reader, "Kind=RefreshToken.Reused")).toMatchObject([
      { Outcome: "Failure", Subject: user, ...byClient(reader), Details: { FamilyId: expect.any(String) } },
    ]);
    expect(await textOf(reader.tenantId)).not.toContain(tokens.refresh_token);
  });

  test("of a client's own used a second time is logged too", async () => {
    const reader = await newTenant();
    const grant = await clientGrant(reader);
    const { body } = await refresh(reader, TOKEN_PATH, grant.refresh);
    await refresh(reader, TOKEN_PATH, body.refresh_token);
    expect((await refresh(reader, TOKEN_PATH, grant.refresh)).status).toBe(400);
    const Subject = { Type: "Application", Id: reader.clientId };
    expect(await logOf(reader)).toMatchObject([{ Kind: "RefreshToken.Reused", Subject, ...byClient(reader) }]);
  });
});

describe.concurrent("a code", () => {
  test("used twice is logged once, without the code", async () => {
    const { client, reader, code, user } = await arrange();
    for (let tried = 0; tried < 2; tried++) expect((await client.token(code)).status).toBe(400);
    expect(await logOf(reader, "Kind=AuthorizationCode.Reused")).toMatchObject([
      { Outcome: "Failure", Subject: user, ...byClient(reader), Details: { FamilyId: expect.any(String) } },
    ]);
    expect(await textOf(reader.tenantId)).not.toContain(code);
  });

  test("of a client without a secret has no authenticated actor", async () => {
    const { client: first, reader, visitor } = await arrange();
    const client = await otherClient(first, { client_type: "public" });
    const verifier = "v".repeat(43);
    const digest = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
    const code = await client.code(visitor, { code_challenge: digest, code_challenge_method: "S256" });
    const fields = { code_verifier: verifier, client_secret: undefined };
    expect((await client.token(code, fields)).status).toBe(200);
    expect((await client.token(code, { ...fields, code_verifier: "w".repeat(43) })).status).toBe(400);
    expect(await logOf(reader, "Kind=AuthorizationCode.Reused")).toMatchObject([
      { Actor: null, ...fromHere(client.id) },
    ]);
  });
});

test.concurrent("a consent revoked by REST is logged with that client as actor", async () => {
  const { client, reader, user } = await arrange();
  const path = `/User/${user.Id}/Grants/${client.id}`;
  await ok(reader.remove(path));
  expect((await reader.remove(path)).status).toBe(404);
  const Details = { ApplicationId: client.id, Scopes: ["openid", "profile"] };
  expect(await logOf(reader, "Kind=Grant.Revoked")).toMatchObject([{ Subject: user, ...byClient(reader), Details }]);
});
