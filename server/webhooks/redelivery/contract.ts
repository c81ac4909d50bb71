import { Type } from "@sinclair/typebox";
import { type DeliveryState, REDELIVERY_STATES } from "../../../workflows/contract.ts";
import { HIDDEN_AS_NULL } from "../../events/index.ts";
import { body } from "../../http/contract.ts";
import {
  field,
  flag,
  type InputOf,
  moment,
  momentOrNull,
  oneOf,
  orNull,
  someOf,
  time,
  UUID,
  uuid,
  word,
} from "../../http/fields.ts";
import type { ConnectionId } from "../../ids.ts";
import { REDELIVERY_KINDS } from "./store.ts";

export const REPLAYED_STATES = ["Delivered", "Exhausted", "Cancelled"] as const satisfies DeliveryState[];
/** Deliveries per second. */
export const DEFAULT_RATE = 20;
export const MAX_RATE = 100;
const WISHED_STATES = REDELIVERY_STATES.filter((state) => state !== "Completed");

const RATE = Type.Integer({ format: "int32", minimum: 1, maximum: MAX_RATE });
const rate = { sent: RATE, must: `must be a whole number from 1 to ${MAX_RATE}.` };
const RATE_TEXT = "Deliveries a second, at most.";

const REPLAY_FIELDS = {
  ConnectionId: field<ConnectionId>({
    sent: uuid(),
    checked: Type.String({ pattern: UUID }),
    must: "must be a connection's Id.",
    take: (value: string) => value.toLowerCase() as ConnectionId,
  }),
  From: moment({ description: "Events at this time or later: a date, or a time with an offset." }),
  To: momentOrNull({ description: "Events before this time; null: up to now." }),
  States: someOf(REPLAYED_STATES, {
    description: "Deliveries in these states.",
    documented: { default: ["Exhausted"] },
  }),
  Rate: field<number>({ ...rate, description: RATE_TEXT, documented: { default: DEFAULT_RATE } }),
  DryRun: flag({ description: "Only count the deliveries.", documented: { default: false } }),
};

export const REPLAY_DATA = body(
  {
    name: "Redelivery",
    $id: "RedeliveryData",
    needs: ["ConnectionId", "From"],
    together: ({ From, To }) =>
      From && To && From >= To ? { Field: "From", Message: "From must be before To." } : undefined,
  },
  REPLAY_FIELDS,
);
export type ReplayInput = ReturnType<typeof REPLAY_DATA.parse>;

const CHANGE_FIELDS = {
  State: { ...oneOf(WISHED_STATES, {}), must: `must be one of ${WISHED_STATES.join(", ")}.` },
  Rate: field<number>(rate),
};

/** The body of PATCH Redelivery/{Id}; absent fields are unchanged. */
export const REDELIVERY_CHANGE = body({ name: "Redelivery", $id: "RedeliveryChange" }, CHANGE_FIELDS);
export type RedeliveryChange = InputOf<typeof CHANGE_FIELDS>;

const count = (description?: string) =>
  Type.Integer({ format: "int32", minimum: 0, ...(description && { description }) });

export const REDELIVERY = Type.Object(
  {
    Id: uuid(),
    ConnectionId: uuid<ConnectionId>(),
    Kind: word(REDELIVERY_KINDS),
    From: orNull(time(), { description: "Events at this time or later; null for a Drain." }),
    To: orNull(time(), { description: "Events before this time; null for a Drain." }),
    States: Type.Array(word([...REPLAYED_STATES, "Held"])),
    Rate: { ...RATE, description: RATE_TEXT },
    State: word(REDELIVERY_STATES),
    Reason: orNull(Type.String(), { description: "Why it sends nothing while Running." }),
    Total: count("The number of deliveries known so far, without Skipped."),
    Skipped: count(
      "Deliveries that a Replay does not send: their Payload was removed, or they were sent again singly before their turn.",
    ),
    Done: count("How many have ended: Delivered, Exhausted, held or cancelled."),
    Delivered: count(),
    Exhausted: count(),
    CreatedOn: time(),
    EndedOn: orNull(time()),
    WorkflowId: Type.String(),
    WorkflowUrl: Type.String({ format: "uri", description: "The workflow in the Temporal UI." }),
  },
  { $id: "Redelivery" },
);

export const REDELIVERY_COUNT = Type.Object(
  {
    Count: orNull(count(), { description: HIDDEN_AS_NULL }),
    Skipped: orNull(count("Deliveries whose Payload was removed."), { description: HIDDEN_AS_NULL }),
  },
  { $id: "RedeliveryCount" },
);

const ID = "0197c6f4-5b6c-7d8e-9fa0-b1c2d3e4f506";
const WORKFLOW_ID = `WebhookConnection/0197c6f1-0a1b-7c2d-8e3f-405162738495/Replay/${ID}`;

export const EXAMPLE = {
  Id: ID,
  ConnectionId: "0197c6f1-90ab-7cde-8f01-23456789abcd",
  Kind: "Replay",
  From: "2026-01-31T09:00:00.000Z",
  To: "2026-01-31T12:00:00.000Z",
  States: ["Exhausted"],
  Rate: DEFAULT_RATE,
  State: "Completed",
  Reason: null,
  Total: 120,
  Skipped: 0,
  Done: 120,
  Delivered: 119,
  Exhausted: 1,
  CreatedOn: "2026-01-31T12:00:00.000Z",
  EndedOn: "2026-01-31T12:00:07.000Z",
  WorkflowId: WORKFLOW_ID,
  WorkflowUrl: `http://localhost:8233/namespaces/default/workflows/${encodeURIComponent(WORKFLOW_ID)}`,
};
