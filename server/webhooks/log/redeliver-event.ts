import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { Conflict, NotFound } from "../../platform/errors.ts";
import type { ConnectionId, EventId } from "../../platform/ids.ts";
import { type Caller, type Permitted, PING, recordAudit, type Shown } from "../../records/index.ts";
import { countEnded } from "../redelivery/follow.store.ts";
import { MAX_REDELIVERIES } from "../redelivery/store.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import { noEvent } from "./contract.ts";
import { type EventRecord, eventResources, toEventRecord } from "./record.ts";
import {
  type EventDelivery,
  hasOpenRun,
  hasPayload,
  listCounting,
  lockEventDeliveries,
  redeliver,
} from "./redeliver-event.store.ts";
import { isDecidable } from "./service.ts";
import { findEvent, type WholeEvent } from "./store.ts";

/**
 * Resends deliveries as a new run, with the same EventId and bytes. Those to a Paused connection become Held.
 * @param to one connection, or some deliveries; undefined: all
 * @throws NotFound, Permission, Conflict
 */
export type RedeliverEvent = (
  caller: Permitted<"Webhooks:Update">,
  eventId: EventId,
  to?: { connectionId?: ConnectionId; deliveries?: readonly string[] },
) => Promise<Shown<EventRecord>>;

export function createRedeliverEvent(sql: Sql, workflowUrl: WorkflowUrl): RedeliverEvent {
  return async (caller, eventId, { connectionId, deliveries: chosen } = {}) => {
    const { tenantId, permissions, gate } = caller;
    for (const id of await listCounting(sql, tenantId, eventId)) await countEnded(sql, tenantId, id);
    const now = await sql.beginFor(tenantId, async (tx) => {
      const event = await existing(tx, caller, eventId);
      for (const resource of eventResources(event)) {
        permissions.require("Webhooks:Update", "WebhookEvent", resource as Record<string, unknown>);
      }
      if (event.payload === null) throw new Conflict(payloadGone(event));
      if (event.eventType === PING) throw new Conflict("A ping cannot be redelivered: send a new one.");
      const all = await lockEventDeliveries(tx, tenantId, event.id, connectionId);
      // Removals of the payload lock the deliveries, too.
      if (!(await hasPayload(tx, event.id))) throw new Conflict(payloadGone(await existing(tx, caller, eventId)));
      const deliveries = chosen ? all.filter(({ id }) => chosen.includes(id)) : all;
      const again = await requireRedeliverable(tx, caller, deliveries, connectionId);
      if (await hasOpenRun(tx, tenantId, event.id, parts(again))) {
        throw new Conflict("The event is being delivered. Wait until its deliveries have ended.");
      }
      const ids = again.map(({ id }) => id);
      await redeliver(tx, tenantId, event.id, ids);
      await recordAudit(tx, tenantId, caller, {
        kind: "WebhookEvent.Redelivered",
        subject: { type: "WebhookEvent", id: event.id },
        details: { Deliveries: ids.length, ...(connectionId ? { ConnectionId: connectionId } : {}) },
      });
      return existing(tx, caller, eventId);
    });
    const resource = eventResources(now);
    const sent = { EventId: eventId };
    return (await gate.written("WebhookEvent", toEventRecord(now, workflowUrl), sent, { resource })).record;
  };
}

async function existing(tx: Transaction, caller: Caller, eventId: EventId): Promise<WholeEvent> {
  const event = await findEvent(tx, caller.tenantId, eventId);
  if (!event || !isDecidable(caller, event)) throw noEvent();
  return event;
}

function payloadGone({ payloadRemovedOn, isErased }: WholeEvent): string {
  const on = payloadRemovedOn ? `on ${payloadRemovedOn.toISOString().slice(0, 10)}, ` : "";
  const why = isErased ? `${on}by the erasure of a person` : `${on}after PAYLOAD_RETENTION`;
  return `The payload of this event was removed ${why}, so it cannot be sent again.`;
}

/** If there are several, those that cannot be resent are skipped. */
async function requireRedeliverable(
  tx: Transaction,
  { gate }: Caller,
  deliveries: EventDelivery[],
  connectionId: ConnectionId | undefined,
): Promise<EventDelivery[]> {
  if (deliveries.length === 0) {
    if (connectionId) throw new NotFound("The event has no delivery to the connection with this Id.");
    throw new Conflict("This event has no deliveries to send again.");
  }
  const again = deliveries.filter((delivery) => obstacle(delivery, false) === undefined);
  if (again.length > 0) return again;
  const ids = deliveries.map((delivery) => delivery.connectionId);
  const seen = await gate.seenIds(tx, "WebhookConnection", ids);
  throw new Conflict(...new Set(deliveries.map((delivery) => obstacle(delivery, seen.has(delivery.connectionId))!)));
}

/** @param isSeen whether the caller may read the connection, and so why it is Held */
function obstacle(delivery: EventDelivery, isSeen: boolean): string | undefined {
  const { state, connectionDeleted, heldReason, redeliveries } = delivery;
  if (connectionDeleted) return "Its connection is deleted.";
  if (state === "Held") return "It is waiting for its connection, and is sent when the connection accepts posts again.";
  if (heldReason !== null) {
    const held = isSeen ? `Held after ${heldReason}` : "Held";
    return `Its connection is ${held}, so nothing would be sent: resume it first with State Active.`;
  }
  if (redeliveries >= MAX_REDELIVERIES) return `It was sent again ${MAX_REDELIVERIES} times, the maximum.`;
  return undefined;
}

function parts(deliveries: EventDelivery[]): number[] {
  return [...new Set(deliveries.map(({ part }) => part))];
}
