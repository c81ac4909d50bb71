// Statements and transactions when their connection ends.

import { expect, test } from "bun:test";
import { connect } from "../../server/platform/db/sql.ts";
import { startRelay } from "../support/relay.ts";
import { until } from "../world/api.ts";
import { holdNumber, lockNumber, waitingFor } from "../world/locks.ts";
import { echo, endSessions, longRows, makeTable, ping, sessionOf, sleep } from "../world/postgresql.ts";
import { rowsOf } from "../world/rows.ts";
import { setting } from "../world/tenant.ts";

const URL = setting("GATEHOUSE_TEST_DATABASE_URL");
const closed = expect.objectContaining({ code: "CONNECTION_CLOSED" });

test("a transaction that lost its connection fails, and so does each further statement", async () => {
  const sql = connect(URL, "gatehouse test", 1);
  const further: unknown[] = [];
  const transaction = sql.begin(async (tx) => {
    await endSession(await sessionOf(tx));
    further.push(await failure(ping(tx)));
    further.push(await failure(ping(tx)));
    // The pool's only connection reconnects; the transaction must not continue there.
    await sessionOf(sql);
    further.push(await failure(makeTable("never_made", tx)));
  });
  expect(await failure(transaction)).toEqual(closed);
  while (further.length < 3) await ping(sql);
  expect(further).toEqual([expect.any(Error), closed, closed]);
  expect(await rowsOf("pg_tables", { tablename: "never_made" }, sql)).toHaveLength(0);
  await sql.end();
});

test("a statement waiting for a lock does not delay others, which use another connection", async () => {
  const holder = connect(URL, "gatehouse test", 2);
  const sql = connect(URL, "gatehouse test", 2);
  await using lock = await holdNumber(20260815, holder);
  // Both connections are open, and have had several waiting statements.
  await Promise.all(Array.from({ length: 10 }, () => ping(sql)));
  const stuck = lockNumber(20260815, sql).execute();
  await until("it to have waited for a while", async () => {
    const waiting = await waitingFor(lock, holder);
    return waiting.some(({ query_start }) => Date.now() - +query_start > 100);
  });
  const asked = Array.from({ length: 20 }, (_, index) => echo(sql, index));
  const answers = await Promise.all(asked);
  expect(answers.map(([row]) => row!.n)).toEqual(asked.map((_, index) => index));
  await lock.release();
  await stuck;
  await Promise.all([sql.end(), holder.end()]);
});

test("a statement after a failing one gets its own rows only", async () => {
  const sql = connect(URL, "gatehouse test", 1);
  const failing = failure(longRows(sql, 10, { failing: 4 }));
  const following = longRows(sql, 3);
  const [failed, rows] = await Promise.all([failing, following]);
  expect(failed).toMatchObject({ code: "22012" });
  expect(rows.map(({ n }) => n)).toEqual([1, 2, 3]);
  await sql.end();
});

test("a transaction has its connection to itself, however many statements were sent before it", async () => {
  for (const before of [98, 99, 100, 101, 102]) {
    const sql = connect(URL, "gatehouse test", 1);
    const sent = Array.from({ length: before }, () => ping(sql).execute());
    const transaction = sql.begin(async (tx) => (await echo(tx, 1))[0]!.n);
    expect([before, await transaction]).toEqual([before, 1]);
    await Promise.all(sent);
    await sql.end();
  }
});

test("statements waiting in a transaction behind a lost one fail with it", async () => {
  const sql = connect(URL, "gatehouse test", 1);
  const session = Promise.withResolvers<number>();
  const waiting: Promise<unknown>[] = [];
  const transaction = sql.begin(async (tx) => {
    session.resolve(await sessionOf(tx));
    // Its types are queried first, so the others wait in the transaction.
    for (const seconds of [60, 0, 0]) waiting.push(failure(sleep(tx, seconds).execute()));
    await Promise.all(waiting);
  });
  const failed = failure(transaction);
  await untilAsleep(await session.promise);
  await endSession(await session.promise);
  expect(await failed).toEqual(expect.any(Error));
  expect(await Promise.all(waiting)).toEqual([expect.any(Error), closed, closed]);
  await sql.end();
});

