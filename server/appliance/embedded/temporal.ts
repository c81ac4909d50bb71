// The Temporal dev server of `start`, and checks of an external cluster.

import { closeSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "@temporalio/client";
import { type TemporalConfig, WITHOUT_PROXY } from "../../platform/config/temporal.ts";
import { CannotStart } from "../../platform/errors.ts";
import {
  CLUSTER_ATTRIBUTES,
  explained,
  requireCluster,
  requireSearchAttributes,
} from "../../platform/temporal/cluster.ts";
import { openLog } from "./data-directory.ts";
import type { PartSpec } from "./part.ts";
import { isTaken, requireListener } from "./ports.ts";
import { stopLeftoverTemporal, temporalFiles } from "./processes.ts";
import type { ListenAddress } from "./temporal-ui.ts";

const LOOPBACK = "127.0.0.1";
const NAMESPACE = "default";
const CALL_LIMIT = 5_000;
/** Less frequent garbage collection saves a third of Temporal's CPU for about 200 MiB of memory. */
const GARBAGE_COLLECTION = { GOGC: "400", GOMEMLIMIT: "768MiB" };

export interface TemporalOptions {
  dataDir: string;
  binary: string;
  port: number;
  /** The dev server's own UI, which accepts any Host. */
  ui: ListenAddress;
  /** Milliseconds for which closed workflows are kept. */
  retention: number;
  say(line: string): void;
}

export function temporalPart({ dataDir, binary, port, ui, retention, say }: TemporalOptions): PartSpec {
  const { folder, database, pidFile } = temporalFiles(dataDir);
  return {
    name: "Temporal",
    patience: 60_000,
    // The dev server looks for free inner ports before binding them, and sometimes loses one in between.
    mayStartAgain: async () => !(await isTaken(port, LOOPBACK)) && !(await isTaken(ui.port, ui.host)),
    logFile: join(dataDir, "logs", "temporal.log"),
    stop: [{ signal: "SIGTERM", grace: 1_500 }],
    spawn: async () => {
      await stopLeftoverTemporal(dataDir, say);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const log = openLog(dataDir, "temporal");
      const child = Bun.spawn([binary, ...devServerArguments(database, port, ui)], {
        detached: true,
        env: { ...GARBAGE_COLLECTION, ...process.env },
        stdin: "ignore",
        stdout: log.fd,
        stderr: log.fd,
      });
      closeSync(log.fd);
      writeFileSync(pidFile, `${child.pid}\n`);
      return child;
    },
    ready: async (child) => {
      await requireListener(child.pid, port);
      await keepHistory(`${LOOPBACK}:${port}`, retention);
    },
  };
}

function devServerArguments(database: string, port: number, ui: ListenAddress): string[] {
  const attributes = CLUSTER_ATTRIBUTES.flatMap(({ name, type }) => ["--search-attribute", `${name}=${type}`]);
  return [
    ...["server", "start-dev", "--ip", LOOPBACK, "--port", String(port)],
    ...["--ui-ip", ui.host, "--ui-port", String(ui.port)],
    // Disables the unused HTTP API: browsers always send a host, and never this one.
    ...["--dynamic-config-value", 'frontend.httpAllowedHosts=["gatehouse.invalid"]'],
    ...["--db-filename", database, "--sqlite-pragma", "journal_mode=WAL"],
    // Writes reach the disk in order, so a power failure cannot corrupt the database.
    ...["--sqlite-pragma", "synchronous=normal", "--log-level", "warn"],
    // Reports a stuck workflow after two failures instead of five, which take a minute.
    ...["--dynamic-config-value", "system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2"],
    // The dev server would reload search attributes six times per start; ours exist before it starts.
    ...["--dynamic-config-value", "system.forceSearchAttributesCacheRefreshOnRead=false"],
    // The allowed clock difference delays timers; the default of a second is unnecessary for one server.
    ...["--dynamic-config-value", 'history.timerProcessorMaxTimeShift="50ms"'],
    // Visibility records are written twice a second, not twenty times, so a quick workflow is written once.
    ...["--dynamic-config-value", "history.visibilityProcessorMaxPollRPS=2"],
    ...["--dynamic-config-value", "history.visibilityTaskBatchSize=1000"],
    // Deletes of old histories have the lowest priority, but only among waiting tasks: 512 at once would fill the
    // queue to SQLite's single connection, time out there and be repeated, until nothing else gets a turn.
    ...["--dynamic-config-value", "history.timerProcessorSchedulerWorkerCount=8"],
    ...attributes,
  ];
}

/** The dev server keeps closed workflows for a day, without a flag to change it. This call also proves readiness. */
async function keepHistory(address: string, retention: number): Promise<void> {
  const connection = await Connection.connect({ address, channelArgs: WITHOUT_PROXY, connectTimeout: CALL_LIMIT });
  try {
    await connection.withDeadline(Date.now() + CALL_LIMIT, () =>
      connection.workflowService.updateNamespace({
        namespace: NAMESPACE,
        config: { workflowExecutionRetentionTtl: { seconds: (retention / 1_000) as never } },
      }),
    );
  } finally {
    await connection.close();
  }
}

/** @throws Error if the cluster is unreachable or lacks requirements */
export async function checkOutsideCluster(config: TemporalConfig, say: (line: string) => void): Promise<void> {
  const connection = await Connection.connect({ ...config.connection, connectTimeout: CALL_LIMIT }).catch(
    (error: Error) => {
      const known = explained(error, config);
      if (known instanceof CannotStart) throw known;
      throw new Error(
        `No Temporal cluster answers at TEMPORAL_ADDRESS ${config.address}: ${error.message}. ` +
          "Check the address and, for a cluster with TLS, TEMPORAL_TLS and TEMPORAL_TLS_SERVER_CA_CERT_PATH.",
      );
    },
  );
  try {
    const attributesKnown = await connection.withDeadline(Date.now() + CALL_LIMIT, async () => {
      await requireCluster(connection, config);
      return requireSearchAttributes(connection, config);
    });
    if (!attributesKnown) say(`${config.address} does not list its search attributes; they are assumed to exist`);
  } finally {
    await connection.close();
  }
}
