// What becomes of a transaction when its connection ends; patches/postgres@3.4.9.patch is what makes it so.

import { expect, test } from "bun:test";
import { connect, type Queries } from "../../server/db/connection.ts";
import { until } from "../support/api.ts";
import { setting } from "../support/tenant.ts";

const URL = setting("GATEHOUSE_TEST_DATABASE_URL");
const closed = expect.objectContaining({ code: "CONNECTION_CLOSED" });

test("a transaction that lost its connection fails, and says so to each further statement", async () => {
  const sql = connect(URL, "gatehouse test", 1);
  const further: unknown[] = [];
  const transaction = sql.begin(async (tx) => {
    await endSession(await sessionOf(tx));
    further.push(await failure(tx`select`));
    further.push(await failure(tx`select`));
    // The pool's only connection is opened again; the transaction must not go on there.
    await sessionOf(sql);
    further.push(await failure(tx`create table never_made ()`));
  });
  expect(await failure(transaction)).toEqual(closed);
  while (further.length < 3) await sql`select`;
  expect(further).toEqual([expect.any(Error), closed, closed]);
  expect(await sql`select from pg_tables where tablename = 'never_made'`).toHaveLength(0);
  await sql.end();
});

test("a statement that waits for a lock holds up no other: they take another connection", async () => {
  const holder = connect(URL, "gatehouse test", 1);
  const sql = connect(URL, "gatehouse test", 2);
  await holder`select pg_advisory_lock(20260815)`;
  // Both connections are open, and had more than one statement to send.
  await Promise.all(Array.from({ length: 10 }, () => sql`select`));
  const stuck = sql`select pg_advisory_lock(20260815)`.execute();
  await until("it to have waited for a while", async () => {
    const waiting = await holder`select from pg_stat_activity
      where wait_event = 'advisory' and query like '%20260815%' and now() - query_start > interval '100 ms'`;
    return waiting.length === 1;
  });
  const asked = Array.from({ length: 20 }, (_, index) => sql<{ n: number }[]>`select ${index}::int as n`);
  const answers = await Promise.all(asked);
  expect(answers.map(([row]) => row!.n)).toEqual(asked.map((_, index) => index));
  await holder`select pg_advisory_unlock(20260815)`;
  await stuck;
  await Promise.all([sql.end(), holder.end()]);
}, 60_000);

async function sessionOf(queries: Queries): Promise<number> {
  const [row] = await queries<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row!.pid;
}

async function endSession(pid: number): Promise<void> {
  const killer = connect(URL, "gatehouse test", 1);
  await killer`select pg_terminate_backend(${pid}, 5000)`;
  await killer.end();
}

function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error) => error,
  );
}
