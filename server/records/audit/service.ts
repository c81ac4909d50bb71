import type { Sql } from "../../platform/db/sql.ts";
import { NotFound } from "../../platform/errors.ts";
import { EXPORT_PAGE, type Export, type Exporter, type ExportFormat } from "../../platform/http/export.ts";
import { isUuid, type Paging } from "../../platform/http/query.ts";
import { createPastSlices, type Slices } from "../../platform/slices.ts";
import { type Caller, type Permitted, permit } from "../access/bearer.ts";
import type { FindRecords } from "../access/gate/references.ts";
import type { Shown, ShownPage } from "../access/gate/shown.ts";
import { AUDIT_EVENT, type AuditEvent, type AuditRecord } from "./contract.ts";
import { type AuditFilter, exportFiltersOf, filtersOf } from "./filter.ts";
import { countAuditEvents, countSignIns, findAuditEvents, listAuditEvents, type SignIns } from "./store.ts";

const RESOURCE = AUDIT_EVENT.name;

type Reader = Permitted<"Settings:Read">;

export interface AuditLog {
  subjects: readonly string[];
  filters: ReturnType<typeof filtersOf>;
  exportFilters: ReturnType<typeof exportFiltersOf>;
  list(caller: Reader, filter: AuditFilter, paging: Paging): Promise<ShownPage<AuditRecord>>;
  /** @throws Permission, NotFound */
  read(caller: Reader, id: string): Promise<Shown<AuditRecord>>;
  /** Streamed while it is read. @throws BadInput if it would exceed MAX_EXPORTED rows, TenantBusy, ServiceBusy */
  export(caller: Reader, filter: AuditFilter, format: ExportFormat): Promise<Export>;
  /** As in an event's Data, for a test of a connection. */
  sample: Record<string, unknown>;
  /** For the records of events. */
  find: FindRecords;
  /** Slices without sign-ins are left out. @returns undefined if the caller may not read all entries and users */
  signIns(caller: Reader, slices: Slices): Promise<SignIns[] | undefined>;
}

export function createAuditLog(sql: Sql, subjects: readonly string[], exporter: Exporter): AuditLog {
  const filters = filtersOf(subjects);

  const listOf = ({ tenantId }: Caller, filter: AuditFilter) => ({
    type: RESOURCE,
    read: (limit: number, after: string | undefined) => listAuditEvents(sql, tenantId, filter, limit, after),
    id: (row: AuditEvent) => row.id,
    item: toRecord,
  });

  /** Details about a subject are visible only with permission to read it; actor, kind and time always are. */
  async function hideDetails({ gate }: Caller, page: ShownPage<AuditRecord>): Promise<ShownPage<AuditRecord>> {
    const subjects = page.Items.flatMap(({ Subject }) => Subject ?? []);
    const seen = new Set<string>();
    for (const [type, own] of Map.groupBy(subjects, ({ Type }) => Type)) {
      const ids = [...new Set(own.map(({ Id }) => Id))];
      for (const id of await gate.seenIds(sql, type, ids)) seen.add(`${type} ${id}`);
    }
    const isHidden = ({ Subject }: AuditRecord) => Subject !== null && !seen.has(`${Subject.Type} ${Subject.Id}`);
    return { ...page, Items: page.Items.map((row) => (isHidden(row) ? { ...row, Details: {} } : row)) };
  }

  // Uses the tenant's share of the pool, because it may scan a whole day.
  const pastSignIns = createPastSlices((tenantId, from, to, sliceMs) =>
    sql.beginFor(tenantId, (tx) => countSignIns(tx, tenantId, from, to, sliceMs)),
  );

  return {
    subjects,
    filters,
    exportFilters: exportFiltersOf(filters),
    sample: { ...AUDIT_EVENT.example, Address: "", UserAgent: "", ChainHead: "5f".repeat(32) },
    find: async (queries, tenantId, _, ids) =>
      (await findAuditEvents(queries, tenantId, ids.filter(isUuid))).map(toRecord),

    async list(caller, filter, paging) {
      const page = await caller.gate.list({ ...listOf(caller, filter), paging });
      return hideDetails(caller, page);
    },

    async read(caller, id) {
      const [event] = isUuid(id) ? await findAuditEvents(sql, caller.tenantId, [id]) : [];
      if (!event) throw new NotFound("There is no AuditEvent with this Id.");
      const { record } = await caller.gate.show(RESOURCE, toRecord(event));
      return (await hideDetails(caller, caller.gate.page([record], 1))).Items[0]!;
    },

    async signIns({ tenantId, gate }, slices) {
      // Second factors are part of the User record, so the counts of their failures need permission to read all Users.
      const seesAll = [RESOURCE, "User"].every((type) => gate.seesAll(type));
      return seesAll ? pastSignIns(tenantId, slices) : undefined;
    },

    export(caller, filter, format) {
      const { tenantId } = caller;
      return exporter(caller, format, {
        name: "audit-log",
        schema: AUDIT_EVENT.record,
        count: (max) => countAuditEvents(sql, tenantId, filter, max),
        async readPage(reader, after) {
          const now = permit(reader, ["Settings:Read"]);
          return hideDetails(now, await now.gate.listAfter(listOf(now, filter), EXPORT_PAGE, after));
        },
      });
    },
  };
}

export const toRecord = (event: AuditEvent) =>
  AUDIT_EVENT.toRecord(event, {
    Actor: reference(event.actorType, event.actorId),
    Subject: reference(event.subjectType, event.subjectId),
  });

/** Ids are text, because a Policy's is not a number. */
function reference(type: string | null, id: string | number | null) {
  return type === null ? null : { Type: type, Id: String(id) };
}
