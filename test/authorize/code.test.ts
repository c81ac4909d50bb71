// The code at the token endpoint: SPEC.md Endpoints 2, RFC 6749 4.1.3, RFC 7636 4.5, RFC 9700 2.1.1 and 4.5.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { TOKEN_PATH, until } from "../world/api.ts";
import { answerOf, CALLBACK, type Client, newClient, newPkce, otherClient, RFC_TOKEN_PATH } from "../world/client.ts";
import { setUsers } from "../world/planted.ts";
import { expire, rowsOf } from "../world/rows.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const digestOf = (code: string) => createHash("sha256").update(code).digest();

function expectSpecError(answer: Awaited<ReturnType<Client["token"]>>, status: number, error: string): void {
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ error, Type: `/Errors/${error}`, StatusCode: status, Instance: TOKEN_PATH });
}

function expectRfcError(answer: Awaited<ReturnType<Client["token"]>>, error: string): void {
  expect([answer.status, answer.body.error]).toEqual([400, error]);
}

async function userinfoStatus(accessToken: string): Promise<number> {
  const answer = await request("GET", "/oauth2/userinfo", { headers: { authorization: `Bearer ${accessToken}` } });
  return answer.status;
}

describe.concurrent("a code", () => {
  test("used by two parallel requests is redeemed by one", async () => {
    const client = await newClient();
    const code = await client.code(new Visitor());
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.token(code)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRfcError(answer, "invalid_grant");
  });

  test("used again revokes its tokens", async () => {
    const client = await newClient();
    const code = await client.code(new Visitor());
    const { body } = await client.token(code, {}, TOKEN_PATH);
    expect(await userinfoStatus(body.access_token)).toBe(200);
    expectSpecError(await client.token(code, {}, TOKEN_PATH), 400, "Bad Input");
    expectRfcError(await client.token(code), "invalid_grant");
    expectRfcError(await client.refresh(body.refresh_token), "invalid_grant");
    await until("the access token to be refused", async () => (await userinfoStatus(body.access_token)) === 401);
  });

  test("of another client is 403 Permission, and stays valid for its own", async () => {
    const client = await newClient();
    const other = await otherClient(client);
    const code = await client.code(new Visitor());
    expectSpecError(await other.token(code, {}, TOKEN_PATH), 403, "Permission");
    expectRfcError(await other.token(code), "invalid_grant");
    expect((await client.token(code)).status).toBe(200);
  });

  test("survives another sign-in of its user in the same browser, and ends with the new session", async () => {
    const [client, stranger] = [
      await newClient({ backchannel_logout_uri: "https://app.example/logout" }),
      await newClient(),
    ];
    const browser = new Visitor();
    const signInAnew = async () =>
      client.goThrough(browser, await browser.open(client.authorize({ prompt: "login", scope: "openid" })));
    const before = await client.token(await client.code(browser));
    const waiting = await client.code(browser);
    const anew = answerOf(await signInAnew());
    const [late, after] = [await client.token(waiting), await client.token(anew.code!)];
    expect([late.status, after.status]).toEqual([200, 200]);
    const refreshed = await client.refresh(before.body.refresh_token);
    const [former, ...now] = [before, late, after, refreshed].map(({ body }) => decodeJwt(body.id_token).sid);
    expect(new Set(now)).toEqual(new Set([now[0]]));
    expect(now[0]).not.toBe(former);

    const last = await client.code(browser);
    await stranger.code(browser);
    expectRfcError(await client.token(last), "invalid_grant");
  });

  test("is redeemed once, even while its user signs in again", async () => {
    const client = await newClient();
    const browser = new Visitor();
    for (let round = 0; round < 5; round++) {
      const code = await client.code(browser);
      const page = await browser.open(client.authorize({ prompt: "login" }));
      const [answer, back] = await Promise.all([client.token(code), client.goThrough(browser, page)]);
      expect([round, answer.status, answer.body.error, back.status]).toEqual([round, 200, undefined, 302]);
    }
  });

  test("of another tenant is unknown", async () => {
    const [client, stranger] = [await newClient(), await newClient()];
    const code = await client.code(new Visitor());
    expectSpecError(await stranger.token(code, {}, TOKEN_PATH), 400, "Bad Input");
  });

  test.each(["", "x", "\0", "x".repeat(20_000)])("%p is malformed", async (code) => {
    const client = await newClient();
    expectSpecError(await client.token(code, {}, TOKEN_PATH), 400, "Bad Input");
  });

  test("that has expired is rejected", async () => {
    const client = await newClient();
    const code = await client.code(new Visitor());
    const stored = { digest: digestOf(code) };
    const [row] = await rowsOf<{ expires_on: Date }>("authorization_codes", stored);
    expect(+row!.expires_on - Date.now()).toBeWithin(500_000, 601_000);
    await expire("authorization_codes", stored);
    expectSpecError(await client.token(code, {}, TOKEN_PATH), 400, "Bad Input");
    expectRfcError(await client.token(code), "invalid_grant");
  });

  test("of an inactive user is rejected", async () => {
    const client = await newClient();
    const code = await client.code(new Visitor());
    await setUsers(client.tenant, { is_active: false });
    expectRfcError(await client.token(code), "invalid_grant");
  });

  test("is stored only as a hash", async () => {
    const client = await newClient();
    const code = await client.code(new Visitor());
    const rows = await rowsOf("authorization_codes", { tenant_id: client.tenant.tenantId });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(code);
  });
});

