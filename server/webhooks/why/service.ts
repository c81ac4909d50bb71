import type { Caller, ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import type { Paging } from "../../http/paging.ts";
import type { MasterKey } from "../../master-key.ts";
import { toConnectionRecord } from "../connections/record.ts";
import { requireEvent } from "../log/read.ts";
import { explain, type Outcome } from "./explain.ts";
import { listWitnesses, type WitnessFilter } from "./store.ts";

export interface WhyRecord {
  ConnectionId: string;
  ConnectionName: string;
  Outcome: Outcome;
  Reason: string;
  DeliveryId: string | null;
}

/**
 * Why each connection of the tenant that the caller may read did or did not get an event, newest connection first.
 * @throws NotFound, Permission, ServiceBusy
 */
export async function explainEvent(
  sql: Sql,
  masterKey: MasterKey,
  caller: Caller,
  eventId: string,
  filter: WitnessFilter,
  paging: Paging,
): Promise<ShownPage<WhyRecord>> {
  const { tenantId, gate } = caller;
  const event = await requireEvent(sql, caller, eventId);
  return gate.list({
    type: "WebhookConnection",
    name: `WebhookEvent/${event.id}/Why`,
    paging,
    read: (limit, after) => listWitnesses(sql, tenantId, event.id, filter, limit, after),
    id: (witness) => witness.id,
    resource: (witness) => toConnectionRecord(masterKey, witness),
    item: (witness) => {
      const { outcome, reason } = explain(event, witness);
      const { Id, Name } = toConnectionRecord(masterKey, witness);
      const DeliveryId = witness.delivery?.id ?? null;
      return { ConnectionId: Id, ConnectionName: Name, Outcome: outcome, Reason: reason, DeliveryId };
    },
  });
}
