// Two API processes whose clocks differ by two minutes use PostgreSQL's clock, so lifetimes are equal at both.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { createTenant } from "../../server/identity/tenants/index.ts";
import { startApiProcess } from "../support/api-process.ts";
import { newKeyDatabase } from "../support/key-database.ts";
import { type SecondApi, startSecondApi } from "../support/second-api.ts";
import { API, until } from "../world/api.ts";
import { answerOf, CALLBACK, type Client } from "../world/client.ts";
import { clientGrant, form, postAs } from "../world/grants.ts";
import { newApplication, Person } from "../world/person.ts";
import { elapse, rowsOf, setRows } from "../world/rows.ts";
import { clientOf, newTenant } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const APART_MS = 120_000;
const NOTICED_MS = 2_000;
/** Gives a process a different clock, by CLOCK_AHEAD_MS. */
const CLOCK = ["--preload", join(import.meta.dir, "clock-ahead.ts")];

/** The other processes have PostgreSQL's clock. */
let ahead: SecondApi;
let behind: SecondApi;
beforeAll(async () => {
  const at = (ms: number) => startSecondApi({ CLOCK_AHEAD_MS: String(ms) }, CLOCK);
  [ahead, behind] = await Promise.all([at(APART_MS), at(-APART_MS)]);
});
afterAll(async () => {
  await Promise.all([ahead, behind].map((api) => api[Symbol.asyncDispose]()));
});

const apis: [string, () => SecondApi][] = [
  ["ahead", () => ahead],
  ["behind", () => behind],
];

const outcome = (view: View) => (view.location ? Object.keys(answerOf(view)).sort().join() : view.heading);

describe.concurrent.each(apis)("an API whose clock is %s", (_, api) => {
  test("is tested with a wrong clock", async () => {
    const client = await newApplication();
    const now = Math.floor(Date.now() / 1_000);
    const body = form({
      grant_type: "client_credentials",
      client_id: client.id,
      client_secret: client.tenant.client.clientSecret,
    });
    const answer = await fetch(`${api().url}/oauth2/token`, { method: "POST", body });
    const { access_token } = (await answer.json()) as { access_token: string };
    expect(Math.abs(decodeJwt(access_token).iat! - now)).toBeWithin(100, 140);
  });

  test("rejects an access token that was revoked at a different API", async () => {
    const caller = await newTenant();
    const opens = async (token: string) => (await api().get("/Entities", token)).status === 200;
    // A process's first check reads everything; the later ones are tested.
    for (let round = 0; round < 2; round++) {
      const { access } = await clientGrant(caller);
      expect(await opens(access)).toBe(true);
      expect((await postAs(caller, "/oauth2/revoke", { token: access })).status).toBe(200);
      await until("the token to be refused", async () => !(await opens(access)), NOTICED_MS);
    }
  });

  test("computes max_age from the time of the sign-in", async () => {
    const client = await newApplication();
    const person = new Person(client);
    await person.signIn();
    const asked = (max_age: string) => person.visitor.at(api().url).open(client.authorize({ max_age, prompt: "none" }));
    expect(outcome(await asked("60"))).toBe("code,iss,state");
    const { tenantId } = client.tenant;
    await elapse("90 seconds", "sessions", { tenant_id: tenantId }, "auth_time");
    expect(answerOf(await asked("60"))).toMatchObject({ error: "login_required" });
    expect(outcome(await asked("180"))).toBe("code,iss,state");
  });

  test("begins sessions, codes, links and grants with correct lifetimes", async () => {
    const client = await newApplication();
    const visitor = new Visitor(api().url);
    const page = await visitor.open(client.authorize());
    const { code } = answerOf(await visitor.submit(page, client.tenant.admin));
    const { tenantId } = client.tenant;
    await link(client);
    await redeem(client, code!);
    // A time by the wrong clock is off by 120 s.
    const near = (seconds: number) => [seconds - 60, seconds + 60] as const;
    const day = 86_400;
    for (const [table, column, seconds] of [
      ["sessions", "auth_time", 0],
      ["sessions", "last_seen", 0],
      ["sessions", "expires_on", 7 * day],
      ["authorization_codes", "auth_time", 0],
      ["authorization_codes", "expires_on", 600],
      ["password_resets", "expires_on", 3_600],
      ["refresh_families", "auth_time", 0],
      ["refresh_families", "rotated_on", 0],
      ["refresh_families", "expires_on", 90 * day],
      ["known_devices", "last_seen", 0],
    ] as const) {
      const [row] = await rowsOf<Record<string, Date>>(table, { tenant_id: tenantId });
      const found = (+row![column]! - Date.now()) / 1_000;
      expect([table, column, found]).toEqual([table, column, expect.any(Number)]);
      expect(found).toBeWithin(...near(seconds));
    }
  });

  test("stores the time shared by all processes", async () => {
    const { token, tenantId } = await newTenant();
    const write = async (body: object) => {
      const answer = await fetch(`${api().url}${API}/Department`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Record<string, string>;
    };
    const { Id } = await write({ Name: "Sales" });
    const department = await write({ Id, Name: "Purchases" });
    const rows = await rowsOf<{ created_on: Date; modified_on: Date }>("departments", { tenant_id: tenantId });
    expect(rows).toHaveLength(1);
    for (const { created_on, modified_on } of rows) {
      for (const time of [created_on, modified_on]) expect(Date.now() - +time).toBeWithin(-60_000, 60_000);
    }
    expect(Date.now() - Date.parse(department.ModifiedOn!)).toBeWithin(-60_000, 60_000);
  });

  async function link(client: Client): Promise<void> {
    const { token } = await clientOf(client.tenant);
    const [user] = await rowsOf<{ id: number }>("users", { tenant_id: client.tenant.tenantId, username: "admin" });
    const answer = await fetch(`${api().url}${API}/User/${user!.id}/PasswordReset`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
  }

  async function redeem(client: Client, code: string): Promise<void> {
    const credentials = { client_id: client.id, client_secret: client.tenant.client.clientSecret };
    const body = form({ grant_type: "authorization_code", code, redirect_uri: CALLBACK, ...credentials });
    expect((await fetch(`${api().url}/oauth2/token`, { method: "POST", body })).status).toBe(200);
  }
});

test("starts signing with a new key at the shared time", async () => {
  await using database = await newKeyDatabase();
  const { sql, rotation } = database;
  const { client } = await createTenant(sql, "tenant");
  await setRows("credentials", {}, { id_token_alg: "EdDSA" }, sql);
  await rotation.run();
  const first = await rowsOf<{ kid: string }>("signing_keys", {}, sql);
  const { announced } = await rotation.run(new Date(Date.now() + 90 * 86_400_000));
  await setRows("signing_keys", { kid: announced }, { signs_from: new Date(Date.now() + 60_000) }, sql);
  await using api = await startApiProcess(database, { CLOCK_AHEAD_MS: String(APART_MS) }, CLOCK);
  const { kid } = decodeProtectedHeader(await api.token(client));
  expect(first.map((key) => key.kid)).toContain(kid!);
  const { keys } = (await (await fetch(`${api.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
  expect(keys.map((key) => key.kid)).toEqual(expect.arrayContaining(announced));
});
