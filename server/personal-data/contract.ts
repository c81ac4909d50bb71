import { Type } from "@sinclair/typebox";
import { ERASURE_STATES } from "../../workflows/contract.ts";
import { body } from "../http/contract.ts";
import { flag, oneOf, orNull, time, uuid, word } from "../http/fields.ts";
import { DELIVERIES } from "./erasures.store.ts";

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

export const ERASURE = Type.Object(
  {
    Id: uuid(),
    UserId: Type.String({ description: "The Id that the User had." }),
    Deliveries: word(DELIVERIES, { description: DELIVERIES_TEXT }),
    State: word(ERASURE_STATES),
    Removed: COUNTS,
    Waiting: orNull(Type.Integer({ format: "int32" }), {
      description:
        "Open deliveries about the person, and open logouts. null: it still searches for them, or has ended.",
    }),
    Reason: orNull(Type.String(), { description: "Why a Running erasure has not ended yet." }),
    CreatedOn: time(),
    CreatedBy: Type.Object({ Type: word(["User", "Application"]), Id: Type.String() }),
    EndedOn: orNull(time()),
  },
  { $id: "Erasure" },
);

export const ERASURE_COUNTS = Type.Object({ Counts: COUNTS }, { $id: "ErasureCounts" });
export const CERTIFICATE = Type.Object({ Certificate: Type.String() }, { $id: "ErasureCertificate" });

export const EXAMPLE = {
  Id: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  UserId: "1007",
  Deliveries: "Send",
  State: "Completed",
  Removed: { User: 1, Sessions: 2, Payloads: 5, Responses: 5, AuditEvents: 12 },
  Waiting: null,
  Reason: null,
  CreatedOn: "2026-01-31T12:00:00.000Z",
  CreatedBy: { Type: "Application", Id: "1001" },
  EndedOn: "2026-01-31T12:00:04.000Z",
};
