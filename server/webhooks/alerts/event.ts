// Webhook events of alerts, in the transaction of the alert's row.

import type { Transaction } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { ALERT_RECORD, type EventType, outbox, recordEvent } from "../../records/index.ts";
import { ALERT } from "./contract.ts";
import type { Alert } from "./store.ts";

/** Without a receiver no event is written, so many alerts do not cause many events. */
export async function recordAlertEvent(
  tx: Transaction,
  tenantId: TenantId,
  eventType: EventType,
  alert: Alert,
  traceParent?: string,
): Promise<void> {
  const { id, connectionId, sequence } = alert;
  if (!(await outbox.isAlertHeard(tx, tenantId, eventType, connectionId))) return;
  const change = { eventType, eventRecord: ALERT_RECORD, recordIds: [id], sequences: [sequence] };
  await recordEvent(tx, tenantId, { ...change, data: wholeRecord(alert), notTo: connectionId }, traceParent);
}

/** The response shape without hidden values. */
export function wholeRecord(alert: Alert) {
  const { acknowledgedByType: Type, acknowledgedById } = alert;
  return ALERT.toRecord(alert, { AcknowledgedBy: Type && { Type, Id: String(acknowledgedById) } });
}
