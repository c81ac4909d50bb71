// Deliveries sent by a redelivery, with their states before and after.

import { Type } from "@sinclair/typebox";
import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import { type Caller, permit, route, type ShownPage } from "../../access/index.ts";
import type { Sql } from "../../db/sql.ts";
import { LOGGED_EVENT_TYPES } from "../../events/index.ts";
import {
  type Cell,
  EXPORT_FILES,
  EXPORT_NOTE,
  EXPORT_PAGE,
  type Export,
  type Exporter,
  type ExportFormat,
  exportResponse,
  formatFilter,
} from "../../http/export.ts";
import { orNull, time, uuid, word } from "../../http/fields.ts";
import { type Paging, uuidParameter } from "../../http/query.ts";
import type { Route } from "../../http/route.ts";
import type { ConnectionId, DeliveryId, EventId, RedeliveryId } from "../../ids.ts";
import { EXAMPLE as EXAMPLE_REDELIVERY } from "../redelivery/contract.ts";
import { REDELIVERY_TAG } from "../redelivery/routes.ts";
import type { Redeliveries } from "../redelivery/service.ts";
import { eventResources } from "./record.ts";
import { countResent, listResent, type Resent, type ResentOutcome } from "./resent.store.ts";

export type ResentRecord = ReturnType<typeof toRecord>;

export interface ResentDeliveries {
  /** Of events that the caller may read, in the order of sending. @throws NotFound, Permission, ServiceBusy */
  list(caller: Caller, id: RedeliveryId, paging: Paging): Promise<ShownPage<ResentRecord>>;
  /** All of them as a file. @throws the errors of `list` and of an Exporter */
  export(caller: Caller, id: RedeliveryId, format: ExportFormat): Promise<Export>;
}

export function createResentDeliveries(sql: Sql, { read }: Redeliveries, exporter: Exporter): ResentDeliveries {
  const listOf = ({ tenantId, permissions }: Caller, id: RedeliveryId) => ({
    type: "WebhookEvent",
    name: `Redelivery/${id}/Deliveries`,
    read: (limit: number, after: string | undefined) =>
      listResent(sql, tenantId, id, limit, after, permissions.looksInto("WebhookEvent")),
    id: (row: Resent) => row.id,
    resource: (row: Resent) => eventResources({ ...row, id: row.eventId }),
    item: toRecord,
  });
  return {
    async list(caller, id, paging) {
      await read(caller, id);
      return caller.gate.list({ ...listOf(caller, id), paging });
    },
    async export(caller, id, format) {
      await read(caller, id);
      return exporter(caller, format, {
        name: `redelivery-${id}`,
        cells: CELLS,
        count: (max) => countResent(sql, caller.tenantId, id, max),
        async readPage(reader, after) {
          const now = permit(reader, ["Webhooks:Read"]);
          await read(now, id);
          return now.gate.listAfter(listOf(now, id), EXPORT_PAGE, after);
        },
      });
    },
  };
}

function toRecord(row: Resent) {
  return {
    EventId: row.eventId,
    EventType: row.eventType,
    EventRecord: row.eventRecord,
    RecordId: row.recordIds.length === 1 ? row.recordIds[0]! : null,
    Timestamp: row.occurredOn.toISOString(),
    DeliveryId: row.deliveryId,
    ConnectionId: row.connectionId,
    Before: toOutcome(row.before),
    After: toOutcome(row.after),
  };
}

const toOutcome = ({ state, reason, on }: ResentOutcome) => ({ State: state, Reason: reason, On: on.toISOString() });

const CELLS: Cell<ResentRecord>[] = [
  ["EventId", ({ EventId }) => EventId],
  ["EventType", ({ EventType }) => EventType],
  ["EventRecord", ({ EventRecord }) => EventRecord],
  ["RecordId", ({ RecordId }) => RecordId ?? ""],
  ["Timestamp", ({ Timestamp }) => Timestamp],
  ["DeliveryId", ({ DeliveryId }) => DeliveryId],
  ["ConnectionId", ({ ConnectionId }) => ConnectionId],
  ...(["Before", "After"] as const).flatMap((side): Cell<ResentRecord>[] => [
    [`${side}State`, (record) => record[side].State],
    [`${side}Reason`, (record) => record[side].Reason ?? ""],
    [`${side}On`, (record) => record[side].On],
  ]),
];

export function resentRoutes(resent: ResentDeliveries): Route[] {
  const shared = {
    method: "GET",
    tag: REDELIVERY_TAG,
    scopes: ["Webhooks:Read"],
    params: { Id: uuidParameter<RedeliveryId>("The redelivery's Id.", "Redelivery") },
  } as const;
  return [
    route({
      ...shared,
      path: "/Redelivery/{Id}/Deliveries",
      id: "listRedeliveryDeliveries",
      summary: "List the deliveries of a redelivery, before and after",
      description: "In the order of sending; contains only events that the caller may read.",
      paged: true,
      errors: ["ServiceBusy"],
      answer: { description: "A page of deliveries.", schema: RESENT, example: EXAMPLE, list: true },
      handle: (caller, { params, paging }) => resent.list(caller, params.Id, paging),
    }),
    route({
      ...shared,
      path: "/Redelivery/{Id}/Deliveries/Export",
      id: "exportRedeliveryDeliveries",
      summary: "Export the list as a file",
      description: EXPORT_NOTE,
      filters: { Format: formatFilter },
      errors: ["ServiceBusy"],
      answer: {
        description: "The file, in the order of sending.",
        schema: Type.String({ description: "In NDJSON one RedeliveryDelivery per line." }),
        files: EXPORT_FILES,
      },
      handle: async (caller, { params, filters }) =>
        exportResponse(await resent.export(caller, params.Id, filters.Format)),
    }),
  ];
}

const outcome = (description: string) =>
  Type.Object(
    {
      State: word(DELIVERY_STATES),
      Reason: orNull(Type.String(), {
        description: "The result of the last attempt: a status, or a word such as timeout. null: delivered, or none.",
        examples: ["503", null],
      }),
      On: time("When it reached that state."),
    },
    { description },
  );

const RESENT = Type.Object(
  {
    EventId: uuid<EventId>(),
    EventType: word(LOGGED_EVENT_TYPES),
    EventRecord: Type.String(),
    RecordId: orNull(Type.String(), { description: "null: a bulk change." }),
    Timestamp: time("The time of the event."),
    DeliveryId: uuid<DeliveryId>(),
    ConnectionId: uuid<ConnectionId>(),
    Before: outcome("The delivery's state before the redelivery."),
    After: outcome("The result of this redelivery, whatever happened later."),
  },
  { $id: "RedeliveryDelivery" },
);

const EXAMPLE = {
  EventId: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5",
  EventType: "Updated",
  EventRecord: "Application",
  RecordId: "7",
  Timestamp: "2026-01-31T09:12:00.000Z",
  DeliveryId: "5b0cf0f4-8a39-4c43-9d0e-0d1f6d7f4b1a",
  ConnectionId: EXAMPLE_REDELIVERY.ConnectionId,
  Before: { State: "Exhausted", Reason: "503", On: "2026-01-31T09:13:10.000Z" },
  After: { State: "Delivered", Reason: null, On: "2026-01-31T12:00:01.000Z" },
};
