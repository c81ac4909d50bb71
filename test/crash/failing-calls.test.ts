// Only a sent post counts as an attempt, regardless of failures around it in an activity: each call to PostgreSQL fails
// once, in each way.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../server/db/sql.ts";
import { Client } from "../authorize/client.ts";
import { setCredentials } from "../logouts/clients.ts";
import { until } from "../support/api.ts";
import { type EmptyDatabase, newEmptyDatabase } from "../support/empty-database.ts";
import { type FailingDatabase, startFailingDatabase, TROUBLES, type Trouble } from "../support/failing-database.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";

const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
/** Waits of 50 ms and 750 ms. If a failed call counted as an attempt, the wait would be 11 s. */
const RETRY = { WEBHOOK_RETRY_INITIAL_INTERVAL: "50ms", WEBHOOK_RETRY_BACKOFF: "15" };
const WAIT_AFTER_THE_LAST_MS = 11_000;
const ANSWERS = [500, 500, 200];
/** The opening and the recording of each attempt. */
const MIN_CALLS = 2 * ANSWERS.length;

let empty: EmptyDatabase;
let database: FailingDatabase;
let stack: Stack;
let sql: Sql;
beforeAll(async () => {
  empty = await newEmptyDatabase();
  database = await startFailingDatabase(empty.url);
  stack = await startStack({ env: { ...RETRY, DATABASE_URL: database.databaseUrl, MASTER_KEY } });
  sql = connect(empty.url, "gatehouse test", 1);
}, 180_000);
afterAll(async () => {
  await sql?.end();
  await stack?.stop();
  await database?.[Symbol.asyncDispose]();
  await empty?.[Symbol.asyncDispose]();
}, 180_000);

const receiverOfThree = () =>
  startReceiver(({ count }) => ANSWERS[count - 1]!, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });

/** Repeats the story, each time with a different failing call, until every call has failed. */
async function walk(trouble: Trouble, story: () => Promise<unknown>): Promise<void> {
  for (let nth = 1; ; nth++) {
    database.fail(nth, trouble);
    await story();
    if (database.seen().hasFailed) continue;
    expect(nth).toBeGreaterThan(MIN_CALLS);
    return;
  }
}

function expectNoLongWait(posts: Receiver["calls"]): void {
  const times = posts.map(({ at }) => at.getTime());
  for (const [index, time] of times.slice(1).entries()) {
    expect(time - times[index]!).toBeLessThan(WAIT_AFTER_THE_LAST_MS);
  }
}

test.each(TROUBLES)(
  "a delivery gets its three attempts when a call to PostgreSQL fails: %s",
  async (trouble) => {
    const api = await newTenant(stack);
    await using own = receiverOfThree();
    await using queued = receiverOfThree();
    await api.connect(own.url);
    // From the queue, where each retry also takes a turn.
    await api.connect(queued.url, { RatePerSecond: 50 });
    await walk(trouble, async () => {
      await api.change({ Name: "Gate", Description: Bun.randomUUIDv7() });
      const { EventId } = await api.newestEvent();
      const event = await api.settled(EventId);
      const seen = database.seen();
      expect({ seen, state: event.State }).toEqual({ seen, state: "Delivered" });
      for (const { Attempts } of event.Deliveries) {
        const attempts = Attempts.map((attempt) => [attempt.Number, attempt.StatusCode]);
        expect({ seen, attempts }).toEqual({ seen, attempts: ANSWERS.map((status, index) => [index + 1, status]) });
      }
      for (const receiver of [own, queued]) {
        const posts = receiver.callsFor(EventId);
        expect(posts).toHaveLength(ANSWERS.length);
        expectNoLongWait(posts);
      }
    });
  },
  600_000,
);

test.each(TROUBLES)(
  "a logout gets its three attempts when a call to PostgreSQL fails: %s",
  async (trouble) => {
    const api = await newTenant(stack);
    let count = 0;
    await using receiver = startReceiver(() => ANSWERS[count++ % ANSWERS.length]!, {
      dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir,
    });
    const client = new Client(api.tenant);
    await setCredentials(api, client, { BackchannelLogoutUri: receiver.url });
    await walk(trouble, async () => {
      const before = receiver.calls.length;
      const id = Bun.randomUUIDv7();
      await sql`
      insert into logouts (id, tenant_id, client_id, user_id, sid)
      values (${id}, ${api.tenantId}, ${client.id}, 1, ${Bun.randomUUIDv7()})`;
      const ended = await until("the logout to end", async () => {
        const [row] = await sql<{ state: string }[]>`
        select state from logouts where id = ${id} and ended_on is not null`;
        return row;
      });
      const seen = database.seen();
      expect({ seen, ...ended }).toEqual({ seen, state: "Delivered" });
      const attempts = await sql<{ number: number; status: number }[]>`
      select number, status_code as status from logout_attempts where logout_id = ${id} order by number`;
      expect({ seen, attempts: attempts.map(({ status }) => status) }).toEqual({ seen, attempts: ANSWERS });
      expect(receiver.calls.length - before).toBe(ANSWERS.length);
      expectNoLongWait(receiver.calls.slice(before));
    });
  },
  400_000,
);
