// The audit log, as it is read: by REST and by the console. Nothing changes it.

import { type Caller, requireScopes } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { BadInput, NotFound } from "../errors.ts";
import { isUuid, type Page, readPaging, toPage } from "../http/paging.ts";
import { readQuery, readWord } from "../http/query.ts";
import { EXPORT_FORMATS, type Export, exportAs } from "./export.ts";
import { FILTERS, readFilter } from "./filter.ts";
import { type AuditRecord, toRecord } from "./record-shape.ts";
import { AUDIT_RESOURCE_TYPE } from "./resource-type.ts";
import { countAuditEvents, findAuditEvent, listAuditEvents } from "./store.ts";

/** Rows of an export, before policies leave some out. */
export const MOST_EXPORTED = 100_000;
/** Rows that an export reads at a time. */
const EXPORT_PAGE = 500;

const RESOURCE = AUDIT_RESOURCE_TYPE.name;

export interface AuditLog {
  /**
   * A page, the newest first, without what the caller may not read.
   * @param parameters FILTERS, Limit, Cursor
   * @throws Permission, BadInput, ServiceBusy
   */
  list(caller: Caller, parameters: URLSearchParams): Promise<Page<AuditRecord>>;
  /** @throws Permission, NotFound */
  read(caller: Caller, id: string): Promise<AuditRecord>;
  /**
   * All that the filters let through, as a file that is written while it is read.
   * @param parameters FILTERS, Format
   * @throws Permission, BadInput also if it would have more rows than MOST_EXPORTED, ServiceBusy
   */
  export(caller: Caller, parameters: URLSearchParams): Promise<Export>;
}

export function createAuditLog(sql: Sql): AuditLog {
  return {
    async list(caller, parameters) {
      requireScopes(caller, "Settings:Read");
      const query = readQuery(parameters, FILTERS);
      const { limit, after } = readPaging(query);
      const filter = readFilter(query);
      return caller.permissions.readable("Settings:Read", RESOURCE, async () =>
        toPage(await listAuditEvents(sql, caller.tenantId, filter, limit, after), limit, (row) => row.id, toRecord),
      );
    },

    async read(caller, id) {
      requireScopes(caller, "Settings:Read");
      const event = isUuid(id) ? await findAuditEvent(sql, caller.tenantId, id) : undefined;
      if (!event) throw new NotFound("There is no AuditEvent with this Id.");
      const record = toRecord(event);
      caller.permissions.require("Settings:Read", RESOURCE, record);
      return record;
    },

    async export(caller, parameters) {
      requireScopes(caller, "Settings:Read");
      const query = readQuery(parameters, [...FILTERS, "Format"]);
      if (query.has("Limit") || query.has("Cursor")) throw new BadInput("An export has no pages: no Limit, no Cursor.");
      const format = readWord(query, "Format", EXPORT_FORMATS) ?? "CSV";
      const filter = readFilter(query);
      const { tenantId, permissions } = caller;
      if ((await countAuditEvents(sql, tenantId, filter, MOST_EXPORTED + 1)) > MOST_EXPORTED) {
        throw new BadInput(`An export has at most ${MOST_EXPORTED} rows. Ask for less by From and To.`);
      }
      return exportAs(format, (after) =>
        permissions.readable("Settings:Read", RESOURCE, async () => {
          const rows = await listAuditEvents(sql, tenantId, filter, EXPORT_PAGE, after);
          const Next = rows.length > EXPORT_PAGE ? rows[EXPORT_PAGE - 1]!.id : null;
          return { Items: rows.slice(0, EXPORT_PAGE).map(toRecord), Next };
        }),
      );
    },
  };
}
