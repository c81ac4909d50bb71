// Checks for alert conditions beside each worker; one worker checks at a time.

import type { Logger } from "pino";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { type Passes, startEvery } from "../../platform/db/watch.ts";
import type { TenantId } from "../../platform/ids.ts";
import { createOutageLog } from "../../platform/log.ts";
import type { TenantBounds } from "../../platform/tenant-limits.ts";
import { recordAlertEvent } from "./event.ts";
import { listAlertCauses, saveAlertCauses, type TenantAlert } from "./store.ts";

/** @param interval milliseconds @param onRaised in the transaction of the alerts, for each tenant */
export function startAlertWatch(
  sql: Sql,
  interval: number,
  limits: TenantBounds,
  log: Logger,
  onRaised: (tx: Transaction, tenantId: TenantId, alerts: TenantAlert[]) => Promise<void>,
): Passes {
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
      for (const [tenantId, alerts] of Map.groupBy(raised, (alert) => alert.tenantId)) {
        await onRaised(tx, tenantId, alerts);
      }
    });
  }

  return startEvery(interval, look, (error) => failed({ err: error }, "the check for alerts failed"));
}
