// A primary and a synchronous standby behind a proxy, under load. The standby takes over in a switchover that ends no
// session, and after a crash of the primary while it hung. Every change that was answered 200 must arrive.

import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import {
  changeOf,
  type Drill,
  describeStatuses,
  type Load,
  processesOf,
  startLoad,
  untilReady,
} from "../support/drill.ts";
import { type Pair, startPair } from "../support/pair.ts";
import { session } from "../support/postgresql.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { promote } from "../world/postgresql.ts";
import { startReceiver } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const LANES = 8;
const USUAL_MS = 5_000;
/** From the moment when new connections reach the new primary. */
const MAX_BACK_MS = 2_000;
const PATIENCE_MS = 60_000;
export const failover: Drill = {
  what: "a synchronous standby takes over from PostgreSQL under load: by a switchover, and after a crash",
  async run(say) {
    const passed: boolean[] = [];
    for (const [name, takeOver] of Object.entries({ switchover, crash })) {
      const verdict = await underLoad(takeOver);
      say(`${name}: ${verdict.summary}`);
      passed.push(verdict.passed);
    }
    const failures = passed.filter((each) => !each).length;
    return { passed: failures === 0, summary: `${failures} of ${passed.length} failovers had a fault` };
  },
};

interface TakenOver {
  /** Changes answered 200 that the new primary cannot have. */
  unsafe: number;
  summary: string;
}

async function underLoad(takeOver: (pair: Pair, load: Load) => Promise<TakenOver>) {
  await using pair = await startPair(true);
  await using stack = await startStack({ env: { DATABASE_URL: pair.relay.databaseUrl, MASTER_KEY: newMasterKey() } });
  const pids = () => String([stack.parts.api.pid, stack.parts.worker.pid]);
  const before = pids();
  await using receiver = startReceiver(200, { dataDir: stack.dataDir });
  const api = await newTenant({ url: stack.url, databaseUrl: pair.primaryUrl });
  await api.connect(receiver.url);
  const load = startLoad(api, LANES);
  await Bun.sleep(USUAL_MS);
  const { unsafe, summary } = await takeOver(pair, load);

  const [led, made] = [performance.now(), load.made.length];
  pair.lead();
  await until("a change to be made", () => load.made.length > made, PATIENCE_MS);
  const back = Math.round(performance.now() - led);
  await Bun.sleep(USUAL_MS);
  await load.end();
  await untilReady(stack);

  const missing = () => {
    const arrived = new Set(receiver.calls.map(({ payload }) => changeOf(payload.Data)));
    return load.made.filter((change) => !arrived.has(change)).length;
  };
  await until("all to arrive", () => missing() === 0, PATIENCE_MS).catch(() => {});
  const others = [...load.statuses.keys()].filter((status) => status !== 200 && status !== 503);
  const stayed = pids() === before;
  return {
    passed: missing() + unsafe + others.length + load.withoutRetryAfter === 0 && stayed && back <= MAX_BACK_MS,
    summary:
      `${summary}; changes again ${back} ms after the new primary was reachable (at most ${MAX_BACK_MS}); ` +
      `${describeStatuses(load)}; ${missing()} of ${load.made.length} changes lost; API and worker ` +
      `${stayed ? "stayed" : "did not stay"}`,
  };
}

/** The former primary refuses writes, but its sessions stay open. */
async function switchover(pair: Pair): Promise<TakenOver> {
  await pair.demote();
  await pair.promote();
  pair.lead();
  const led = performance.now();
  await using former = session(pair.primaryUrl);
  await until("all sessions to leave", async () => {
    const all = await rowsOf<{ application_name: string | null }>("pg_stat_activity", {}, former);
    return all.every(({ application_name: name }) => !name?.startsWith("gatehouse ") || name === "gatehouse test");
  });
  const left = Math.round(performance.now() - led);
  return { unsafe: left > MAX_BACK_MS ? 1 : 0, summary: `the last session left the former primary after ${left} ms` };
}

/** No commit reaches the standby, until a statement may wait no longer. Then the primary is lost with them. */
async function crash(pair: Pair, load: Load): Promise<TakenOver> {
  const standby = processesOf(pair.standbyPid);
  for (const pid of standby) process.kill(pid, "SIGSTOP");
  const refused = load.statuses.get(503) ?? 0;
  // Commits that the standby had before.
  await until("the lanes to wait", async () => {
    const before = load.made.length;
    await Bun.sleep(1_000);
    return load.made.length === before;
  });
  const made = load.made.length;
  await until("every lane to be refused", () => (load.statuses.get(503) ?? 0) >= refused + LANES, PATIENCE_MS);
  const unsafe = load.made.length - made;
  for (const pid of processesOf(pair.primaryPid)) process.kill(pid, "SIGKILL");
  for (const pid of standby) process.kill(pid, "SIGCONT");
  await using sql = session(pair.standbyUrl);
  await promote(sql);
  return { unsafe, summary: `${unsafe} changes were answered 200 while the standby hung` };
}
