// `bun run chaos`: the long version, for minutes. Exit code 1 if a change is unaccounted for.

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { temporaryDirectory } from "../support/directories.ts";
import { describeLedger, isSound, runChaos } from "./chaos.ts";

const USAGE = `Usage: bun run chaos [--seconds=180] [--rate=15] [--seed=N]

Starts a Gatehouse of its own with two APIs and two workers, sends it changes at a fixed rate, and kills its parts by
SIGKILL again and again; half-way Temporal's store is deleted. Receivers answer, fail at random, always fail, or are
gone; some ask for order. People are invited by mail, and the mail server refuses some, and cuts some connections before its
answer. At the end every change that was answered 200 has to be delivered, or to stand in the activity
log in a state of its own, and an ordered connection has to have its changes in order. Each invitation has to reach its reader as one mail, or to be
refused by the mail server. --rate is changes a second.`;

const { seconds, rate, seed } = readOptions();
const dataDir = temporaryDirectory("chaos");
console.log(`${seconds} s at ${rate} changes/s, --seed=${seed}`);
const ledger = await runChaos({
  seconds,
  rate,
  seed,
  tenants: 3,
  longestPause: 6_000,
  patience: 120_000,
  dataDir,
  say: (line) => console.log(`  ${line}`),
});
console.log(`\n${describeLedger(ledger)}`);
if (!isSound(ledger)) {
  console.log(`The data and the logs stay in ${dataDir}.`);
  process.exit(1);
}
rmSync(dataDir, { recursive: true });
process.exit(0);

function readOptions(): Record<"seconds" | "rate" | "seed", number> {
  try {
    const { values } = parseArgs({
      options: { seconds: { type: "string" }, rate: { type: "string" }, seed: { type: "string" } },
    });
    const { seconds = "180", rate = "15", seed = String(Math.floor(Math.random() * 1e6)) } = values;
    const numbers = { seconds: Number(seconds), rate: Number(rate), seed: Number(seed) };
    if (!(numbers.seconds > 0 && numbers.rate > 0 && Number.isInteger(numbers.seed))) throw new Error();
    return numbers;
  } catch {
    console.error(USAGE);
    process.exit(2);
  }
}
