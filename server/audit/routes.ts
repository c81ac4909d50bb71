import { Type } from "@sinclair/typebox";
import { route } from "../access/index.ts";
import { AUDIT_RECORD } from "../events/index.ts";
import { EXPORT_FILES, EXPORT_NOTE, exportResponse } from "../http/export.ts";
import { orNull, time, uuid, word } from "../http/fields.ts";
import { uuidParameter } from "../http/query.ts";
import type { Route } from "../http/route.ts";
import { typeName } from "../records/index.ts";
import { ACTOR_TYPES, toFilter } from "./filter.ts";
import { AUDIT_KINDS, OUTCOMES } from "./kinds.ts";
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
      answer: { description: "A page of the log.", schema, example: EXAMPLE, list: true },
      errors: ["ServiceBusy"],
      handle: (caller, { filters, paging }) => log.list(caller, toFilter(filters), paging),
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
      handle: async (caller, { filters }) =>
        exportResponse(await log.export(caller, toFilter(filters), filters.Format)),
    }),
    route({
      ...shared,
      path: `${path}/{Id}`,
      id: "getAuditEvent",
      summary: "Read a row of the audit log",
      params: { Id: uuidParameter("The row's Id.", "AuditEvent") },
      answer: { description: "The row.", schema, example: EXAMPLE },
      handle: (caller, { params }) => log.read(caller, params.Id),
    }),
  ];
}

const reference = (types: readonly string[], description: string) =>
  orNull(Type.Object({ Type: word(types), Id: Type.String() }), { description });

const auditEvent = (subjects: readonly string[]) =>
  Type.Object(
    {
      Id: uuid(),
      OccurredOn: time(),
      Kind: word(AUDIT_KINDS),
      Outcome: word(OUTCOMES),
      Actor: reference(ACTOR_TYPES, "The actor; null: unauthenticated."),
      ClientId: orNull(Type.String(), { description: "The Application that acted, or on whose behalf." }),
      Address: Type.String({ description: "Where the request came from." }),
      UserAgent: Type.String({ description: "The shortened User-Agent." }),
      Subject: reference(subjects, "The affected record; null: none, such as an unknown user."),
      Details: Type.Unsafe<object>({
        type: "object",
        description:
          "Further details. For a change, Changed names the fields, with values only of fields " +
          "that hold neither secrets nor personal data.",
      }),
      RequestKey: Type.String({ description: "The request's key, also in the service's log." }),
    },
    { $id: "AuditEvent" },
  );

/** As in an event's Data, which is a sample in a test of a connection. */
export const AUDIT_SAMPLE = () => ({ ...EXAMPLE, Address: "", UserAgent: "", ChainHead: "5f".repeat(32) });

/** For the list of entities. */
export const auditDescription = ({ subjects, filters }: AuditLog) => ({
  Name: AUDIT_RECORD,
  Fields: Object.entries(auditEvent(subjects).properties).map(([Name, shown]) => ({
    Name,
    Type: typeName(shown),
    Filter: Object.hasOwn(filters, Name),
  })),
  Events: ["Created" as const],
});

const EXAMPLE = {
  Id: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  OccurredOn: "2026-01-31T12:00:00.000Z",
  Kind: "Credentials.Changed",
  Outcome: "Success",
  Actor: { Type: "Application", Id: "1001" },
  ClientId: "1001",
  Address: "203.0.113.7",
  UserAgent: "curl/8.14.1",
  Subject: { Type: "Application", Id: "1002" },
  Details: { Changed: ["RedirectUris", "Scopes"], Scopes: { Added: ["email"], Removed: [] } },
  RequestKey: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5",
};
