// Load, receivers that fail and parts that are killed, all at once; then the account.

import { scrape, sum } from "../metrics/scrape.ts";
import { type Api, until } from "../support/api.ts";
import type { Receiver } from "../support/receiver.ts";
import { startStack } from "../support/stack.ts";
import { newTenant } from "../support/tenant.ts";
import { type Kills, killParts } from "./driver.ts";
import { type Ledger, settle } from "./ledger.ts";
import { sendChanges } from "./load.ts";
import { createRandom } from "./random.ts";
import { startReceivers } from "./receivers.ts";

export interface ChaosOptions {
  /** Of kills, and of load all the while; one round of kills is the least. */
  seconds: number;
  /** Changes a second, of all tenants together. */
  rate: number;
  tenants: number;
  /** Milliseconds between two kills, at most. */
  longestPause: number;
  /** The same one brings the same order of kills and the same failures, as far as time allows. */
  seed: number;
  /** Milliseconds that may pass at the end without any delivery coming to an end. */
  patience: number;
  /** Kept at the end; by default a new one, which is removed. */
  dataDir?: string;
  say?(line: string): void;
}

const METRICS_TOKEN = crypto.randomUUID();
const ALL_UP_MS = 120_000;

/** Starts a Gatehouse of its own. */
export async function runChaos(options: ChaosOptions): Promise<Kills & Ledger> {
  const { seconds, rate, tenants, longestPause, seed, patience, say } = options;
  const random = createRandom(seed);
  await using stack = await startStack({
    env: { WEBHOOK_RECONCILE_INTERVAL: "2s", WEBHOOK_TIMEOUT: "2s", METRICS_TOKEN },
    dataDir: options.dataDir,
    say,
  });
  const certificates = process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
  await using receivers = new AsyncDisposableStack();
  const parties = await Promise.all(
    Array.from({ length: tenants }, async () => {
      const api = await newTenant(stack);
      const started = startReceivers(certificates, random);
      for (const receiver of started) receivers.use(receiver);
      return { api, receivers: await connectAll(api, started) };
    }),
  );

  const killing = killParts(stack, seconds, longestPause, random);
  const accounts = await Promise.all(
    parties.map(async (party) => ({ ...party, sent: await sendChanges(party.api, rate / tenants, killing) })),
  );
  const kills = await killing;
  await until("all to be up", async () => (await stack.readiness().catch(() => {}))?.status === "ready", ALL_UP_MS);
  return { ...kills, ...(await settle(accounts, () => openDeliveries(stack.url), patience, say)) };
}

async function openDeliveries(url: string): Promise<number | undefined> {
  const samples = await scrape(`${url}/metrics`, METRICS_TOKEN).catch(() => undefined);
  if (!samples?.get("gatehouse_postgresql_up")) return undefined;
  const open = (state: string) => sum(samples, "gatehouse_webhook_backlog", { state });
  return open("Pending") + open("Retrying");
}

async function connectAll(api: Api, receivers: Receiver[]): Promise<Map<string, Receiver>> {
  const connected = await Promise.all(receivers.map((receiver) => api.connect(receiver.url)));
  return new Map(connected.map(({ Id }, index) => [Id, receivers[index]!]));
}

/** The account, as people read it. */
export function describeLedger(ledger: Kills & Ledger): string {
  const { killed, wiped, states } = ledger;
  const kills = `API ${killed.api}, worker ${killed.worker}, Temporal ${killed.temporal}, PostgreSQL ${killed.postgresql}`;
  const each = Object.entries(states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${state} ${count}`);
  return [
    `killed           ${kills}; Temporal's store wiped ${wiped}`,
    `changes sent     ${ledger.sent}`,
    `  answered 200   ${ledger.committed}`,
    `  without answer ${ledger.sent - ledger.committed}, of which ${ledger.committedUnanswered} were committed`,
    `deliveries owed  ${ledger.owed}: ${each.join(", ")}`,
    `posts taken      ${ledger.taken}, of which ${ledger.takenAgain} again`,
    `lost             ${ledger.lost.length}`,
    ...ledger.lost.slice(0, 20).map((line) => `  ${line}`),
  ].join("\n");
}
