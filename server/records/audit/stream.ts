// Entries of the audit log as webhook events (docs/audit.md "The stream").

import type { Transaction } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { AUDIT_RECORD } from "../events/event.ts";
import { recordEvent } from "../events/write-event.ts";
import { toRecord } from "./service.ts";
import type { WrittenEvent } from "./store.ts";

/** Without a subscribed connection no event is written. */
export async function announce(
  tx: Transaction,
  tenantId: TenantId,
  entry: WrittenEvent | undefined,
  traceParent?: string,
): Promise<void> {
  if (!entry?.isSubscribed) return;
  const { isSubscribed: _, chainHead, ...event } = entry;
  const data = { ...toRecord(event), ChainHead: chainHead };
  const change = {
    eventType: "Created" as const,
    eventRecord: AUDIT_RECORD,
    recordIds: [event.id],
    sequences: [1],
    data,
  };
  await recordEvent(tx, tenantId, change, traceParent);
}
