// grant_type=refresh_token at both doors: rotation, lost answers, reuse, narrowing.

import { describe, expect, test } from "bun:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { type Answer, ok, TOKEN_PATH, until } from "../world/api.ts";
import { newClient, RFC_TOKEN_PATH } from "../world/client.ts";
import {
  age,
  clientGrant,
  DOORS,
  expectRfcError,
  expectTokenError,
  otherProcess,
  postAs,
  refresh,
  userFamily,
} from "../world/grants.ts";
import { elapse, rowsOf, setRows, storedText } from "../world/rows.ts";
import { db, newMember, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const client = await newTenant();
const issuer = String(decodeJwt(client.token).iss);

const scopeOf = (answer: Answer) => decodeJwt(answer.body.access_token).scope;
const familyOf = (token: string) => String(decodeJwt(token).grant_id);
const opens = async (token: string) =>
  (await client.send("GET", "/Entities", { headers: { authorization: `Bearer ${token}` } })).status === 200;

function expectInvalidGrant(path: string, answer: Answer, says?: RegExp): void {
  if (path === TOKEN_PATH) expectTokenError(answer, 400, "Bad Input", says);
  else expectRfcError(answer, 400, "invalid_grant", says);
}

describe.each(DOORS)("at %s", (path) => {
  test("a client's refresh token returns the full token response with the next refresh token", async () => {
    const { refresh: first } = await clientGrant(client, "openid AccessManager:Read");
    const answer = await refresh(client, path, first);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token_type: "Bearer",
      expires_in: 3600,
      access_token: expect.stringMatching(/./),
      refresh_token: expect.stringMatching(/^[\w-]{82}$/),
      ...(path === RFC_TOKEN_PATH ? { scope: "openid AccessManager:Read" } : {}),
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(scopeOf(answer)).toBe("openid AccessManager:Read");
    expect(decodeJwt(answer.body.access_token).sub).toBe(client.clientId);
    expect(await opens(answer.body.access_token)).toBe(true);
    const again = await refresh(client, path, answer.body.refresh_token);
    expect(again.status).toBe(200);
    expect(again.body.refresh_token).not.toBe(answer.body.refresh_token);
  });

  test("a user's returns tokens about the same sign-in", async () => {
    const family = await userFamily(client, issuer, ["openid", "profile", "AccessManager:Read"]);
    const { status, body } = await refresh(client, path, family.refreshToken);
    expect(status).toBe(200);
    const spoken = { sub: `user-${family.userId}`, auth_time: family.authTime, acr: "1", amr: ["pwd"] };
    expect(decodeJwt(body.access_token)).toMatchObject({ ...spoken, client_id: client.clientId, aud: issuer });
    const id = decodeJwt(body.id_token);
    expect(id).toMatchObject({ ...spoken, iss: issuer, aud: client.clientId });
    expect(id.nonce).toBeUndefined();
    const hash = new Bun.CryptoHasher("sha256").update(body.access_token).digest().subarray(0, 16);
    expect(id.at_hash).toBe(Buffer.from(hash).toString("base64url"));
    expect(decodeProtectedHeader(body.id_token)).toMatchObject({ alg: "RS256", typ: "JWT" });
  });

  test("an access token of a user acts as the user", async () => {
    const family = await userFamily(client, issuer, ["AccessManager:Create", "AccessManager:Update"]);
    const { body } = await refresh(client, path, family.refreshToken);
    expect(body.id_token).toBeUndefined();
    const changed = await client.send("PATCH", "/Application", {
      headers: { authorization: `Bearer ${body.access_token}`, "content-type": "application/json" },
      body: JSON.stringify({ Name: `by a user ${Bun.randomUUIDv7()}` }),
    });
    expect(changed.body.CreatedBy).toMatchObject({ Id: family.userId, Type: "User" });
  });

  test("the scope can be narrowed, for this access token only (RFC 6749 6)", async () => {
    const { refresh: first } = await clientGrant(client, "openid profile");
    const narrow = await refresh(client, path, first, "profile");
    expect(scopeOf(narrow)).toBe("profile");
    const whole = await refresh(client, path, narrow.body.refresh_token);
    expect(scopeOf(whole)).toBe("openid profile");
    expect(scopeOf(await refresh(client, path, whole.body.refresh_token, "*"))).toBe("openid profile");
  });

  test("the scope is never widened, and a rejected attempt does not use up the token", async () => {
    const { refresh: first } = await clientGrant(client, "openid profile");
    const answer = await refresh(client, path, first, "email");
    if (path === TOKEN_PATH) expectTokenError(answer, 400, "Bad Input", /email/);
    else expectRfcError(answer, 400, "invalid_scope", /email/);
    expect(scopeOf(await refresh(client, path, first, "openid email"))).toBe("openid");
  });

  test("a scope that the client has lost is omitted", async () => {
    const own = await newTenant();
    const { refresh: first } = await clientGrant(own, "openid profile");
    const Scopes = ["profile", "Settings:Read", "Settings:Update"];
    await ok(own.patch(`/Application/${own.clientId}/Credentials`, { Scopes }));
    expect(scopeOf(await refresh(own, path, first))).toBe("profile");
  });

  test("without a remaining scope there is no token, and the attempt does not use it up", async () => {
    const own = await newTenant();
    const { refresh: first } = await clientGrant(own, "openid profile");
    const set = (Scopes: string[]) => ok(own.patch(`/Application/${own.clientId}/Credentials`, { Scopes }));
    await set(["Settings:Read", "Settings:Update"]);
    expectInvalidGrant(path, await refresh(own, path, first), /None of the granted scopes is left/);
    await set(["openid", "Settings:Read", "Settings:Update"]);
    expect(scopeOf(await refresh(own, path, first))).toBe("openid");
  });

  test("of parallel requests exactly one rotates; all get its refresh token, and the family stays valid", async () => {
    const { refresh: first } = await clientGrant(client);
    let token = first;
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all(Array.from({ length: 24 }, () => refresh(client, path, token)));
      expect(answers.map((answer) => answer.status)).toEqual(Array(24).fill(200));
      expect(new Set(answers.map((answer) => answer.body.refresh_token)).size).toBe(1);
      expect(new Set(answers.map((answer) => decodeJwt(answer.body.access_token).jti)).size).toBe(24);
      token = answers[0]!.body.refresh_token;
    }
  });

  test("a client that lost the response can retry, and gets another refresh token", async () => {
    const { refresh: first, access } = await clientGrant(client);
    const tokens = new Set([(await refresh(client, path, first)).body.refresh_token]);
    let last = "";
    for (const interval of ["12 seconds", "1 hour", "20 days"]) {
      await age(familyOf(access), interval);
      const again = await Promise.all(Array.from({ length: 4 }, () => refresh(client, path, first)));
      expect(again.map(({ status }) => status)).toEqual(Array(4).fill(200));
      last = again[0]!.body.refresh_token;
      expect(again.every(({ body }) => body.refresh_token === last)).toBe(true);
      tokens.add(last);
    }
    expect(tokens.size).toBe(4);
    expect((await refresh(client, path, last)).status).toBe(200);
  });

  test.each(["thief", "owner"])(
    "of two users of one token the second is detected: the %s comes first",
    async (first) => {
      const { refresh: token, access } = await clientGrant(client);
      const held = { thief: token, owner: token };
      const turns = first === "thief" ? (["thief", "owner"] as const) : (["owner", "thief"] as const);
      const answers: number[] = [];
      for (const who of [...turns, ...turns]) {
        const { status, body } = await refresh(client, path, held[who]);
        answers.push(status);
        held[who] = body.refresh_token ?? held[who];
        await age(familyOf(access), "1 minute");
      }
      expect(answers).toEqual([200, 200, 400, 400]);
      await until("the access token to be refused", async () => !(await opens(access)));
    },
  );

  test("a token used again after its successor ends its family, including access tokens", async () => {
    const { refresh: first, access } = await clientGrant(client);
    const second = await refresh(client, path, first);
    const third = await refresh(client, path, second.body.refresh_token);
    expectInvalidGrant(path, await refresh(client, path, first), /already used/);
    for (const { body } of [second, third])
      expectInvalidGrant(path, await refresh(client, path, body.refresh_token), /revoked/);
    await until("the access tokens to be refused", async () => !(await opens(access)));
    expect(await opens(third.body.access_token)).toBe(false);
  });

  test("parallel requests with a token whose successor was used all fail", async () => {
    const { refresh: first } = await clientGrant(client);
    const second = await refresh(client, path, first);
    const third = await refresh(client, path, second.body.refresh_token);
    const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(client, path, first)));
    for (const answer of answers) expectInvalidGrant(path, answer);
    expectInvalidGrant(path, await refresh(client, path, third.body.refresh_token));
  });

  test("a family not refreshed for 30 days has expired", async () => {
    const family = await userFamily(client, issuer, ["openid"]);
    await age(family.familyId, "29 days");
    const alive = await refresh(client, path, family.refreshToken);
    expect(alive.status).toBe(200);
    await age(family.familyId, "30 days");
    expectInvalidGrant(path, await refresh(client, path, alive.body.refresh_token), /expired/);
  });

  test("after 90 days a user must sign in again, however often it was refreshed", async () => {
    const family = await userFamily(client, issuer, ["openid"]);
    await elapse("90 days", "refresh_families", { id: family.familyId });
    expectInvalidGrant(path, await refresh(client, path, family.refreshToken), /expired/);
  });

  test("a grant expires after its client's RefreshTokenLifetime, however often it was refreshed", async () => {
    const own = await newClient({ refresh_token_lifetime: 3600 });
    const { body } = await own.token(await own.code(new Visitor()));
    const familyId = familyOf(body.access_token);
    const next = await own.refresh(body.refresh_token, {}, path);
    expect(next.status).toBe(200);
    await elapse("59 minutes", "refresh_families", { id: familyId });
    const last = await own.refresh(next.body.refresh_token, {}, path);
    expect(last.status).toBe(200);
    await elapse("1 minute", "refresh_families", { id: familyId });
    expectInvalidGrant(path, await own.refresh(last.body.refresh_token, {}, path), /expired/);
  });

  test("an inactive user gets nothing", async () => {
    const own = await newTenant();
    const family = await userFamily(own, issuer, ["openid"]);
    await setRows("users", { id: family.userId }, { is_active: false });
    expectInvalidGrant(path, await refresh(own, path, family.refreshToken));
  });

  test("another client's token, of the same tenant or another, is rejected and unchanged", async () => {
    const other = await newTenant();
    const family = await userFamily(client, issuer, ["openid"]);
    for (const token of [family.refreshToken, (await clientGrant(client)).refresh]) {
      const answer = await refresh(other, path, token);
      if (path === TOKEN_PATH) expectTokenError(answer, 403, "Permission", /another client/);
      else expectRfcError(answer, 400, "invalid_grant", /another client/);
      expect((await refresh(client, path, token)).status).toBe(200);
    }
  });

  test.each(["", "a.b.c", "x", "A".repeat(80), "A".repeat(10_000), "é"])(
    "%.10s is not a refresh token",
    async (token) => {
      const answer = await refresh(client, path, token);
      if (token !== "") expectInvalidGrant(path, answer, /invalid or expired/);
      else if (path === TOKEN_PATH) expectTokenError(answer, 400, "Bad Input", /refresh_token is missing/);
      else expectRfcError(answer, 400, "invalid_request", /refresh_token is missing/);
    },
  );

  test("a changed token, an access token and an id_token are rejected", async () => {
    const family = await userFamily(client, issuer, ["openid"]);
    const { body } = await refresh(client, path, family.refreshToken);
    const token: string = body.refresh_token;
    for (const index of [0, 25, 35, 79]) {
      const changed = token.slice(0, index) + (token[index] === "A" ? "B" : "A") + token.slice(index + 1);
      expectInvalidGrant(path, await refresh(client, path, changed));
    }
    for (const other of [body.access_token, body.id_token]) {
      expectInvalidGrant(path, await refresh(client, path, other));
    }
    expect((await refresh(client, path, token)).status).toBe(200);
  });

  test("a client without the grant is rejected", async () => {
    const own = await newTenant();
    const { refresh: first } = await clientGrant(own);
    await own.patch(`/Application/${own.clientId}/Credentials`, { GrantTypes: ["client_credentials"] });
    const answer = await refresh(own, path, first);
    if (path === TOKEN_PATH) expectTokenError(answer, 403, "Permission", /refresh_token/);
    else expectRfcError(answer, 400, "unauthorized_client", /refresh_token/);
    expect((await clientGrant(own)).refresh).toBeUndefined();
  });

  test("without its secret a confidential client is rejected, a public one is not", async () => {
    const own = await newTenant();
    const family = await userFamily(own, issuer, ["openid"]);
    const fields = { grant_type: "refresh_token", refresh_token: family.refreshToken, client_secret: undefined };
    expect((await postAs(own, path, fields)).status).toBe(path === TOKEN_PATH ? 400 : 401);
    const changes = { ClientType: "public", GrantTypes: ["refresh_token"], RedirectUris: [] };
    await ok((await newMember(own, "admin")).patch(`/Application/${own.clientId}/Credentials`, changes));
    expect((await postAs(own, path, fields)).status).toBe(200);
  });
});

