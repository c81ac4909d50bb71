import { Type } from "@sinclair/typebox";
import type { Details } from "../../platform/http/contract.ts";
import {
  derived,
  type LogRow,
  orNull,
  type RecordOf,
  readOnly,
  serverTime,
  uuid,
  word,
} from "../../platform/http/fields.ts";
import { AUDIT_RECORD } from "../events/event.ts";
import { record, SETTING } from "../record.ts";
import { AUDIT_KINDS, OUTCOMES } from "./entry-kinds.ts";
import { ACTOR_TYPES } from "./filter.ts";

const reference = (types: readonly string[], description: string, example: object) =>
  derived(orNull(Type.Object({ Type: word(types), Id: Type.String() })), { description, example });

export const subjectField = (types: readonly string[]) =>
  reference(types, "The affected record; null: none, such as an unknown user.", { Type: "Application", Id: "1002" });

export const AUDIT_EVENT = record(AUDIT_RECORD, {
  table: "audit_log",
  description: "",
  scopes: SETTING,
  fields: {
    Id: readOnly(uuid(), { judged: true, example: "0197c6f3-0a1b-7c2d-8e3f-405162738495" }),
    OccurredOn: serverTime({ judged: true, example: "2026-01-31T12:00:00.000Z" }),
    Kind: readOnly(word(AUDIT_KINDS), { judged: true, example: "Credentials.Changed" }),
    Outcome: readOnly(word(OUTCOMES), { judged: true, example: "Success" }),
    Actor: reference(ACTOR_TYPES, "The actor; null: unauthenticated.", { Type: "Application", Id: "1001" }),
    ClientId: readOnly(
      orNull(Type.String()),
      { description: "The Application that acted, or on whose behalf.", example: "1001" },
      (id: number | null) => (id === null ? null : String(id)),
    ),
    Address: readOnly(Type.String(), { description: "Where the request came from.", example: "203.0.113.7" }),
    UserAgent: readOnly(Type.String(), { description: "The shortened User-Agent.", example: "curl/8.14.1" }),
    // The types of subjects are known at run time.
    Subject: subjectField([]),
    Details: readOnly(Type.Unsafe<Details>({ type: "object" }), {
      description:
        "Further details. For a change, Changed names the fields, with values only of fields " +
        "that hold neither secrets nor personal data.",
      example: { Changed: ["RedirectUris", "Scopes"], Scopes: { Added: ["email"], Removed: [] } },
    }),
    RequestKey: readOnly(Type.String(), {
      description: "The request's key, also in the service's log.",
      example: "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5",
    }),
  },
});

export type AuditRecord = RecordOf<typeof AUDIT_EVENT.field>;

export interface AuditEvent extends LogRow<typeof AUDIT_EVENT.field> {
  actorType: string | null;
  actorId: number | null;
  subjectType: string | null;
  subjectId: string | null;
}
