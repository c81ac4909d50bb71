// A connection's present state: open deliveries, and the workers' windows.

import { type Static, Type } from "@sinclair/typebox";
import type { Queries } from "../../platform/db/sql.ts";
import { orNull, time, uuid, word } from "../../platform/http/fields.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import { HIDDEN_AS_NULL } from "../../records/index.ts";
import { CONNECTION_STATES, type ConnectionState } from "../connection.ts";
import { noConnection } from "../connections/record.ts";
import { countWaiting, listWindows } from "./status.store.ts";

const count = (description: string) =>
  orNull(Type.Integer({ format: "int32", minimum: 0 }), { description: `${description} ${HIDDEN_AS_NULL}` });
const posts = (description: string) => Type.Integer({ format: "int32", minimum: 0, description });

const WINDOW = Type.Object({
  Places: posts("The maximum number of posts in flight."),
  Out: posts("Posts in flight or about to start."),
  Waiting: posts("Deliveries in the worker waiting for a place."),
  Quick: Type.Boolean({
    description: "The last response, with any status, took less than a second, and none is overdue.",
  }),
});

export const STATUS = Type.Object(
  {
    ConnectionId: uuid<ConnectionId>(),
    State: word(CONNECTION_STATES),
    UnderWay: count("Deliveries in a workflow: in flight, about to start, or waiting for a retry."),
    Queued: count("Deliveries in its queue, waiting for its window, its limits, or their time."),
    Held: count("Deliveries that are Held."),
    OldestOn: orNull(time(), {
      description: `Time of the oldest waiting event; null: none. ${HIDDEN_AS_NULL}`,
    }),
    Exhausted: count(
      "Exhausted deliveries of events of the last 24 hours. State Active does not resend them; a Redelivery does.",
    ),
    ExhaustedSince: orNull(time(), {
      description: `Time of the oldest of these events; null: none. ${HIDDEN_AS_NULL}`,
    }),
    Probes: posts("Probes since it became Held."),
    NextProbeOn: orNull(time(), { description: "When the next probe is due; null: it is not Held." }),
    Windows: orNull(Type.Array(WINDOW), {
      description: `Its window in each worker that recently posted to it, a few seconds old. ${HIDDEN_AS_NULL}`,
    }),
  },
  { $id: "WebhookConnectionStatus" },
);
export type StatusRecord = Static<typeof STATUS>;

/** @throws NotFound */
export async function statusOf(
  sql: Queries,
  tenantId: TenantId,
  { Id, State }: { Id: ConnectionId; State: ConnectionState },
  seesAll: boolean,
): Promise<StatusRecord> {
  const [waiting, windows] = await Promise.all([countWaiting(sql, tenantId, Id), listWindows(sql, tenantId, Id)]);
  if (!waiting) throw noConnection();
  const orHidden = <T>(value: T) => (seesAll ? value : null);
  return {
    ConnectionId: Id,
    State,
    UnderWay: orHidden(waiting.underWay),
    Queued: orHidden(waiting.queued),
    Held: orHidden(waiting.held),
    OldestOn: orHidden(waiting.oldestOn?.toISOString() ?? null),
    Exhausted: orHidden(waiting.unsent),
    ExhaustedSince: orHidden(waiting.unsentSince?.toISOString() ?? null),
    Probes: waiting.probes,
    NextProbeOn: State === "Held" ? (waiting.nextProbeOn?.toISOString() ?? null) : null,
    Windows: orHidden(
      windows.map(({ places, out, waiting: inside, quick }) => ({
        Places: places,
        Out: out,
        Waiting: inside,
        Quick: quick,
      })),
    ),
  };
}

export const EXAMPLE_STATUS = {
  ConnectionId: "0197c6f1-90ab-7cde-8f01-23456789abcd",
  State: "Active",
  UnderWay: 12,
  Queued: 340,
  Held: 0,
  OldestOn: "2026-01-31T11:58:20.000Z",
  Exhausted: 0,
  ExhaustedSince: null,
  Probes: 0,
  NextProbeOn: null,
  Windows: [{ Places: 12, Out: 12, Waiting: 0, Quick: true }],
};
