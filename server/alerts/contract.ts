// The contract of Alert.

import { type Static, Type } from "@sinclair/typebox";
import type { ResourceType } from "../access/index.ts";
import { body } from "../http/contract.ts";
import { momentOrNull, orNull, time, uuid, word } from "../http/fields.ts";
import { ALERT_RECORD, EVENT_TYPES } from "../webhooks/index.ts";

export const ALERT_KINDS = ["ConnectionHeld", "ErrorRate", "Backlog", "FailedSignIns", "FailedLogouts"] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_STATES = ["Open", "Acknowledged", "Ended"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** When each kind is raised (docs/operations.md "Alerts"). */
export const RULES = {
  /** Needs at least this many exhausted deliveries in an hour: only failures raise it, with a recent one. */
  errorRate: { percent: 10, least: 3, hours: 1, lateMinutes: 5 },
  backlog: { minutes: 15 },
  failedSignIns: { count: 30, minutes: 10 },
  /** Needs at least this many exhausted logouts of one application in an hour. */
  failedLogouts: { percent: 10, least: 2, hours: 1 },
};

export const ALERT_RESOURCE_TYPE: ResourceType = {
  name: ALERT_RECORD,
  families: ["Webhooks"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Kind", type: "text" },
    { name: "ConnectionId", type: "text" },
    { name: "State", type: "text" },
  ],
};

/** The body of POST Alert/{Id}/Acknowledge. */
export const ACKNOWLEDGEMENT = body(
  { name: "Acknowledgement", $id: "AlertAcknowledgement" },
  { Until: momentOrNull({ description: "When Settings shows it again if it has not ended; null: never." }) },
);

export const ALERT = Type.Object(
  {
    Id: uuid(),
    Kind: word(ALERT_KINDS),
    ConnectionId: orNull(uuid(), { description: "null: it is of no connection." }),
    State: word(ALERT_STATES, {
      description: "Acknowledged: a user has acknowledged it, and the acknowledgement has not expired.",
    }),
    Reason: orNull(Type.String(), {
      description: "For people, as it was when it was raised; null: it counts what the caller may not read.",
    }),
    RaisedOn: time(),
    EndedOn: orNull(time()),
    AcknowledgedBy: orNull(Type.Object({ Type: word(["User", "Application"]), Id: Type.String() })),
    AcknowledgedOn: orNull(time()),
    AcknowledgedUntil: orNull(time(), { description: "null: until it ends." }),
  },
  { $id: "Alert" },
);

const FIELD_TYPES: Record<keyof Static<typeof ALERT>, string> = {
  Id: "string (uuid)",
  Kind: "string",
  ConnectionId: "string (uuid)",
  State: "string",
  Reason: "string",
  RaisedOn: "string (date-time)",
  EndedOn: "string (date-time)",
  AcknowledgedBy: "object",
  AcknowledgedOn: "string (date-time)",
  AcknowledgedUntil: "string (date-time)",
};

export const ALERT_DESCRIPTION = {
  Name: ALERT_RECORD,
  Fields: Object.entries(FIELD_TYPES).map(([Name, Type]) => ({ Name, Type, Filter: Name === "State" })),
  Events: [...EVENT_TYPES],
};

export const EXAMPLE_ALERT = {
  Id: "0197c6f5-1a2b-7c3d-8e4f-5061728394a5",
  Kind: "ConnectionHeld",
  ConnectionId: "0197c6f1-90ab-7cde-8f01-23456789abcd",
  State: "Acknowledged",
  Reason: "410 Gone",
  RaisedOn: "2026-01-31T11:59:00.000Z",
  EndedOn: null,
  AcknowledgedBy: { Type: "User", Id: "7" },
  AcknowledgedOn: "2026-01-31T12:00:00.000Z",
  AcknowledgedUntil: "2026-01-31T16:00:00.000Z",
};
