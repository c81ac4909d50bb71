import { Type } from "@sinclair/typebox";
import { type DeliveryState, REDELIVERY_STATES } from "../../../workflows/contract.ts";
import { body } from "../../platform/http/contract.ts";
import {
  derived,
  field,
  flag,
  type InputOf,
  type LogRow,
  moment,
  momentOrNull,
  oneOf,
  orNull,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  someOf,
  UUID,
  uuid,
  word,
} from "../../platform/http/fields.ts";
import { type Values, wordFilter } from "../../platform/http/query.ts";
import type { ConnectionId, RedeliveryId } from "../../platform/ids.ts";
import { HIDDEN_AS_NULL, record, WEBHOOK } from "../../records/index.ts";
import { connectionFilter } from "../connection-filter.ts";

/** Replay: final deliveries, on request. Drain: everything that a connection has held. */
const REDELIVERY_KINDS = ["Replay", "Drain"] as const;
export type RedeliveryKind = (typeof REDELIVERY_KINDS)[number];
export const REPLAY = {
  states: ["Delivered", "Exhausted", "Cancelled"],
  /** Deliveries per second. */
  rate: { usual: 20, max: 100 },
} as const satisfies { states: readonly DeliveryState[]; rate: object };
const WISHED_STATES = REDELIVERY_STATES.filter((state) => state !== "Completed");

const RATE = Type.Integer({ format: "int32", minimum: 1, maximum: REPLAY.rate.max });
const rate = { sent: RATE, must: `must be a whole number from 1 to ${REPLAY.rate.max}.` };
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
  States: someOf(REPLAY.states, {
    description: "Deliveries in these states.",
    documented: { default: ["Exhausted"] },
  }),
  Rate: field<number>({ ...rate, description: RATE_TEXT, documented: { default: REPLAY.rate.usual } }),
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

const ID = "0197c6f4-5b6c-7d8e-9fa0-b1c2d3e4f506";
const WORKFLOW_ID = `WebhookConnection/0197c6f1-0a1b-7c2d-8e3f-405162738495/Replay/${ID}`;

export const REDELIVERY = record("Redelivery", {
  table: "redeliveries",
  description: "",
  scopes: WEBHOOK,
  fields: {
    Id: readOnly(uuid<RedeliveryId>(), { judged: true, example: ID }),
    ConnectionId: readOnly(uuid<ConnectionId>(), { judged: true, example: "0197c6f1-90ab-7cde-8f01-23456789abcd" }),
    Kind: readOnly(word(REDELIVERY_KINDS), { judged: true, example: "Replay" }),
    From: serverTimeOrNull({
      description: "Events at this time or later; null for a Drain.",
      example: "2026-01-31T09:00:00.000Z",
    }),
    To: serverTimeOrNull({
      description: "Events before this time; null for a Drain.",
      example: "2026-01-31T12:00:00.000Z",
    }),
    States: readOnly(Type.Array(word([...REPLAY.states, "Held"])), { judged: true, example: ["Exhausted"] }),
    Rate: readOnly(RATE, { description: RATE_TEXT, judged: true, example: REPLAY.rate.usual }),
    State: readOnly(word(REDELIVERY_STATES), { judged: true, example: "Completed" }),
    Reason: derived(orNull(Type.String()), { description: "Why it sends nothing while Running.", example: null }),
    Total: readOnly(count(), { description: "The number of deliveries known so far, without Skipped.", example: 120 }),
    Skipped: readOnly(count(), {
      description:
        "Deliveries that a Replay does not send: their Payload was removed, or they were sent again singly before their turn.",
      example: 0,
    }),
    Done: readOnly(count(), {
      description: "How many have ended: Delivered, Exhausted, held or cancelled.",
      example: 120,
    }),
    Delivered: readOnly(count(), { example: 119 }),
    Exhausted: readOnly(count(), { example: 1 }),
    CreatedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
    EndedOn: serverTimeOrNull({ example: "2026-01-31T12:00:07.000Z" }),
    WorkflowId: derived(Type.String(), { example: WORKFLOW_ID }),
    WorkflowUrl: derived(Type.String({ format: "uri" }), {
      description: "The workflow in the Temporal UI.",
      example: `http://localhost:8233/namespaces/default/workflows/${encodeURIComponent(WORKFLOW_ID)}`,
    }),
  },
});
export type RedeliveryRecord = RecordOf<typeof REDELIVERY.field>;
export type StoredRedelivery = LogRow<typeof REDELIVERY.field>;

export const REDELIVERY_FILTERS = {
  ConnectionId: connectionFilter("For this connection."),
  Kind: wordFilter(REDELIVERY_KINDS, "Redeliveries of this kind."),
  State: wordFilter(REDELIVERY_STATES, "In this state."),
};
export type RedeliveryFilter = Partial<Values<typeof REDELIVERY_FILTERS>>;

export const REDELIVERY_COUNT = Type.Object(
  {
    Count: orNull(count(), { description: HIDDEN_AS_NULL }),
    Skipped: orNull(count("Deliveries whose Payload was removed."), { description: HIDDEN_AS_NULL }),
  },
  { $id: "RedeliveryCount" },
);
