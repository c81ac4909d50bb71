// Back-channel logouts while calls to PostgreSQL fail.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { TROUBLES } from "../support/failing-database.ts";
import { until } from "../world/api.ts";
import { Client } from "../world/client.ts";
import { setCredentials } from "../world/logouts.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { ANSWERS, expectNoLongWait, type Failing, startFailing, walk } from "./failing-calls.ts";

let failing: Failing;
beforeAll(async () => {
  failing = await startFailing();
});
afterAll(() => failing?.stop());

test.each(TROUBLES)("a logout gets its three attempts when a call to PostgreSQL fails: %s", async (trouble) => {
  const { database, stack, sql } = failing;
  const api = await newTenant(stack);
  let count = 0;
  await using receiver = startReceiver(() => ANSWERS[count++ % ANSWERS.length]!, {
    dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir,
  });
  const client = new Client(api.tenant);
  await setCredentials(api, client, { BackchannelLogoutUri: receiver.url });
  await walk(database, trouble, async () => {
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
});
