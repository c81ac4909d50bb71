// The Temporal Schedule by which the installation keeps house; ops people see its runs, and may trigger or pause it.

import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from "@temporalio/client";
import type { Logger } from "pino";
import { TASK_QUEUE } from "../../workflows/contract.ts";

const SCHEDULE_ID = "maintenance";
const EVERY = "1 hour";
/** How often we see that it is still there: a Temporal store may be wiped. */
const CHECK_MS = 3_600_000;

export interface Maintenance {
  stop(): void;
}

export function startMaintenance(client: Client, log: Logger): Maintenance {
  const check = () =>
    ensureSchedule(client).catch((error) => {
      log.warn({ err: error }, "the maintenance schedule could not be made sure of; tried again later");
    });
  void check();
  const timer = setInterval(check, CHECK_MS);
  return { stop: () => clearInterval(timer) };
}

/** Any number of workers may call this; one that is there, paused or changed by hand, stays as it is. */
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
        staticSummary: "rotate signing keys, remove what has expired",
      },
      state: { triggerImmediately: true },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
