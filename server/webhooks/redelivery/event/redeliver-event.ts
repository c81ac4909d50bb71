// One event, sent again.

import type { Caller } from "../../../access/index.ts";
import { recordAudit } from "../../../audit/index.ts";
import type { Sql, Transaction } from "../../../db/connection.ts";
import { Conflict, NotFound } from "../../../errors.ts";
import { isUuid } from "../../../http/paging.ts";
import { PING } from "../../events/event-types.ts";
import { toEventAttributes } from "../../log/attributes.ts";
import { findEvent, type LoggedEvent } from "../../log/store.ts";
import { countEnded } from "../sending/store.ts";
import {
  type EventDelivery,
  hasOpenRun,
  listCounting,
  lockEventDeliveries,
  MOST_REDELIVERIES,
  redeliver,
} from "./store.ts";

/**
 * Has an event's deliveries sent again, as a new run of the workflow they had, with the same EventId and bytes. What
 * goes to a connection that takes no posts just now is Held, as any other event is.
 *
 * @param connectionId to this connection alone; undefined: to all that it went to
 * @returns the event as it is now
 * @throws NotFound, Permission, Conflict
 */
export async function redeliverEvent(
  sql: Sql,
  caller: Caller,
  eventId: string,
  connectionId?: string,
): Promise<LoggedEvent> {
  const { tenantId, permissions } = caller;
  if (!isUuid(eventId)) throw noEvent();
  for (const id of await listCounting(sql, tenantId, eventId)) await countEnded(sql, tenantId, id);
  return sql.begin(async (tx) => {
    const event = await existing(tx, caller, eventId);
    permissions.require("Webhooks:Update", "WebhookEvent", toEventAttributes(event));
    if (event.eventType === PING) throw new Conflict("A ping is not sent again: send another.");
    const deliveries = await lockEventDeliveries(tx, tenantId, event.id, connectionId);
    const again = requireRedeliverable(deliveries, connectionId);
    if (await hasOpenRun(tx, tenantId, event.id, parts(again))) {
      throw new Conflict("The event is being delivered just now. Wait until its deliveries have ended.");
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
}

async function existing(tx: Transaction, { tenantId }: Caller, eventId: string): Promise<LoggedEvent> {
  const event = await findEvent(tx, tenantId, eventId);
  if (!event) throw noEvent();
  return event;
}

function noEvent(): NotFound {
  return new NotFound("There is no WebhookEvent with this EventId.");
}

/** Of several, those that cannot be sent again are left out. */
function requireRedeliverable(deliveries: EventDelivery[], connectionId: string | undefined): EventDelivery[] {
  if (deliveries.length === 0) {
    if (connectionId) throw new NotFound("The event has no delivery to the connection with this Id.");
    throw new Conflict("No connection was told of this event, so there is nothing to send again.");
  }
  const again = deliveries.filter((delivery) => obstacle(delivery) === undefined);
  if (again.length === 0) throw new Conflict(...new Set(deliveries.map((delivery) => obstacle(delivery)!)));
  return again;
}

function obstacle({ state, connectionDeleted, redeliveries }: EventDelivery): string | undefined {
  if (connectionDeleted) return "Its connection is deleted.";
  if (state === "Held") return "It waits for its connection, and is sent once that takes posts again.";
  if (redeliveries >= MOST_REDELIVERIES) return `It was sent again ${MOST_REDELIVERIES} times, and no more are kept.`;
  return undefined;
}

function parts(deliveries: EventDelivery[]): number[] {
  return [...new Set(deliveries.map(({ part }) => part))];
}
