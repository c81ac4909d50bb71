// A PostgreSQL backend is killed repeatedly under load: each time all sessions end, and PostgreSQL recovers. Then all
// its processes are stopped with open connections.

import { connect } from "../../server/platform/db/sql.ts";
import { type Drill, describeStatuses, processesOf, startLoad, untilReady } from "../support/drill.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../world/api.ts";
import { ping, reloadSettings } from "../world/postgresql.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const KILLS = 5;
const LANES = 8;
const MAX_RECOVERY_MS = 2_000;

export const recovery: Drill = {
  what: "PostgreSQL crashes and recovers under load, then stands still, then takes no writes",
  async run(say) {
    await using stack = await startStack();
    const api = await newTenant(stack);
    const { api: server, worker } = stack.parts;
    const pids = [server.pid, worker.pid];
    const load = startLoad(api, LANES);
    const late: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      await Bun.sleep(2_000);
      const sql = connect(stack.databaseUrl, "drill", 1);
      const [row] = await rowsOf<{ pid: number }>("pg_stat_activity", { application_name: "gatehouse api" }, sql);
      process.kill(row!.pid, "SIGKILL");
      await until("PostgreSQL to be back", () =>
        ping(sql).then(
          () => true,
          () => false,
        ),
      );
      const back = performance.now();
      await until("the API to be back", async () => (await api.call("GET", "/Application")).status === 200);
      late.push(Math.round(performance.now() - back));
      say(`kill ${kill}: the API answers ${late.at(-1)} ms after PostgreSQL`);
      await sql.end({ timeout: 1 });
    }

    const frozen = processesOf(stack.parts.postgresql.pid!);
    for (const pid of frozen) process.kill(pid, "SIGSTOP");
    const [froze, refused] = [performance.now(), load.statuses.get(503) ?? 0];
    await until("the API to say so", async () => (await stack.readiness()).postgresql === "down");
    await until("every lane to be refused", () => (load.statuses.get(503) ?? 0) >= refused + LANES);
    say(`frozen: the last lane is refused after ${Math.round(performance.now() - froze)} ms`);
    for (const pid of frozen) process.kill(pid, "SIGCONT");
    const thawed = performance.now();
    await until("the API to be back", async () => (await api.call("GET", "/Application")).status === 200);
    late.push(Math.round(performance.now() - thawed));
    say(`frozen: the API answers ${late.at(-1)} ms after PostgreSQL`);

    const admin = connect(stack.databaseUrl, "drill", 1);
    await admin`alter system set default_transaction_read_only = on`;
    await reloadSettings(admin);
    await until("/readyz to say so", async () => (await stack.readiness()).postgresql === "read-only");
    const before = load.statuses.get(200) ?? 0;
    await Bun.sleep(1_000);
    const written = (load.statuses.get(200) ?? 0) - before;
    say(`read-only: ${JSON.stringify(await stack.readiness())}; ${written} changes were answered 200 meanwhile`);
    await admin.unsafe("set default_transaction_read_only = off");
    await admin`alter system reset default_transaction_read_only`;
    await reloadSettings(admin);
    await admin.end();
    await untilReady(stack);
    await load.end();

    const others = [...load.statuses.keys()].filter((status) => status !== 200 && status !== 503);
    const stayed = String([server.pid, worker.pid]) === String(pids);
    const passed =
      stayed &&
      others.length === 0 &&
      load.withoutRetryAfter === 0 &&
      Math.max(...late) <= MAX_RECOVERY_MS &&
      written <= LANES;
    const summary = `${describeStatuses(load)}; back ${Math.max(...late)} ms after PostgreSQL at most; `;
    return { passed, summary: `${summary}API and worker ${stayed ? "stayed" : "did not stay"}` };
  },
};
