import { Type } from "@sinclair/typebox";
import { contract } from "../../platform/http/contract.ts";
import { EXPORT_FILES, EXPORT_NOTE, exportResponse } from "../../platform/http/export.ts";
import { uuidParameter } from "../../platform/http/query.ts";
import type { Route } from "../../platform/http/route.ts";
import { route } from "../access/route.ts";
import { AUDIT_RECORD } from "../events/event.ts";
import { describeLog } from "../values.ts";
import { AUDIT_EVENT, subjectField } from "./contract.ts";
import type { AuditLog } from "./service.ts";
import { FAILURES_PER_HOUR } from "./write.ts";

export function auditRoutes(log: AuditLog): Route[] {
  const path = "/AuditEvent";
  const schema = auditEvent(log.subjects);
  const shared = {
    method: "GET" as const,
    tag: {
      name: "AuditEvent",
      description:
        "The audit log: sign-ins and changes of credentials, policies and connections, with actor and address. " +
        "Entries are never changed. They are removed after AUDIT_RETENTION.",
    },
    scopes: ["Settings:Read"] as const,
  };
  return [
    route({
      ...shared,
      path,
      id: "listAuditEvent",
      summary: "List audit events",
      description:
        "Newest first; contains only records that the caller may read. At most " +
        `${FAILURES_PER_HOUR} failures of unauthenticated callers are logged an hour; a Failures.Omitted marks that there were more.`,
      paged: true,
      filters: log.filters,
      answer: { description: "A page of the log.", schema, example: AUDIT_EVENT.example, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters, paging }) => log.list(caller, filters, paging),
    }),
    route({
      ...shared,
      path: `${path}/Export`,
      id: "exportAuditEvent",
      summary: "Export the list as a file",
      description: EXPORT_NOTE,
      filters: log.exportFilters,
      answer: {
        description: "The file, newest row first.",
        schema: Type.String({ description: "In NDJSON one AuditEvent per line." }),
        files: EXPORT_FILES,
      },
      errors: ["ServiceBusy"],
      handle: async (caller, { filters }) => exportResponse(await log.export(caller, filters, filters.Format)),
    }),
    route({
      ...shared,
      path: `${path}/{Id}`,
      id: "getAuditEvent",
      summary: "Read a row of the audit log",
      params: { Id: uuidParameter("The row's Id.", "AuditEvent") },
      answer: { description: "The row.", schema, example: AUDIT_EVENT.example },
      handle: (caller, { params }) => log.read(caller, params.Id),
    }),
  ];
}

const auditEvent = (subjects: readonly string[]) => {
  const { field, record } = AUDIT_EVENT;
  const Subject = subjectField(subjects);
  return contract(record.$id!, "", { ...field, Subject }).record;
};

/** For the list of entities. */
export const auditDescription = ({ subjects, filters }: AuditLog) =>
  describeLog(AUDIT_RECORD, auditEvent(subjects), filters, ["Created"]);
