// Bulk redeliveries of a webhook connection.

import { REDELIVERY_STATES } from "../../workflows/contract.ts";
import { API_PATH } from "../http/paths.ts";
import {
  DEFAULT_RATE,
  DRAIN_RATE,
  MOST_RATE,
  REDELIVERY_KINDS,
  REPLAYED_STATES,
  WISHED_STATES,
} from "../webhooks/index.ts";
import { json, jsonBody, operation, pageOf } from "./operation.ts";
import { parameterRef } from "./parameters.ts";
import { type Area, type Parameter, type Schema, schemaRef } from "./types.ts";

const TAG = "Redelivery";
const PATH = `${API_PATH}/Redelivery`;
const UUID: Schema = { type: "string", format: "uuid" };
const TIME: Schema = { type: "string", format: "date-time" };
const TIME_OR_NULL: Schema = { ...TIME, type: ["string", "null"] };
const COUNT: Schema = { type: "integer", format: "int32", minimum: 0 };
const RATE: Schema = { type: "integer", format: "int32", minimum: 1, maximum: MOST_RATE };
const ID: Parameter = { name: "Id", in: "path", required: true, description: "The redelivery's Id.", schema: UUID };

export function redeliveries(): Area {
  return {
    tags: [
      {
        name: TAG,
        description:
          "A connection's deliveries, sent again one after the other in the order of their events, and followed by " +
          "their counts. A Replay is of those that have ended; a Drain is of all that a connection has missed, and " +
          `begins by itself, ${DRAIN_RATE} a second, when the connection takes posts again.`,
      },
    ],
    paths: {
      [PATH]: { get: list(), post: create() },
      [`${PATH}/{Id}`]: {
        get: operation({
          id: "getRedelivery",
          tag: TAG,
          summary: "Read one redelivery and how far it has come",
          scopes: ["Webhooks:Read"],
          parameters: [ID],
          answers: { 200: json("The redelivery.", schemaRef(TAG), EXAMPLE) },
          errors: ["NotFound"],
        }),
        patch: change(),
      },
    },
    schemas: { Redelivery: RECORD, RedeliveryData: DATA, RedeliveryChange: CHANGE, RedeliveryCount: COUNTED },
  };
}

function list() {
  return operation({
    id: "listRedelivery",
    tag: TAG,
    summary: "List redeliveries",
    description: "The newest first.",
    scopes: ["Webhooks:Read"],
    parameters: [
      parameterRef("Limit"),
      parameterRef("Cursor"),
      filter("ConnectionId", "Of this connection.", UUID),
      filter("Kind", "Of this kind.", { type: "string", enum: REDELIVERY_KINDS }),
      filter("State", "In this state.", { type: "string", enum: REDELIVERY_STATES }),
    ],
    answers: { 200: json("A page of redeliveries.", pageOf(schemaRef(TAG)), { Items: [EXAMPLE], Next: null }) },
    errors: ["BadInput", "ServiceBusy"],
  });
}

function create() {
  const { ConnectionId, From, States, Rate } = EXAMPLE;
  return operation({
    id: "createRedelivery",
    tag: TAG,
    summary: "Send many deliveries of a connection again",
    description:
      "Ask with DryRun first: it answers how many there are, and starts nothing. While a connection has a Replay that " +
      "has not ended, another one is 409. Each delivery gets all its attempts again.",
    scopes: ["Webhooks:Create"],
    requestBody: jsonBody("Which deliveries.", schemaRef("RedeliveryData"), {
      count: { ConnectionId, From, DryRun: true },
      failed: { ConnectionId, From, Rate },
      all: { ConnectionId, From, To: EXAMPLE.To, States: REPLAYED_STATES },
    }),
    answers: {
      200: json(
        "The redelivery, or with DryRun the count.",
        { anyOf: [schemaRef(TAG), schemaRef("RedeliveryCount")] },
        { ...EXAMPLE, States, State: "Running", Done: 0, Delivered: 0, Exhausted: 0, EndedOn: null },
      ),
    },
    errors: ["BadInput", "NotFound", "Conflict"],
  });
}