describe.concurrent("redirect_uri", () => {
  test("that differs is rejected at both doors, and the code stays valid", async () => {
    const client = await newClient({ redirect_uris: [CALLBACK, "https://app.example/other"] });
    const code = await client.code(new Visitor());
    const fields = { redirect_uri: "https://app.example/other" };
    expectSpecError(await client.token(code, fields, TOKEN_PATH), 400, "Bad Input");
    expectRfcError(await client.token(code, fields), "invalid_grant");
    expect((await client.token(code)).status).toBe(200);
  });

  test("is optional at SPEC.md's door, required at the RFC door", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    expectRfcError(await client.token(await client.code(visitor), { redirect_uri: undefined }), "invalid_request");
    expect((await client.token(await client.code(visitor), { redirect_uri: undefined }, TOKEN_PATH)).status).toBe(200);
  });
});

describe.concurrent("PKCE", () => {
  test.each([TOKEN_PATH, RFC_TOKEN_PATH])("at %s is enforced if there was a challenge", async (path) => {
    const client = await newClient();
    const { verifier, challenge } = newPkce();
    const code = await client.code(new Visitor(), challenge);
    const expectError = (answer: Awaited<ReturnType<Client["token"]>>) =>
      path === TOKEN_PATH ? expectSpecError(answer, 400, "Bad Input") : expectRfcError(answer, "invalid_grant");
    expectError(await client.token(code, {}, path));
    expectError(await client.token(code, { code_verifier: newPkce().verifier }, path));
    expectError(await client.token(code, { code_verifier: challenge.code_challenge }, path));
    expectError(await client.token(code, { code_verifier: `${verifier}x` }, path));
    expect((await client.token(code, { code_verifier: verifier }, path)).status).toBe(200);
  });

  test("a verifier without a challenge is rejected as a downgrade", async () => {
    const client = await newClient();
    expectRfcError(await client.token(await client.code(new Visitor()), newPkceFields()), "invalid_grant");
  });

  test("a public client needs no secret, but its client_id and the verifier", async () => {
    const client = await newClient({ client_type: "public" });
    const { verifier, challenge } = newPkce();
    const code = await client.code(new Visitor(), challenge);
    const withoutSecret = { client_secret: undefined };
    expectRfcError(await client.token(code, withoutSecret), "invalid_grant");
    const answer = await client.token(code, { ...withoutSecret, code_verifier: verifier });
    expect(answer.status).toBe(200);
    expect((await client.refresh(answer.body.refresh_token, withoutSecret)).status).toBe(200);
  });
});

const newPkceFields = () => ({ code_verifier: newPkce().verifier });
