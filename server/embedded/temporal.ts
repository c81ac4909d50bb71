// The Temporal dev server that `start` brings up, and the check of a cluster it is given instead.

import { closeSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "@temporalio/client";
import { temporal } from "@temporalio/proto";
import { SEARCH_ATTRIBUTES } from "../../workflows/contract.ts";
import type { TemporalConfig } from "../config.ts";
import { requireNamespace } from "../temporal.ts";
import { openLog } from "./data-directory.ts";
import type { PartSpec } from "./part.ts";
import { isTaken, requireListener } from "./ports.ts";
import { stopLeftoverTemporal, temporalFiles } from "./processes.ts";
import type { ListenAddress } from "./temporal-ui.ts";

const LOOPBACK = "127.0.0.1";
const NAMESPACE = "default";
const RETENTION_SECONDS = 7 * 24 * 3_600;
const CALL_LIMIT = 5_000;
/** Go collects garbage a fourth as often as it does by itself: a third of Temporal's CPU, for some 200 MiB. */
const GARBAGE_COLLECTION = { GOGC: "400", GOMEMLIMIT: "768MiB" };

export interface TemporalOptions {
  dataDir: string;
  binary: string;
  port: number;
  /** Of its own UI, which answers any Host. */
  ui: ListenAddress;
  say(line: string): void;
}

export function temporalPart({ dataDir, binary, port, ui, say }: TemporalOptions): PartSpec {
  const { folder, database, pidFile } = temporalFiles(dataDir);
  return {
    name: "Temporal",
    patience: 60_000,
    // The dev server looks for ports of its own inner services and binds them later; now and then it loses one by then.
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
      await keepHistory(`${LOOPBACK}:${port}`);
    },
  };
}

function devServerArguments(database: string, port: number, ui: ListenAddress): string[] {
  const attributes = CLUSTER_ATTRIBUTES.flatMap(({ name, type }) => ["--search-attribute", `${name}=${type}`]);
  return [
    ...["server", "start-dev", "--ip", LOOPBACK, "--port", String(port)],
    ...["--ui-ip", ui.host, "--ui-port", String(ui.port)],
    // The HTTP API, which nobody asked for: browsers always name a host, and it is none of these.
    ...["--dynamic-config-value", 'frontend.httpAllowedHosts=["gatehouse.invalid"]'],
    ...["--db-filename", database, "--sqlite-pragma", "journal_mode=WAL"],
    // Its writes stay in order on the disk, so that no power cut leaves a part of them alone.
    ...["--sqlite-pragma", "synchronous=normal", "--log-level", "warn"],
    // A workflow that cannot go on is told of after two failures, and not after five, which take a minute.
    ...["--dynamic-config-value", "system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2"],
    // The dev server reads the search attributes anew for each start, six times; ours stand before it begins.
    ...["--dynamic-config-value", "system.forceSearchAttributesCacheRefreshOnRead=false"],
    // By so much the clocks of several servers may differ, and timers be late: a second, where this is one server alone.
    ...["--dynamic-config-value", 'history.timerProcessorMaxTimeShift="50ms"'],
    // Its list is written twice a second, not twenty times: of a workflow that has closed by then, once and not twice.
    ...["--dynamic-config-value", "history.visibilityProcessorMaxPollRPS=2"],
    ...["--dynamic-config-value", "history.visibilityTaskBatchSize=1000"],
    ...attributes,
  ];
}

/** The dev server keeps closed workflows for a day and has no flag for it; this call also proves that it serves. */
async function keepHistory(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: CALL_LIMIT });
  try {
    await connection.withDeadline(Date.now() + CALL_LIMIT, () =>
      connection.workflowService.updateNamespace({
        namespace: NAMESPACE,
        config: { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } },
      }),
    );
  } finally {
    await connection.close();
  }
}

/** @throws Error if the cluster cannot be reached or lacks what we need */
export async function checkOutsideCluster(config: TemporalConfig, say: (line: string) => void): Promise<void> {
  const connection = await Connection.connect({
    ...config.connect.connectionOptions,
    connectTimeout: CALL_LIMIT,
  }).catch((error: Error) => {
    throw new Error(`No Temporal cluster answers at TEMPORAL_ADDRESS ${config.address}: ${error.message}`);
  });
  try {
    const known = await connection.withDeadline(Date.now() + CALL_LIMIT, async () => {
      await requireNamespace(connection.workflowService, config);
      return checkSearchAttributes(connection, config.namespace, config.address);
    });
    if (!known) say(`${config.address} does not tell which search attributes it has; they are taken to be there`);
  } finally {
    await connection.close();
  }
}

// The search attributes deliveries are found by in the Temporal UI.

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST } = temporal.api.enums.v1.IndexedValueType;
/** A type as Temporal's commands spell it, and as its protocol numbers it. */
const TYPES = {
  KEYWORD: { type: "Keyword", number: INDEXED_VALUE_TYPE_KEYWORD },
  KEYWORD_LIST: { type: "KeywordList", number: INDEXED_VALUE_TYPE_KEYWORD_LIST },
};

export const CLUSTER_ATTRIBUTES = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => ({ name, ...TYPES[type] }));

/** gRPC's codes for a cluster that does not show its attributes to us. */
const HIDDEN = new Set([7 /* PERMISSION_DENIED */, 12 /* UNIMPLEMENTED */]);

/**
 * Checks a cluster that is not ours to change.
 * @returns false if the cluster does not say which attributes it has
 * @throws Error naming what is missing and the command that adds it
 */
async function checkSearchAttributes(connection: Connection, namespace: string, address: string): Promise<boolean> {
  let present: Record<string, unknown>;
  try {
    const answer = await connection.operatorService.listSearchAttributes({ namespace });
    present = answer.customAttributes ?? {};
  } catch (error) {
    if (HIDDEN.has((error as { code?: number }).code ?? -1)) return false;
    throw error;
  }
  const wrong = CLUSTER_ATTRIBUTES.filter(({ name, number }) => present[name] !== number);
  if (wrong.length === 0) return true;
  const flags = wrong.map(({ name, type }) => `--name ${name} --type ${type}`).join(" ");
  throw new Error(
    `The Temporal namespace "${namespace}" at ${address} lacks the search attributes ` +
      `${wrong.map(({ name, type }) => `${name} (${type})`).join(", ")}. Add them with:\n` +
      `  temporal operator search-attribute create --address ${address} --namespace ${namespace} ${flags}`,
  );
}
