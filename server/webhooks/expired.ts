// Removals of expired rows, by table, and counts of finished hours. Maintenance runs them every hour.

import type { Sql } from "../platform/db/sql.ts";
import { removeOldAlerts } from "./alerts/store.ts";
import { removeFormerSecrets } from "./connections/secret-rotation.store.ts";
import { countFinishedHours } from "./figures/hours.ts";

export const WEBHOOKS_EXPIRED: Record<string, (sql: Sql) => Promise<number>> = {
  former_webhook_secrets: removeFormerSecrets,
  alerts: removeOldAlerts,
  outcome_hours: countFinishedHours,
};