test("a client's refresh token is valid for its RefreshTokenLifetime, at most 30 days", async () => {
  const own = await newTenant();
  const lifetime = async (RefreshTokenLifetime: number | null) => {
    await ok(own.patch(`/Application/${own.clientId}/Credentials`, { RefreshTokenLifetime }));
    const { iat, exp } = decodeJwt((await clientGrant(own)).refresh);
    return exp! - iat!;
  };
  expect(await lifetime(600)).toBe(600);
  expect(await lifetime(365 * 86_400)).toBe(30 * 86_400);
  expect(await lifetime(null)).toBe(30 * 86_400);
});

test("a client's refresh token stores nothing until it is used", async () => {
  const { access } = await clientGrant(client);
  const rows = await rowsOf("refresh_families", { id: familyOf(access) });
  expect(rows).toHaveLength(0);
});

test("no refresh token is stored in the database", async () => {
  const family = await userFamily(client, issuer, ["openid"]);
  const { body } = await refresh(client, TOKEN_PATH, family.refreshToken);
  const whole = await storedText("refresh_families", { id: family.familyId });
  for (const token of [family.refreshToken, body.refresh_token]) {
    const bytes = Buffer.from(token, "base64url").subarray(-32);
    for (const secret of [token, bytes.toString("hex"), bytes.toString("base64")]) {
      expect(whole).not.toContain(secret);
    }
  }
});

