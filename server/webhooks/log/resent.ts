// Deliveries sent by a redelivery, with their states before and after.

import { Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/db/sql.ts";
import {
  EXPORT_FILES,
  EXPORT_NOTE,
  EXPORT_PAGE,
  type Export,
  type Exporter,
  type ExportFormat,
  exportResponse,
  formatFilter,
} from "../../platform/http/export.ts";
import { type Paging, uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import type { RedeliveryId } from "../../platform/ids.ts";
import { type Caller, permit, route, type ShownPage } from "../../records/index.ts";
import { REDELIVERY_TAG } from "../redelivery/routes.ts";
import type { Redeliveries } from "../redelivery/service.ts";
import { RESENT, type ResentRecord } from "./contract.ts";
import { eventResources } from "./record.ts";
import { countResent, listResent, type Resent } from "./resent.store.ts";
import { isDecidable } from "./service.ts";

export interface ResentDeliveries {
  /** Of events that the caller may read, in the order of sending. @throws NotFound, Permission, ServiceBusy */
  list(caller: Caller, id: RedeliveryId, paging: Paging): Promise<ShownPage<ResentRecord>>;
  /** All of them as a file. @throws the errors of `list` and of an Exporter */
  export(caller: Caller, id: RedeliveryId, format: ExportFormat): Promise<Export>;
}

export function createResentDeliveries(sql: Sql, { read }: Redeliveries, exporter: Exporter): ResentDeliveries {
  const listOf = (caller: Caller, id: RedeliveryId) => {
    const withPayload = caller.permissions.looksInto("Webhooks:Read", "WebhookEvent").length > 0;
    return {
      type: "WebhookEvent",
      name: `Redelivery/${id}/Deliveries`,
      read: (limit: number, after: string | undefined) =>
        listResent(sql, caller.tenantId, id, limit, after, withPayload),
      id: (row: Resent) => row.id,
      isDecidable: (row: Resent) => isDecidable(caller, { ...row, id: row.eventId }),
      resource: (row: Resent) => eventResources({ ...row, id: row.eventId }),
      item: toRecord,
    };
  };
  return {
    async list(caller, id, paging) {
      await read(caller, id);
      return caller.gate.list({ ...listOf(caller, id), paging });
    },
    async export(caller, id, format) {
      await read(caller, id);
      return exporter(caller, format, {
        name: `redelivery-${id}`,
        schema: RESENT.record,
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

const toRecord = (row: Resent) =>
  RESENT.toRecord(row, { RecordId: row.recordIds.length === 1 ? row.recordIds[0]! : null });

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
      answer: { description: "A page of deliveries.", schema: RESENT.record, example: RESENT.example, list: true },
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
