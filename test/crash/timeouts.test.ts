// Timeouts that PostgreSQL enforces on our sessions. Shortened here; the others are compared with the documents.

import { expect, test } from "bun:test";
import { connect, IMPATIENT } from "../../server/platform/db/sql.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { signIn, until } from "../world/api.ts";
import { holdRows, holdTable, lockRows } from "../world/locks.ts";
import { notify, ping } from "../world/postgresql.ts";
import { rowsOf } from "../world/rows.ts";
import { db, newTenant, setting, shared } from "../world/tenant.ts";

const URL = setting("GATEHOUSE_TEST_DATABASE_URL");
/** Long enough for the other statements of a busy machine. */
const SHORT = { statement: 2_000, lock: 500, idle: 30_000 };

test("each session has its pool's timeouts, also those that only listen", async () => {
  const sql = connect(URL, "gatehouse timeouts", 2, IMPATIENT);
  await using _ = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) };
  const names = ["idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout"];
  const settings = await rowsOf<{ name: string; setting: string }>("pg_settings", { name: names }, sql);
  expect(settings.map(({ setting }) => setting)).toEqual(["30000", "15000", "18000"]);
  const reserved = await sql.reserve();
  expect(await reserved`show lock_timeout`).toMatchObject([{ lock_timeout: "15s" }]);
  reserved.release();
  const heard = Promise.withResolvers<string>();
  await sql.listen("timeouts", heard.resolve);
  await notify("timeouts", "hello", sql);
  expect(await heard.promise).toBe("hello");
});

test.each([
  ["a statement that takes too long", { ...SHORT, lock: 0 }, "took too long"],
  ["a wait for a lock that takes too long", { ...SHORT, statement: 15_000 }, "locked for too long"],
])("%s is 503 in the documented form, and the request can be repeated", async (_, timeouts, reason) => {
  await using app = startPrivateApp({}, "info", { databaseUrl: shared().databaseUrl, patience: { timeouts } });
  const { api, headers, Id } = await withRecord(app.url);
  await using lock = await holdRows("applications", { id: Number(Id) });
  const answer = await change(app.url, headers, Id);
  expect(answer).toMatchObject({ status: 503, type: "/Errors/Service Unavailable", retryAfter: "2" });
  expect(answer.errors).toEqual([expect.stringContaining(reason)]);
  await lock.release();
  expect((await api.call("PATCH", "/Application", { Id, Description: "changed" })).status).toBe(200);
  expect(app.lines).toContainEqual(
    expect.objectContaining({ level: 40, msg: "a statement took too long; the request is answered 503" }),
  );
});

test("at the OAuth endpoints it is temporarily_unavailable", async () => {
  const patience = { timeouts: { ...SHORT, statement: 15_000 } };
  await using app = startPrivateApp({}, "info", { databaseUrl: shared().databaseUrl, patience });
  const { tenant } = await newTenant();
  await using _ = await holdTable("applications", "access exclusive");
  const answer = await fetch(`${app.url}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: tenant.client.clientId,
      client_secret: tenant.client.clientSecret,
    }),
  });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
});

test("a transaction of a process that hangs is ended, so that its locks are free", async () => {
  const sql = connect(URL, "gatehouse hangs", 1, { timeouts: { ...SHORT, idle: 200 } });
  const { Id } = await withRecord(shared().url);
  const failed = Promise.withResolvers<unknown>();
  const hanging = sql.begin(async (tx) => {
    await lockRows("applications", { id: Number(Id) }, tx);
    await until("the session to be ended", async () => {
      return (await rowsOf("pg_stat_activity", { application_name: "gatehouse hangs" })).length === 0;
    });
    await ping(tx);
  });
  await hanging.catch(failed.resolve);
  expect(await failed.promise).toBeInstanceOf(Error);
  await lockRows("applications", { id: Number(Id) }, db(), "update nowait");
  await sql.end();
});

async function withRecord(url: string) {
  const { tenant } = await newTenant();
  const api = await signIn(url, tenant);
  const headers = { authorization: api.authorization, "content-type": "application/json" };
  const { Id } = await api.change({ Name: "Gate" });
  return { api, headers, Id: String(Id) };
}

async function change(url: string, headers: Record<string, string>, Id: string) {
  const answer = await fetch(`${url}/Endpoint/rest/api/v1/Application`, {
    method: "PATCH",
    headers,
    body: JSON.stringify({ Id, Description: "changed" }),
  });
  const { Type: type, Errors: errors } = (await answer.json()) as { Type: string; Errors: string[] };
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), type, errors };
}
