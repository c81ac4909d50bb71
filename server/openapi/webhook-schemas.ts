import { DELIVERY_STATES } from "../../workflows/contract.ts";
import { EVENT_TYPES, LOGGED_EVENT_TYPES, PING, PING_RECORD } from "../webhooks/index.ts";
import { type Schema, schemaRef } from "./types.ts";

const UUID: Schema = { type: "string", format: "uuid" };
const TIME: Schema = { type: "string", format: "date-time" };
const UUID_OR_EMPTY = "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$";

/** @param names of the entities that can trigger a webhook */
export function webhookSchemas(names: string[]): Record<string, Schema> {
  return {
    WebhookEvent: object({ ...EVENT, Deliveries: { type: "array", items: schemaRef("WebhookDelivery") } }),
    WebhookEventDetail: object({
      ...EVENT,
      Sequence: {
        type: ["string", "null"],
        description: "The webhook-sequence of its calls. null: they have none, as those of a ping.",
        examples: ["7"],
      },
      Payload: {
        anyOf: [schemaRef("WebhookPayload"), schemaRef("WebhookPingPayload"), schemaRef("WebhookPayloadWithheld")],
      },
      Withheld: {
        type: ["string", "null"],
        description: "Why Payload has no Data: no policy lets the caller read all records in it. Else null.",
      },
      Deliveries: { type: "array", items: schemaRef("WebhookDeliveryDetail") },
    }),
    WebhookRedeliver: {
      type: "object",
      properties: {
        ConnectionId: {
          type: ["string", "null"],
          pattern: UUID_OR_EMPTY,
          description: "To this connection alone. Empty: to all that the change went to.",
        },
      },
      additionalProperties: false,
    },
    WebhookDelivery: object(DELIVERY),
    WebhookDeliveryDetail: object({ ...DELIVERY, Attempts: { type: "array", items: schemaRef("WebhookAttempt") } }),
    WebhookAttempt: object({
      Number: { type: "integer", format: "int32", minimum: 1 },
      Run: {
        type: "integer",
        format: "int32",
        minimum: 1,
        description: "1 for the first three attempts; each redelivery begins the next.",
      },
      StartedOn: TIME,
      DurationMs: { type: ["integer", "null"], format: "int32", description: "Milliseconds." },
      StatusCode: { type: ["integer", "null"], format: "int32", description: "null: there was no answer." },
      Failure: {
        type: ["string", "null"],
        description: "Why there was no answer, in a word.",
        examples: ["dns", "refused", "tls", "timeout", "blocked-address", null],
      },
      Response: {
        ...object({
          Headers: { type: "string", description: "The head of the answer." },
          Body: { type: "string", description: "Its first 4 KiB." },
        }),
        type: ["object", "null"],
        description: "null: it may repeat what was sent, which the caller may not see; or what its connection is.",
      },
    }),
    WebhookPayloadWithheld: {
      ...object({
        ...PAYLOAD,
        EventType: { type: "string", enum: LOGGED_EVENT_TYPES },
        EventResponse: { type: "string", enum: ["Object", "Array"] },
      }),
      additionalProperties: false,
    },
    WebhookPingPayload: object({
      ...PAYLOAD,
      EventType: { type: "string", enum: [PING] },
      EventRecord: { type: "string", enum: [PING_RECORD] },
      EventResponse: { type: "string", enum: ["Object"] },
      Data: object({
        Id: UUID,
        Name: { type: "string" },
        Entities: { type: "array", items: { type: "string" } },
        Events: { type: "array", items: { type: "string" } },
      }),
    }),
    WebhookPayload: object({
      ...PAYLOAD,
      EventType: { type: "string", enum: EVENT_TYPES },
      EventRecord: { type: "string", enum: names, description: "Type of record concerned." },
      EventResponse: {
        type: "string",
        enum: ["Object", "Array"],
        description: "Object when Data is one entity; Array when Data is several.",
      },
      Data: {
        description: "The record as the API shows it, or of an array upsert all that were changed.",
        anyOf: [...names.map(schemaRef), { type: "array", items: { anyOf: names.map(schemaRef) } }],
      },
    }),
  };
}

const PAYLOAD: Record<string, Schema> = {
  TenantId: { type: "string", description: "Tenant (organization) of the event." },
  EventType: {},
  EventId: { ...UUID, description: "Unique identifier of the event instance." },
  Version: { type: "string", description: "Version of the payload format.", examples: ["1.0"] },
  Timestamp: { ...TIME, description: "Event time, ISO 8601." },
};

const EVENT: Record<string, Schema> = {
  EventId: UUID,
  EventType: { type: "string", enum: LOGGED_EVENT_TYPES },
  EventRecord: { type: "string", description: `The entity's name; of a ping ${PING_RECORD}.` },
  RecordId: {
    type: ["string", "null"],
    description: "The record's Id; null for the event of an array, whose Payload has them all.",
  },
  RecordCount: { type: "integer", format: "int32", minimum: 1, description: "How many records it is of." },
  Timestamp: TIME,
  State: {
    type: ["string", "null"],
    enum: [...DELIVERY_STATES, null],
    description: "Of its deliveries the most urgent state; null: there is none.",
  },
  Reason: { type: ["string", "null"], description: "Why nobody is told." },
  WorkflowId: { type: "string" },
  WorkflowUrl: { type: "string", format: "uri", description: "The workflow in the Temporal UI." },
};

const DELIVERY: Record<string, Schema> = {
  Id: UUID,
  ConnectionId: UUID,
  State: { type: "string", enum: DELIVERY_STATES },
  AttemptCount: { type: "integer", format: "int32", minimum: 0, description: "Of all its runs." },
  WorkflowId: { type: "string" },
  WorkflowUrl: { type: "string", format: "uri", description: "The workflow in the Temporal UI." },
};

/** An answer's object: every property is there. */
function object(properties: Record<string, Schema>): Schema {
  return { type: "object", required: Object.keys(properties), properties };
}
