// APIs and workers as separate processes, with a Temporal server on PostgreSQL. Gatehouse and Temporal have a PostgreSQL
// each, so their costs are separate.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureReceiverCertificate } from "../examples/receiver/certificate.ts";
import { newMasterKey } from "../server/appliance/embedded/data-directory.ts";
import { migrate } from "../server/platform/db/migrate.ts";
import { connect } from "../server/platform/db/sql.ts";
import { startPostgresql } from "../test/support/postgresql.ts";
import { type StartedProcess, startProcess } from "../test/support/process.ts";
import { startTemporalServer } from "../test/support/temporal-server.ts";
import { newTenant } from "../test/world/tenant.ts";
import type { Part } from "./model.ts";

const CONNECTIONS = 300;
const RATE_LIMIT = "1000000";

/** @param shards of Temporal's history */
export async function startCluster(shards: number) {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-cluster-"));
  // If we are root, PostgreSQL runs as a different user, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const database = async (name: string) => {
    const dataDir = mkdtempSync(join(folder, name));
    chmodSync(dataDir, 0o711);
    const started = stack.use(await startPostgresql(dataDir, { max_connections: CONNECTIONS }));
    const sql = stack.adopt(connect(started.url, "gatehouse bench", 1), (each) => each.end());
    await sql`create extension pg_walinspect`;
    return { ...started, sql };
  };
  const [own, theirs] = [await database("own"), await database("temporal")];
  const temporal = stack.use(await startTemporalServer(theirs.url, folder, { NUM_HISTORY_SHARDS: String(shards) }));
  await migrate(own.url);
  const certificate = await ensureReceiverCertificate(folder);
  const env = {
    ...{ DATABASE_URL: own.url, TEMPORAL_ADDRESS: temporal.address, MASTER_KEY: newMasterKey(), PORT: "0" },
    ...{ RATE_LIMIT, RATE_LIMIT_BURST: RATE_LIMIT },
    ...{ EGRESS_ALLOW: "127.0.0.0/8", EGRESS_CA_FILE: certificate.caFile },
  };
  const running = stack.use(new AsyncDisposableStack());
  const apis: StartedProcess[] = [];
  const workers: StartedProcess[] = [];
  const resizeOne = async (processes: StartedProcess[], count: number, entry: string, ready: string) => {
    await Promise.all(processes.splice(count).map((each) => each[Symbol.asyncDispose]()));
    const started = Array.from({ length: count - processes.length }, () => running.use(startProcess(entry, env)));
    await Promise.all(started.map((each) => each.said((message) => message === ready)));
    processes.push(...started);
    return started.length;
  };
  const urls = () => apis.map(({ lines }) => `http://127.0.0.1:${lines.find(({ msg }) => msg === "api ready")!.port}`);
  const kept = stack.move();
  const stop = () => kept.disposeAsync();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  }
  return {
    certificate,
    workers,
    urls,
    /** Of Gatehouse and of Temporal. */
    databases: [own.sql, theirs.sql],
    pids: (): Record<Part, number[]> => ({
      API: apis.map(({ pid }) => pid),
      worker: workers.map(({ pid }) => pid),
      PostgreSQL: [own.pid],
      Temporal: [temporal.pid],
      "Temporal's PostgreSQL": [theirs.pid],
    }),
    newTenant: () => newTenant({ url: urls()[0]!, databaseUrl: own.url }),
    /** @returns the number of processes that were started */
    async resize(apiCount: number, workerCount: number): Promise<number> {
      const started = await resizeOne(apis, apiCount, "server/serve.ts", "api ready");
      return started + (await resizeOne(workers, workerCount, "activities/worker.ts", "worker ready"));
    },
    [Symbol.asyncDispose]: stop,
  };
}
