// Back-channel logouts while calls to PostgreSQL fail.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { TROUBLES } from "../support/failing-database.ts";
import { until } from "../world/api.ts";
import { Client } from "../world/client.ts";
import { setCredentials } from "../world/logouts.ts";
import { plantLogouts } from "../world/planted.ts";
import { startReceiver } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";
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
    const [id] = await plantLogouts(api, client.id, 1, {}, sql);
    const { state } = await until("the logout to end", async () => {
      const [row] = await rowsOf<{ state: string; ended_on: Date | null }>("logouts", { id }, sql);
      return row?.ended_on && row;
    });
    const seen = database.seen();
    expect({ seen, state }).toEqual({ seen, state: "Delivered" });
    const attempts = await rowsOf<{ number: number; status_code: number }>("logout_attempts", { logout_id: id }, sql);
    const answers = attempts.toSorted((a, b) => a.number - b.number).map(({ status_code }) => status_code);
    expect({ seen, attempts: answers }).toEqual({ seen, attempts: ANSWERS });
    expect(receiver.calls.length - before).toBe(ANSWERS.length);
    expectNoLongWait(receiver.calls.slice(before));
  });
});