test("the families of a session, or of a user and a client, can be ended", async () => {
  const own = await newTenant();
  const { families } = otherProcess(issuer);
  const tenantId = own.tenantId as Parameters<typeof families.revoke>[1];
  const [one, two, three] = [
    await userFamily(own, issuer, ["openid"]),
    await userFamily(own, issuer, ["openid"]),
    await userFamily(own, issuer, ["openid"]),
  ];
  expect(await families.revoke(db(), client.tenantId as typeof tenantId, { sessionId: one.sessionId })).toBe(0);
  expect(await families.revoke(db(), tenantId, { sessionId: one.sessionId })).toBe(1);
  expectInvalidGrant(RFC_TOKEN_PATH, await refresh(own, RFC_TOKEN_PATH, one.refreshToken));
  expect((await refresh(own, RFC_TOKEN_PATH, two.refreshToken)).status).toBe(200);
  expect(await families.revoke(db(), tenantId, { userId: two.userId, clientId: 1 })).toBe(0);
  expect(await families.revoke(db(), tenantId, { userId: two.userId, clientId: Number(own.clientId) })).toBe(2);
  expectInvalidGrant(RFC_TOKEN_PATH, await refresh(own, RFC_TOKEN_PATH, three.refreshToken));
});

test("a family belongs to its tenant", async () => {
  const other = await newTenant();
  const family = await userFamily(client, issuer, ["openid"]);
  const { families } = otherProcess(issuer);
  const presented = (await families.read(family.refreshToken))!;
  const tenantId = other.tenantId as Parameters<typeof families.liveFamily>[1];
  expect(await families.liveFamily(db(), tenantId, presented)).toBeUndefined();
});
