// Housekeeping by a Temporal Schedule, which operators can see, trigger and pause.

import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from "@temporalio/client";
import type { Logger } from "pino";
import { TASK_QUEUE } from "../../workflows/contract.ts";
import { measureKept, removeExpiredLogs } from "../data/index.ts";
import { IDENTITY_EXPIRED } from "../identity/index.ts";
import type { RetentionConfig } from "../platform/config/config.ts";
import { makePartitionsAhead } from "../platform/db/partitions.ts";
import type { Sql } from "../platform/db/sql.ts";
import { measureCounts } from "../platform/limits/index.ts";
import { ENTITY_TABLES, RECORDS_EXPIRED } from "../records/index.ts";
import { WEBHOOKS_EXPIRED } from "../webhooks/index.ts";

const SCHEDULE_ID = "maintenance";
const EVERY = "1 hour";
/** The interval for checking that the Schedule exists, because Temporal's store may be wiped. */
const CHECK_MS = 3_600_000;

export interface Maintenance {
  stop(): void;
}

export function startMaintenance(client: Client, log: Logger): Maintenance {
  const check = () =>
    ensureSchedule(client).catch((error) => {
      log.warn({ err: error }, "the maintenance schedule could not be created; retrying later");
    });
  void check();
  const timer = setInterval(check, CHECK_MS);
  return { stop: () => clearInterval(timer) };
}

/** Workers may call this concurrently; an existing Schedule stays unchanged, even if paused or edited. */
async function ensureSchedule(client: Client): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId: SCHEDULE_ID,
      spec: { intervals: [{ every: EVERY }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: EVERY },
      action: {
        type: "startWorkflow",
        workflowType: "maintenance",
        workflowId: SCHEDULE_ID,
        taskQueue: TASK_QUEUE,
        args: [],
        staticSummary: "rotate signing keys, delete expired rows",
      },
      state: { triggerImmediately: true },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

/** The removals of expired rows, by table. */
const EXPIRED = { ...IDENTITY_EXPIRED, ...WEBHOOKS_EXPIRED, ...RECORDS_EXPIRED };

/** Together shorter than the activity's timeout. */
const MAX_REMOVING_MS = 150_000;
const MAX_MEASURING_MS = 60_000;

export interface MaintenanceOptions {
  retention: RetentionConfig;
  /** Bytes of the Temporal store of `start`; undefined: Temporal runs elsewhere. */
  temporalBytes: number | undefined;
  log: Logger;
}

/**
 * Makes the partitions of the days to come, removes what has expired, and measures the rest.
 * @returns the number of partitions made and measured, and the numbers of what was removed
 */
export async function maintain(
  sql: Sql,
  { retention, temporalBytes, log }: MaintenanceOptions,
): Promise<Record<string, number>> {
  const deadline = new Date(Date.now() + MAX_REMOVING_MS);
  const counts: Record<string, number> = { partitions_made: (await makePartitionsAhead(sql)).length };
  for (const [table, remove] of Object.entries(EXPIRED)) counts[table] = await remove(sql);
  const removed = await removeExpiredLogs(sql, retention, log, deadline);
  const partitions_measured = await measureKept(sql, new Date(Date.now() + MAX_MEASURING_MS), temporalBytes);
  counts.tenant_usage = await measureCounts(sql, ENTITY_TABLES);
  return { ...counts, ...removed, partitions_measured };
}
