import { Type } from "@sinclair/typebox";
import { LOGOUT_STATES } from "../../../workflows/contract.ts";
import { contract, each } from "../../platform/http/contract.ts";
import {
  derived,
  type LogRow,
  orNull,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  time,
  uuid,
  word,
} from "../../platform/http/fields.ts";
import type { LogoutId } from "../../platform/ids.ts";

const ATTEMPT = contract("", "", {
  Number: readOnly(Type.Integer({ format: "int32", minimum: 1 }), { example: 1 }),
  StartedOn: readOnly(time(), { example: "2026-01-31T12:00:00.080Z" }, (text: string) => new Date(text).toISOString()),
  DurationMs: readOnly(orNull(Type.Integer({ format: "int32", minimum: 0 })), {
    description: "null: in progress, or lost with its worker.",
    example: 38,
  }),
  StatusCode: readOnly(orNull(Type.Integer({ format: "int32" })), { description: "null: no answer.", example: 200 }),
  Failure: readOnly(orNull(Type.String()), {
    description: "The failure in one word; null: the receiver answered.",
    example: null,
  }),
  Response: readOnly(
    orNull(
      Type.Object({
        Headers: Type.String(),
        Body: Type.String({ description: "Its first 4 KiB, or the error if there was no answer." }),
      }),
    ),
    { example: { Headers: "content-type: text/plain", Body: "ok" } },
  ),
});

const ID = "5b0d3f0e-4c53-4b0e-9d52-0d4f3a1f6b7c";
const WORKFLOW_ID = `Application/7/Logout/${ID}`;

export const LOGOUT = contract("Logout", "", {
  Id: readOnly(uuid<LogoutId>(), { example: ID }),
  UserId: readOnly(Type.Integer({ format: "int32" }), {
    description: "The user who was signed out; the User may be deleted.",
    example: 12,
  }),
  SessionId: derived(uuid(), {
    description: "The `sid` of the Application's id_tokens.",
    example: "0197c6f4-0a1b-7c2d-8e3f-405162738495",
  }),
  State: readOnly(word(LOGOUT_STATES), { example: "Delivered" }),
  Reason: readOnly(orNull(Type.String()), {
    description: "Why it was not delivered; null: delivered or new.",
    example: null,
  }),
  Run: readOnly(Type.Integer({ format: "int32", minimum: 1 }), { description: "Counts redeliveries.", example: 1 }),
  CreatedOn: serverTime({ description: "When the session ended.", example: "2026-01-31T12:00:00.000Z" }),
  EndedOn: serverTimeOrNull({ description: "null: in progress.", example: "2026-01-31T12:00:00.120Z" }),
  WorkflowId: derived(Type.String(), { example: WORKFLOW_ID }),
  WorkflowUrl: derived(Type.String({ format: "uri" }), {
    description: "The run in the Temporal UI.",
    example: `http://localhost:8233/namespaces/default/workflows/${encodeURIComponent(WORKFLOW_ID)}`,
  }),
  Attempts: each(ATTEMPT, {}),
});
export type LogoutRecord = RecordOf<typeof LOGOUT.field>;
export type LoggedLogout = LogRow<typeof LOGOUT.field> & { clientId: number; sid: string };
