// Combines load, failing receivers and killed parts, then reports every change.

import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { besides, startProcess } from "../support/process.ts";
import { scrape, sum } from "../support/scrape.ts";
import { startStack } from "../support/stack.ts";
import { type Api, signIn, until } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";
import { type Kills, killParts, victim } from "./driver.ts";
import { type Ledger, settle } from "./ledger.ts";
import { sendChanges } from "./load.ts";
import { describeMails, type MailLedger, sendInvitations, settleMails } from "./mails.ts";
import { createRandom } from "./random.ts";
import { type Party, startReceivers } from "./receivers.ts";

export interface ChaosOptions {
  /** Seconds of kills under load; at least one round of kills. */
  seconds: number;
  /** Changes per second, of all tenants together. */
  rate: number;
  tenants: number;
  /** Maximum milliseconds between two kills. */
  longestPause: number;
  /** With the same seed, the order of kills and the failures repeat, except for differences in time. */
  seed: number;
  /** Maximum milliseconds at the end without a finished delivery. */
  patience: number;
  /** Kept at the end; by default a new one, which is removed. */
  dataDir?: string;
  say?(line: string): void;
}

const METRICS_TOKEN = crypto.randomUUID();
const ALL_UP_MS = 120_000;
/** Invitations for each change. Each is a change as well, so the load grows by a fifth. */
const MAIL_SHARE = 0.2;

type WholeLedger = Ledger & { mails: MailLedger };

/** Starts a new Gatehouse with two workers and two APIs. */
export async function runChaos(options: ChaosOptions): Promise<Kills & WholeLedger> {
  const { seconds, rate, tenants, longestPause, seed, patience, say } = options;
  const random = createRandom(seed);
  const settings = {
    WEBHOOK_RECONCILE_INTERVAL: "2s",
    WEBHOOK_TIMEOUT: "2s",
    WEBHOOK_PROBE_INTERVAL: "2s",
    METRICS_TOKEN,
  };
  await using stack = await startStack({ env: settings, dataDir: options.dataDir, say });
  await using others = new AsyncDisposableStack();
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  const secondUrl = `http://127.0.0.1:${port}`;
  const launch = async (entry: string, ready: string, env = {}) => {
    const launched = startProcess(entry, { ...besides(stack), ...settings, ...env });
    await launched.said((message) => message === ready);
    return launched;
  };
  const victims = {
    ...{ API: stack.parts.api, worker: stack.parts.worker },
    "second API": victim(() =>
      launch("server/serve.ts", "api ready", { PORT: String(port), PUBLIC_URL: stack.publicUrl }),
    ),
    "second worker": victim(() => launch("activities/worker.ts", "worker ready")),
    ...{ Temporal: stack.parts.temporal, PostgreSQL: stack.parts.postgresql },
  };
  for (const name of ["second API", "second worker"] as const) {
    await victims[name].start();
    others.defer(() => victims[name].stop());
  }
  const certificates = process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir;
  const parties = await Promise.all(
    Array.from({ length: tenants }, async () => {
      const api = await newTenant(stack);
      const started = startReceivers(certificates, random);
      for (const { receiver } of started) others.use(receiver);
      return { api, apis: [api, await signIn(secondUrl, api.tenant)], ...(await connectAll(api, started)) };
    }),
  );

  const killing = killParts(stack, victims, seconds, longestPause, random);
  const accounts = await Promise.all(
    parties.map(async (party) => {
      const [sent, invited] = await Promise.all([
        sendChanges(party.apis, rate / tenants, killing),
        sendInvitations(party.apis, MAIL_SHARE * (rate / tenants), killing, random),
      ]);
      return { ...party, sent, invited };
    }),
  );
  const kills = await killing;
  await until("all to be up", async () => (await stack.readiness().catch(() => {}))?.status === "ready", ALL_UP_MS);
  const ledger = await settle(accounts, () => openDeliveries(stack.url), patience, say);
  return { ...kills, ...ledger, mails: await settleMails(accounts, stack.mailServer, patience) };
}

async function openDeliveries(url: string): Promise<number | undefined> {
  const samples = await scrape(`${url}/metrics`, METRICS_TOKEN).catch(() => undefined);
  if (!samples?.get("gatehouse_postgresql_up")) return undefined;
  const open = (state: string) => sum(samples, "gatehouse_webhook_backlog", { state });
  return open("Pending") + open("Retrying");
}

async function connectAll(api: Api, parties: Party[]) {
  const connected = await Promise.all(parties.map(({ receiver, wish }) => api.connect(receiver.url, wish)));
  return {
    receivers: new Map(connected.map(({ Id }, index) => [Id, parties[index]!.receiver])),
    ordered: new Set(connected.filter(({ Order }) => Order === "Record").map(({ Id }) => Id)),
  };
}

export function isSound({ lost, late, outOfOrder, mails }: WholeLedger): boolean {
  return [lost, late, outOfOrder, mails.lost, mails.late].every((problems) => problems.length === 0);
}

/** The report as text. */
export function describeLedger(ledger: Kills & WholeLedger): string {
  const { killed, wiped, states } = ledger;
  const kills = Object.entries(killed).map(([name, count]) => `${name} ${count}`);
  const each = Object.entries(states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${state} ${count}`);
  return [
    `killed           ${kills.join(", ")}; Temporal's store wiped ${wiped}`,
    `changes sent     ${ledger.sent}`,
    `  answered 200   ${ledger.committed}`,
    `  without answer ${ledger.sent - ledger.committed}, of which ${ledger.committedUnanswered} were committed`,
    `deliveries owed  ${ledger.owed}: ${each.join(", ")}`,
    `posts taken      ${ledger.taken}, of which ${ledger.takenAgain} again`,
    `lost             ${ledger.lost.length}`,
    ...ledger.lost.slice(0, 20).map((line) => `  ${line}`),
    `late             ${ledger.late.length}, still open`,
    ...ledger.late.slice(0, 20).map((line) => `  ${line}`),
    `out of order     ${ledger.outOfOrder.length}, of connections with Order Record`,
    ...ledger.outOfOrder.slice(0, 20).map((line) => `  ${line}`),
    ...describeMails(ledger.mails),
    `verdict          ${isSound(ledger) ? "sound" : "NOT SOUND"}`,
  ].join("\n");
}
