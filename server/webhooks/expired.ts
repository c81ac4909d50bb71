// Removals of expired rows, by table. Maintenance runs them every hour.

import type { Sql } from "../platform/db/sql.ts";
import { removeOldAlerts } from "./alerts/store.ts";
import { removeFormerSecrets } from "./connections/secret-rotation.store.ts";

export const WEBHOOKS_EXPIRED: Record<string, (sql: Sql) => Promise<number>> = {
  former_webhook_secrets: removeFormerSecrets,
  alerts: removeOldAlerts,
};
