// Only a sent post counts as an attempt, regardless of failures around it in an activity: each call to PostgreSQL fails
// once, in each way.

import { expect } from "bun:test";
import { connect, type Sql } from "../../server/platform/db/sql.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { type FailingDatabase, startFailingDatabase, type Trouble } from "../support/failing-database.ts";
import { type Stack, startStack } from "../support/stack.ts";
import type { Receiver } from "../world/receiver.ts";

const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
/** Waits of 50 ms and 750 ms. If a failed call counted as an attempt, the wait would be 11 s. */
const RETRY = { WEBHOOK_RETRY_INITIAL_INTERVAL: "50ms", WEBHOOK_RETRY_BACKOFF: "15" };
const WAIT_AFTER_THE_LAST_MS = 11_000;
/** The receiver's answers. */
export const ANSWERS = [500, 500, 200];
/** The opening and the recording of each attempt. */
const MIN_CALLS = 2 * ANSWERS.length;

export interface Failing {
  database: FailingDatabase;
  stack: Stack;
  /** To the database itself. */
  sql: Sql;
  stop(): Promise<void>;
}

export async function startFailing(): Promise<Failing> {
  const empty = await newEmptyDatabase();
  const database = await startFailingDatabase(empty.url);
  const stack = await startStack({ env: { ...RETRY, DATABASE_URL: database.databaseUrl, MASTER_KEY } });
  const sql = connect(empty.url, "gatehouse test", 1);
  return {
    database,
    stack,
    sql,
    async stop() {
      await sql.end();
      await stack.stop();
      await database[Symbol.asyncDispose]();
      await empty[Symbol.asyncDispose]();
    },
  };
}

/** Repeats the story, each time with a different failing call, until every call has failed. */
export async function walk(database: FailingDatabase, trouble: Trouble, story: () => Promise<unknown>): Promise<void> {
  for (let nth = 1; ; nth++) {
    database.fail(nth, trouble);
    await story();
    if (database.seen().hasFailed) continue;
    expect(nth).toBeGreaterThan(MIN_CALLS);
    return;
  }
}

export function expectNoLongWait(posts: Receiver["calls"]): void {
  const times = posts.map(({ at }) => at.getTime());
  for (const [index, time] of times.slice(1).entries()) {
    expect(time - times[index]!).toBeLessThan(WAIT_AFTER_THE_LAST_MS);
  }
}
