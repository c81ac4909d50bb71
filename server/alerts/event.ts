// An alert as webhooks are told of it, in the transaction of its own row.

import type { Transaction } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import { ALERT_RECORD, type EventType, isAlertHeard, recordEvent } from "../webhooks/index.ts";
import type { Alert } from "./store.ts";

/** With nobody to be told, no event is written: a storm of alerts is no storm of events. */
export async function recordAlertEvent(
  tx: Transaction,
  tenantId: TenantId,
  eventType: EventType,
  alert: Alert,
  traceParent?: string,
): Promise<void> {
  const { id, connectionId, sequence } = alert;
  if (!(await isAlertHeard(tx, tenantId, eventType, connectionId))) return;
  const change = { eventType, eventRecord: ALERT_RECORD, recordIds: [id], sequences: [sequence] };
  await recordEvent(tx, tenantId, { ...change, data: wholeRecord(alert), notTo: connectionId }, traceParent);
}

/** In its response shape, with nothing hidden. */
export function wholeRecord(alert: Alert) {
  const { acknowledgedByType: type, acknowledgedById } = alert;
  return {
    Id: alert.id,
    Kind: alert.kind,
    ConnectionId: alert.connectionId,
    State: alert.state,
    Reason: alert.reason,
    RaisedOn: alert.raisedOn.toISOString(),
    EndedOn: alert.endedOn?.toISOString() ?? null,
    AcknowledgedBy: type === null ? null : { Type: type, Id: String(acknowledgedById) },
    AcknowledgedOn: alert.acknowledgedOn?.toISOString() ?? null,
    AcknowledgedUntil: alert.acknowledgedUntil?.toISOString() ?? null,
  };
}
