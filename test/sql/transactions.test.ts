// The turns of a transaction with PostgreSQL: a read goes with its beginning, and the last statement with its commit.

import { afterAll, expect, test } from "bun:test";
import { atCommit, connect, type Transaction } from "../../server/platform/db/sql.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { startRelay } from "../support/relay.ts";
import { lockNumber } from "../world/locks.ts";
import { endSessions, ping, sessionOf } from "../world/postgresql.ts";
import { rowsOf } from "../world/rows.ts";

const database = await newEmptyDatabase();
const sql = connect(database.url, "gatehouse test", 2);
afterAll(async () => {
  await sql.end();
  await database[Symbol.asyncDispose]();
});

const table = "turns";
await sql.unsafe(`create table ${table} (n integer primary key)`);
const numbers = async () => (await rowsOf<{ n: number }>(table, {}, sql)).map(({ n }) => n).toSorted();
const write = (n: number, queries: Transaction) => queries`insert into ${queries(table)} values (${n})`;

test("its first read takes its locks", async () => {
  await sql.begin(async (tx) => {
    await lockNumber(4711, tx);
    expect(await rowsOf("pg_locks", { locktype: "advisory", objid: 4711, granted: true }, sql)).toHaveLength(1);
  });
});

test("its first statement that writes is undone with it, alone or beside a read", async () => {
  for (const isBeside of [false, true]) {
    const undone = sql.begin(async (tx) => {
      const writing = write(1, tx);
      await Promise.all(isBeside ? [writing, ping(tx)] : [writing]);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await numbers()).toEqual([]);
  }
});

test("the last statements are sent with the commit, in their order, and none after a failure of the work", async () => {
  const result = await sql.begin(async (tx) => {
    atCommit(tx, (last) => write(2, last));
    atCommit(tx, (last) => last`update ${sql(table)} set n = 3 where n = 2`);
    expect(await rowsOf(table, {}, tx)).toHaveLength(0);
    return "done";
  });
  expect([result, await numbers()]).toEqual(["done", [3]]);
  const failed = sql.begin(async (tx) => {
    atCommit(tx, (last) => write(4, last));
    throw new Error("failed");
  });
  await expect(failed).rejects.toThrow("failed");
  expect(await numbers()).toEqual([3]);
});

test("a failure of the last statement fails the transaction and undoes it", async () => {
  const failed = sql.begin(async (tx) => {
    await write(5, tx);
    atCommit(tx, (last) => write(3, last));
    return "never";
  });
  await expect(failed).rejects.toMatchObject({ code: "23505" });
  expect(await numbers()).toEqual([3]);
});

test("a connection lost during the last statement fails the transaction, which another session does not continue", async () => {
  await using relay = await startRelay(database.url);
  const own = connect(relay.databaseUrl, "gatehouse test", 1);
  const pid = await sessionOf(own);
  const failed = own
    .begin(async (tx) => {
      await write(6, tx);
      atCommit(tx, (last) => last`insert into ${sql(table)} select 7 from (select pg_sleep(60)) asleep`);
    })
    .catch((error) => error);
  const isAsleep = () => rowsOf("pg_stat_activity", { pid, wait_event: "PgSleep" }, sql);
  while ((await isAsleep()).length === 0) await Bun.sleep(5);
  relay.cut();
  expect(await failed).toEqual(expect.any(Error));
  await endSessions([pid], sql);
  expect(await numbers()).toEqual([3]);
  await own.end({ timeout: 0 });
});
