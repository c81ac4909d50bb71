import { expect, test } from "bun:test";
import { describeLedger, runChaos } from "./chaos.ts";

/** One round of kills, with the store of Temporal deleted. */
const SECONDS = 0;
const RATE = 10;

test("when every part is killed and Temporal's store wiped, each committed change is delivered or in a final state", async () => {
  const ledger = await runChaos({
    seconds: SECONDS,
    rate: RATE,
    tenants: 2,
    longestPause: 1_500,
    seed: 8,
    patience: 120_000,
  });
  console.log(`ledger: chaos\n${describeLedger(ledger)}`);
  expect(ledger.lost).toEqual([]);
  expect(ledger.late).toEqual([]);
  expect(ledger.outOfOrder).toEqual([]);
  expect(ledger.mails).toMatchObject({ lost: [], late: [] });
  expect(ledger.mails.owed).toBeGreaterThan(0);
  const once = { API: 1, "second API": 1, worker: 1, "second worker": 1, Temporal: 1, PostgreSQL: 1 };
  expect(ledger).toMatchObject({ wiped: 1, killed: once });
  expect(ledger.committed).toBeGreaterThanOrEqual(RATE);
  expect(ledger.states.Delivered).toBeGreaterThanOrEqual(ledger.committed);
});
