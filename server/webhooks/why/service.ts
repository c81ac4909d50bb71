import type { Caller } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { NotFound } from "../../errors.ts";
import { isUuid, type Page, type Paging, toPage } from "../../http/paging.ts";
import type { MasterKey } from "../../keys/master-key.ts";
import { toConnectionRecord } from "../connections/record.ts";
import { toEventAttributes } from "../log/attributes.ts";
import { findEvent } from "../log/store.ts";
import { explain, type Outcome } from "./explain.ts";
import { listWitnesses } from "./store.ts";

export interface WhyRecord {
  ConnectionId: string;
  ConnectionName: string;
  Outcome: Outcome;
  Reason: string;
  DeliveryId: string | null;
}

/**
 * Why each connection of the tenant that the caller may read did or did not get an event, newest connection first.
 * @param connectionId of this one alone
 * @throws NotFound, Permission, ServiceBusy
 */
export async function explainEvent(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, permissions }: Caller,
  eventId: string,
  connectionId: string | undefined,
  { limit, after }: Paging,
): Promise<Page<WhyRecord>> {
  const event = isUuid(eventId) ? await findEvent(sql, tenantId, eventId) : undefined;
  if (!event) throw new NotFound("There is no WebhookEvent with this EventId.");
  permissions.require("Webhooks:Read", "WebhookEvent", toEventAttributes(event));
  const page = await permissions.readable("Webhooks:Read", "WebhookConnection", async () => {
    const witnesses = await listWitnesses(sql, tenantId, event.id, connectionId, limit, after);
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
