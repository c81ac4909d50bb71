import type { Caller } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { type Page, type Paging, toPage } from "../../http/paging.ts";
import type { MasterKey } from "../../master-key.ts";
import { toConnectionRecord } from "../connections/record.ts";
import { readEvent } from "../log/read.ts";
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
  { limit, after }: Paging,
): Promise<Page<WhyRecord>> {
  const { tenantId, permissions } = caller;
  const event = await readEvent(sql, caller, eventId);
  const page = await permissions.readable("Webhooks:Read", "WebhookConnection", async () => {
    const witnesses = await listWitnesses(sql, tenantId, event.id, filter, limit, after);
    return toPage(
      witnesses,
      limit,
      (witness) => witness.id,
      (witness) => ({ ...toConnectionRecord(masterKey, witness), witness }),
    );
  });
  return {
    ...page,
    Items: page.Items.map(({ Id, Name, witness }) => {
      const { outcome, reason } = explain(event, witness);
      const DeliveryId = witness.delivery?.id ?? null;
      return { ConnectionId: Id, ConnectionName: Name, Outcome: outcome, Reason: reason, DeliveryId };
    }),
  };
}
