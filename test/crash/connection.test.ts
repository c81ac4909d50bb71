// What becomes of a transaction when its connection ends; patches/postgres@3.4.9.patch is what makes it so.

import { expect, test } from "bun:test";
import { connect, type Queries } from "../../server/db/connection.ts";
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
