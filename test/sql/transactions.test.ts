// The turns of a transaction with PostgreSQL: a read goes with its beginning, and the last statement with its commit.

import { afterAll, expect, test } from "bun:test";
import { atCommit, connect } from "../../server/platform/db/sql.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { startRelay } from "../support/relay.ts";

const database = await newEmptyDatabase();
const sql = connect(database.url, "gatehouse test", 2);
afterAll(async () => {
  await sql.end();
  await database[Symbol.asyncDispose]();
});

const table = "turns";
await sql.unsafe(`create table ${table} (n integer primary key)`);
const numbers = async () => (await sql<{ n: number }[]>`select n from ${sql(table)} order by n`).map(({ n }) => n);

test("its first read takes its locks", async () => {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(4711)`;
    const [row] = await sql<{ isFree: boolean }[]>`select pg_try_advisory_xact_lock(4711) as "isFree"`;
    expect(row!.isFree).toBe(false);
  });
});

test("its first statement that writes is undone with it, alone or beside a read", async () => {
  for (const isBeside of [false, true]) {
    const undone = sql.begin(async (tx) => {
      const write = tx`insert into ${sql(table)} values (1)`;
      await Promise.all(isBeside ? [write, tx`select 1`] : [write]);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await numbers()).toEqual([]);
  }
});

test("the last statements are sent with the commit, in their order, and none after a failure of the work", async () => {
  const result = await sql.begin(async (tx) => {
    atCommit(tx, (last) => last`insert into ${sql(table)} values (2)`);
    atCommit(tx, (last) => last`update ${sql(table)} set n = 3 where n = 2`);
    expect(await tx`select from ${sql(table)}`).toHaveLength(0);
    return "done";
  });
  expect([result, await numbers()]).toEqual(["done", [3]]);
  const failed = sql.begin(async (tx) => {
    atCommit(tx, (last) => last`insert into ${sql(table)} values (4)`);
    throw new Error("failed");
  });
  await expect(failed).rejects.toThrow("failed");
  expect(await numbers()).toEqual([3]);
});

test("a failure of the last statement fails the transaction and undoes it", async () => {
  const failed = sql.begin(async (tx) => {
    await tx`insert into ${sql(table)} values (5)`;
    atCommit(tx, (last) => last`insert into ${sql(table)} values (3)`);
    return "never";
  });
  await expect(failed).rejects.toMatchObject({ code: "23505" });
  expect(await numbers()).toEqual([3]);
});

test("a connection lost during the last statement fails the transaction, which another session does not continue", async () => {
  await using relay = await startRelay(database.url);
  const own = connect(relay.databaseUrl, "gatehouse test", 1);
  const [session] = await own<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const failed = own
    .begin(async (tx) => {
      await tx`insert into ${sql(table)} values (6)`;
      atCommit(tx, (last) => last`insert into ${sql(table)} select 7 from (select pg_sleep(60)) asleep`);
    })
    .catch((error) => error);
  const isAsleep = () => sql`
    select from pg_stat_activity where pid = ${session!.pid} and wait_event = 'PgSleep'`;
  while ((await isAsleep()).length === 0) await Bun.sleep(5);
  relay.cut();
  expect(await failed).toEqual(expect.any(Error));
  await sql`select pg_terminate_backend(${session!.pid})`;
  expect(await numbers()).toEqual([3]);
  await own.end({ timeout: 0 });
});
