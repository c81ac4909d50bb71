import { Type } from "@sinclair/typebox";
import { body } from "../../platform/http/contract.ts";
import {
  derived,
  momentOrNull,
  orNull,
  readOnly,
  serverTime,
  serverTimeOrNull,
  uuid,
  word,
} from "../../platform/http/fields.ts";
import { type Values, wordFilter } from "../../platform/http/query.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { ALERT_RECORD, record, WEBHOOK } from "../../records/index.ts";

export const ALERT_KINDS = [
  "ConnectionHeld",
  "ErrorRate",
  "Backlog",
  "FailedSignIns",
  "FailedLogouts",
  "NearLimit",
  "MailHeld",
  "FilterFailed",
  "SignUps",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

const ALERT_STATES = ["Open", "Acknowledged", "Ended"] as const;
export const ALERT_FILTERS = { State: wordFilter(ALERT_STATES, "In this state.") };
export type AlertFilter = Partial<Values<typeof ALERT_FILTERS>>;

/** When each kind is raised (docs/operations.md "Alerts"). */
export const RULES = {
  /** Needs at least this many exhausted deliveries in an hour: only failures raise it, with a recent one. */
  errorRate: { percent: 10, min: 3, hours: 1, lateMinutes: 5 },
  backlog: { minutes: 15 },
  failedSignIns: { count: 30, minutes: 10 },
  /** Needs at least this many exhausted logouts of one application in an hour. */
  failedLogouts: { percent: 10, min: 2, hours: 1 },
  /** Raised at NEAR_PERCENT, and not again with each small change. */
  nearLimit: { endPercent: 75 },
};

export const ACKNOWLEDGEMENT = body(
  { name: "Acknowledgement", $id: "AlertAcknowledgement" },
  { Until: momentOrNull({ description: "When Settings shows it again if it has not ended; null: never." }) },
);

export const ALERT = record(ALERT_RECORD, {
  table: "alerts",
  nouns: ["alert", "alerts"],
  description: "A problem that needs attention.",
  scopes: WEBHOOK,
  events: true,
  fields: {
    Id: readOnly(uuid(), { judged: true, example: "0197c6f5-1a2b-7c3d-8e4f-5061728394a5" }),
    Kind: readOnly(word(ALERT_KINDS), { judged: true, example: "ConnectionHeld" }),
    ConnectionId: readOnly(orNull(uuid<ConnectionId>()), {
      description: "null: not about a connection.",
      judged: true,
      example: "0197c6f1-90ab-7cde-8f01-23456789abcd",
    }),
    State: readOnly(word(ALERT_STATES), {
      description: "Acknowledged: a user has acknowledged it, and the acknowledgement has not expired.",
      judged: true,
      stored: "elsewhere",
      example: "Acknowledged",
    }),
    Reason: readOnly(orNull(Type.String()), {
      description:
        "Readable text, written when the alert was raised; null: it contains counts that the caller may not read.",
      example: "410 Gone",
    }),
    RaisedOn: serverTime({ example: "2026-01-31T11:59:00.000Z" }),
    EndedOn: serverTimeOrNull({ example: null }),
    AcknowledgedBy: derived(orNull(Type.Object({ Type: word(["User", "Application"]), Id: Type.String() })), {
      example: { Type: "User", Id: "7" },
    }),
    AcknowledgedOn: serverTimeOrNull({ example: "2026-01-31T12:00:00.000Z" }),
    AcknowledgedUntil: serverTimeOrNull({
      description: "null: until it ends.",
      example: "2026-01-31T16:00:00.000Z",
    }),
  },
  texts: {
    group: "Problems that need attention: raised and ended automatically, acknowledged by users.",
    remove: "",
  },
});