function change() {
  return operation({
    id: "changeRedelivery",
    tag: TAG,
    summary: "Pause, resume or cancel a redelivery, or change its rate",
    description:
      "What it has put on its way goes on. A Drain that is cancelled leaves the rest Held and its connection Paused.",
    scopes: ["Webhooks:Update"],
    parameters: [ID],
    requestBody: jsonBody("What is to change.", schemaRef("RedeliveryChange"), {
      pause: { State: "Paused" },
      faster: { Rate: MOST_RATE },
    }),
    answers: { 200: json("The redelivery.", schemaRef(TAG), EXAMPLE) },
    errors: ["BadInput", "NotFound", "Conflict"],
  });
}

function filter(name: string, description: string, schema: Schema): Parameter {
  return { name, in: "query", description, allowEmptyValue: true, schema };
}

const ID_TEXT = "0197c6f4-5b6c-7d8e-9fa0-b1c2d3e4f506";

const EXAMPLE = {
  Id: ID_TEXT,
  ConnectionId: "0197c6f1-90ab-7cde-8f01-23456789abcd",
  Kind: "Replay",
  From: "2026-01-31T09:00:00.000Z",
  To: "2026-01-31T12:00:00.000Z",
  States: ["Exhausted"],
  Rate: DEFAULT_RATE,
  State: "Completed",
  Reason: null,
  Total: 120,
  Done: 120,
  Delivered: 119,
  Exhausted: 1,
  CreatedOn: "2026-01-31T12:00:00.000Z",
  EndedOn: "2026-01-31T12:00:07.000Z",
  WorkflowId: `redeliver/${ID_TEXT}`,
  WorkflowUrl: `http://localhost:8233/namespaces/default/workflows/redeliver%2F${ID_TEXT}`,
};

const RECORD: Schema = {
  type: "object",
  required: Object.keys(EXAMPLE),
  properties: {
    Id: UUID,
    ConnectionId: UUID,
    Kind: { type: "string", enum: REDELIVERY_KINDS },
    From: { ...TIME_OR_NULL, description: "Of events at this time or later; null: of a Drain." },
    To: { ...TIME_OR_NULL, description: "Of events before this time; null: of a Drain." },
    States: { type: "array", items: { type: "string", enum: [...REPLAYED_STATES, "Held"] } },
    Rate: { ...RATE, description: "Deliveries a second, at most." },
    State: { type: "string", enum: REDELIVERY_STATES },
    Reason: { type: ["string", "null"], description: "Why it sends nothing though it is Running." },
    Total: { ...COUNT, description: "How many deliveries there are, as far as is known by now." },
    Done: {
      ...COUNT,
      description: "How many have ended: Delivered, Exhausted, and what was held or cancelled meanwhile.",
    },
    Delivered: COUNT,
    Exhausted: COUNT,
    CreatedOn: TIME,
    EndedOn: TIME_OR_NULL,
    WorkflowId: { type: "string" },
    WorkflowUrl: { type: "string", format: "uri", description: "The workflow in the Temporal UI." },
  },
};

const DATA: Schema = {
  type: "object",
  required: ["ConnectionId", "From"],
  properties: {
    ConnectionId: UUID,
    From: { type: "string", description: "Of events at this time or later: a date, or a time with its offset." },
    To: { type: ["string", "null"], description: "Of events before this time; null: until now." },
    States: {
      type: "array",
      minItems: 1,
      items: { type: "string", enum: REPLAYED_STATES },
      default: ["Exhausted"],
      description: "Deliveries in these states.",
    },
    Rate: { ...RATE, default: DEFAULT_RATE, description: "Deliveries a second, at most." },
    DryRun: { type: "boolean", default: false, description: "Only count them." },
  },
  additionalProperties: false,
};

const CHANGE: Schema = {
  type: "object",
  properties: { State: { type: "string", enum: WISHED_STATES }, Rate: RATE },
  additionalProperties: false,
};

const COUNTED_OR_NOT: Schema = {
  ...COUNT,
  type: ["integer", "null"],
  description: "null: not told to who may not read every event.",
};

const COUNTED: Schema = { type: "object", required: ["Count"], properties: { Count: COUNTED_OR_NOT } };
