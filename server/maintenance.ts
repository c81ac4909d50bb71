// How the installation keeps house: by a Temporal Schedule, whose runs ops people see, and may trigger or pause.

import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from "@temporalio/client";
import type { Logger } from "pino";
import { TASK_QUEUE } from "../workflows/contract.ts";
import { removeOldAlerts } from "./alerts/index.ts";
import type { Sql } from "./db/sql.ts";
import { removeOldLogouts } from "./logouts/index.ts";
import {
  deleteEndedFamilies,
  deleteExpiredJwts,
  deleteExpiredProofs,
  deleteExpiredRevocations,
  removeExpiredCodes,
  removeExpiredDevices,
  removeExpiredPushes,
  removeOldIssued,
  removeRestedAudiences,
  removeSpentInitialTokens,
  removeUnusedClients,
} from "./oauth/index.ts";
import { removeOldRequests } from "./requests/index.ts";
import {
  removeExpiredAttempts,
  removeExpiredResets,
  removeExpiredSessions,
  removeForgottenDevices,
  removeOldFailures,
} from "./signin/index.ts";
import { removeFormerSecrets } from "./webhooks/index.ts";

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

/** What has had its day, by its table; each removal tells how many rows went. A new one is a line here. */
const EXPIRED: Record<string, (sql: Sql) => Promise<number>> = {
  refresh_families: deleteEndedFamilies,
  revoked_tokens: deleteExpiredRevocations,
  authorization_codes: removeExpiredCodes,
  pushed_requests: removeExpiredPushes,
  device_codes: removeExpiredDevices,
  resting_audiences: removeRestedAudiences,
  registration_tokens: removeSpentInitialTokens,
  registered_clients: removeUnusedClients,
  used_jwts: deleteExpiredJwts,
  used_dpop_proofs: deleteExpiredProofs,
  sessions: removeExpiredSessions,
  known_devices: removeForgottenDevices,
  signin_failures: removeOldFailures,
  password_resets: removeExpiredResets,
  former_webhook_secrets: removeFormerSecrets,
  upstream_attempts: removeExpiredAttempts,
  requests: removeOldRequests,
  issued_tokens: removeOldIssued,
  logouts: removeOldLogouts,
  alerts: removeOldAlerts,
};

/** @returns how many rows went, by table */
export async function removeExpired(sql: Sql): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, remove] of Object.entries(EXPIRED)) counts[table] = await remove(sql);
  return counts;
}
