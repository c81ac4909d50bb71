// Checks for alert conditions beside each worker; one worker checks at a time.

import type { Logger } from "pino";
import type { Sql } from "../../platform/db/sql.ts";
import { type Passes, startEvery } from "../../platform/db/watch.ts";
import { createOutageLog } from "../../platform/log.ts";
import type { TenantBounds } from "../../platform/tenant-limits.ts";
import { recordAlertEvent } from "./event.ts";
import { listAlertCauses, saveAlertCauses } from "./store.ts";

/** @param interval milliseconds */
export function startAlertWatch(sql: Sql, interval: number, limits: TenantBounds, log: Logger): Passes {
  const failed = createOutageLog(log);

  async function look(): Promise<void> {
    await sql.begin(async (tx) => {
      const causes = await listAlertCauses(tx, new Date(), limits);
      if (!causes) return;
      const { raised, ended } = await saveAlertCauses(tx, causes);
      for (const alert of ended) await recordAlertEvent(tx, alert.tenantId, "Deleted", alert);
      for (const alert of raised) {
        const { tenantId, kind, connectionId } = alert;
        await recordAlertEvent(tx, tenantId, "Created", alert);
        log.warn({ tenantId, kind, connectionId }, "an alert was raised");
      }
    });
  }

  return startEvery(interval, look, (error) => failed({ err: error }, "the check for alerts failed"));
}