test("statements waiting behind a lost one fail, and the pool can be ended", async () => {
  await using relay = await startRelay(URL);
  const sql = connect(relay.databaseUrl, "gatehouse test", 1);
  const pid = await sessionOf(sql);
  const sent = [sleep(sql, 60), ping(sql), echo(sql, 2)].map((query) => failure(query.execute()));
  await untilAsleep(pid);
  relay.cut();
  expect(await Promise.all(sent)).toEqual([expect.any(Error), expect.any(Error), expect.any(Error)]);
  await sql.end();
});

test("a reserved connection that is lost fails each further statement", async () => {
  const sql = connect(URL, "gatehouse test", 1);
  const kept = await sql.reserve();
  await endSession(await sessionOf(kept));
  for (let statement = 0; statement < 3; statement++) expect(await failure(ping(kept))).toEqual(expect.any(Error));
  kept.release();
  await sql.end();
});

test("after a statement lost half-way, the next one gets its own rows only", async () => {
  const sql = connect(URL, "gatehouse test", 1);
  const pid = await sessionOf(sql);
  // Rows long enough to be sent immediately.
  const lost = failure(longRows(sql, 5, { asleep: 5 }).execute());
  await untilAsleep(pid);
  await endSession(pid);
  expect(await lost).toEqual(expect.any(Error));
  const rows = await longRows(sql, 3);
  expect(rows.map(({ n }) => n)).toEqual([1, 2, 3]);
  await sql.end();
});

test("a statement that a transaction leaves behind is rejected, and runs in no later one", async () => {
  const sql = connect(URL, "gatehouse test", 1);
  const late: unknown[] = [];
  const kept = await sql.begin(async (tx) => tx);
  await sql.begin(async () => {
    late.push(await failure(makeTable("never_made", kept)));
  });
  expect(late).toEqual([expect.objectContaining({ message: expect.stringContaining("has ended") })]);
  expect(await rowsOf("pg_tables", { tablename: "never_made" }, sql)).toHaveLength(0);
  await sql.end();
});

test("a listener learns that its notifications are lost, and that they arrive again", async () => {
  await using relay = await startRelay(URL);
  const sql = connect(relay.databaseUrl, "gatehouse test", 1);
  const events: string[] = [];
  await sql.listen(
    "gatehouse_test",
    (payload) => events.push(payload),
    () => events.push("listening"),
    () => events.push("deaf"),
  );
  await sql.notify("gatehouse_test", "one");
  await until("the first notification", () => events.includes("one"));
  relay.cut();
  await until("the loss", () => events.includes("deaf"));
  relay.mend();
  await until("it to listen", () => events.at(-1) === "listening");
  await until("a notification", async () => {
    await sql.notify("gatehouse_test", "two").catch(() => {});
    return events.at(-1) === "two";
  });
  expect(events.slice(0, 3)).toEqual(["listening", "one", "deaf"]);
  await sql.end();
}, 300_000);

test("statements one after another share a session, and those at once have one each up to the maximum", async () => {
  const sql = connect(URL, "gatehouse test", 3);
  const sessions = new Set<number>();
  for (let statement = 0; statement < 5; statement++) sessions.add(await sessionOf(sql));
  expect(sessions.size).toBe(1);
  await Promise.all(Array.from({ length: 12 }, () => sleep(sql, 0.01)));
  expect(sql.pool()).toEqual({ active: 0, idle: 3, waiting: 0 });
  await sql.end();
});

test("a statement without a free connection fails after its time limit", async () => {
  const sql = connect(URL, "gatehouse test", 1, { wait_timeout: 1 });
  await sql.begin(async (tx) => {
    expect(await failure(ping(sql))).toEqual(expect.objectContaining({ code: "CONNECT_TIMEOUT" }));
    expect(await ping(tx)).toHaveLength(1);
  });
  expect(await ping(sql)).toHaveLength(1);
  await sql.end();
});

async function untilAsleep(pid: number): Promise<void> {
  const watcher = connect(URL, "gatehouse test", 1);
  await until("the statement to be under way", async () => {
    return (await rowsOf("pg_stat_activity", { pid, wait_event: "PgSleep" }, watcher)).length === 1;
  });
  await watcher.end();
}

async function endSession(pid: number): Promise<void> {
  const killer = connect(URL, "gatehouse test", 1);
  await endSessions([pid], killer);
  await killer.end();
}

function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error) => error,
  );
}
