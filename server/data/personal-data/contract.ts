import { Type } from "@sinclair/typebox";
import { ERASURE_STATES } from "../../../workflows/contract.ts";
import { body } from "../../platform/http/contract.ts";
import {
  derived,
  flag,
  oneOf,
  orNull,
  readOnly,
  serverTime,
  serverTimeOrNull,
  uuid,
  word,
} from "../../platform/http/fields.ts";
import type { ErasureId } from "../../platform/ids.ts";
import { record } from "../../records/index.ts";

const DELIVERIES = ["Send", "Cancel"] as const;

const DELIVERIES_TEXT =
  "Open deliveries about the person. Send: the erasure waits for them. Cancel: it cancels them, " +
  "except for an attempt that is in flight, and for its own Deleted and Erased events.";

export const ERASE_DATA = body(
  { name: "Erasure", $id: "ErasureData", needs: [] },
  {
    Deliveries: oneOf(DELIVERIES, { description: DELIVERIES_TEXT, documented: { default: "Send" } }),
    DryRun: flag({ description: "Only count what would be removed.", documented: { default: false } }),
  },
);
export type EraseInput = ReturnType<typeof ERASE_DATA.parse>;

const COUNTS = Type.Record(Type.String(), Type.Integer({ format: "int32" }), {
  description: "The number of each kind. The kinds have the names of the files of an export.",
});

export const ERASURE = record("Erasure", {
  table: "erasures",
  description: "",
  events: false,
  fields: {
    Id: readOnly(uuid<ErasureId>(), { judged: true, example: "0197c6f3-0a1b-7c2d-8e3f-405162738495" }),
    UserId: readOnly(
      Type.String(),
      { description: "The Id that the User had.", judged: true, example: "1007" },
      (id: number) => String(id),
    ),
    Deliveries: readOnly(word(DELIVERIES), { description: DELIVERIES_TEXT, example: "Send" }),
    State: readOnly(word(ERASURE_STATES), { judged: true, example: "Completed" }),
    Removed: readOnly(COUNTS, { example: { User: 1, Sessions: 2, Payloads: 5, Responses: 5, AuditEvents: 12 } }),
    Waiting: readOnly(orNull(Type.Integer({ format: "int32" })), {
      description:
        "Open deliveries about the person, and open logouts. null: it still searches for them, or has ended.",
      stored: "elsewhere",
      example: null,
    }),
    Reason: derived(orNull(Type.String()), {
      description: "Why a Running erasure has not ended yet.",
      example: null,
    }),
    CreatedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
    CreatedBy: derived(Type.Object({ Type: word(["User", "Application"]), Id: Type.String() }), {
      example: { Type: "Application", Id: "1001" },
    }),
    EndedOn: serverTimeOrNull({ example: "2026-01-31T12:00:04.000Z" }),
  },
  texts: { group: "Erasures of what is stored about a person.", remove: "" },
});

export const ERASURE_COUNTS = Type.Object({ Counts: COUNTS }, { $id: "ErasureCounts" });
export const CERTIFICATE = Type.Object({ Certificate: Type.String() }, { $id: "ErasureCertificate" });
