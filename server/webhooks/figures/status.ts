// A connection's present state: open deliveries, and the workers' windows.

import { type Static, Type } from "@sinclair/typebox";
import type { Queries } from "../../db/sql.ts";
import { orNull, time, uuid, word } from "../../http/fields.ts";
import type { ConnectionId, TenantId } from "../../ids.ts";
import { CONNECTION_STATES, type ConnectionState } from "../connection.ts";
import { noConnection } from "../connections/record.ts";
import { NOT_TOLD } from "../events/event.ts";
import { countWaiting, listWindows } from "./status.store.ts";

const count = (description: string) =>
  orNull(Type.Integer({ format: "int32", minimum: 0 }), { description: `${description} ${NOT_TOLD}` });
const posts = (description: string) => Type.Integer({ format: "int32", minimum: 0, description });

const WINDOW = Type.Object({
  Places: posts("Posts that may be out to it at a time."),
  Out: posts("Posts that are out, or about to be."),
  Waiting: posts("Deliveries in the worker that wait for a place."),
  Quick: Type.Boolean({
    description: "Its last answer, whatever it said, took less than a second, and none is overdue.",
  }),
});

export const STATUS = Type.Object(
  {
    ConnectionId: uuid<ConnectionId>(),
    State: word(CONNECTION_STATES),
    UnderWay: count("Deliveries that a workflow has: out, about to go, or waiting for a retry."),
    Queued: count("Deliveries in its queue, which wait for room in its window, its limits, or their time."),
    Held: count("Deliveries that are Held."),
    OldestOn: orNull(time(), {
      description: `When the oldest event of all these happened; null: none waits. ${NOT_TOLD}`,
    }),
    Exhausted: count(
      "Deliveries that are Exhausted, of events of the last 24 hours. State Active does not send them: a Redelivery does.",
    ),
    ExhaustedSince: orNull(time(), {
      description: `When the oldest event of these happened; null: there is none. ${NOT_TOLD}`,
    }),
    Probes: posts("Times that it was probed since it is Held."),
    NextProbeOn: orNull(time(), { description: "When it is probed again; null: it is not Held." }),
    Windows: orNull(Type.Array(WINDOW), {
      description: `Its window in each worker that has posted to it lately, a few seconds old. ${NOT_TOLD}`,
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
  isTold: boolean,
): Promise<StatusRecord> {
  const [waiting, windows] = await Promise.all([countWaiting(sql, tenantId, Id), listWindows(sql, tenantId, Id)]);
  if (!waiting) throw noConnection();
  const told = <T>(value: T) => (isTold ? value : null);
  return {
    ConnectionId: Id,
    State,
    UnderWay: told(waiting.underWay),
    Queued: told(waiting.queued),
    Held: told(waiting.held),
    OldestOn: told(waiting.oldestOn?.toISOString() ?? null),
    Exhausted: told(waiting.unsent),
    ExhaustedSince: told(waiting.unsentSince?.toISOString() ?? null),
    Probes: waiting.probes,
    NextProbeOn: State === "Held" ? (waiting.nextProbeOn?.toISOString() ?? null) : null,
    Windows: told(
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
