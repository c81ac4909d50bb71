import { DELIVERY_STATES } from "../../workflows/contract.ts";
import {
  API_KEY_LIMIT,
  CONNECTION_STATES,
  CONNECTION_DESCRIPTION_LIMIT as DESCRIPTION_LIMIT,
  EVENT_TYPES,
  HEADERS_LIMIT,
  LEAST_TIMEOUT_MS,
  LOGGED_EVENT_TYPES,
  MOST_HEADERS,
  MOST_TIMEOUT_MS,
  NAME_LIMIT,
  PING,
  PING_RECORD,
  SECRET_LIMIT,
  URL_LIMIT,
  WHY_OUTCOMES,
} from "../webhooks/index.ts";
import { type Schema, schemaRef } from "./types.ts";

const UUID: Schema = { type: "string", format: "uuid" };
const TIME: Schema = { type: "string", format: "date-time" };
const UUID_OR_EMPTY = "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$";
const NUL_FREE = "^[^\\u0000]*$";

/** @param names of the entities that can trigger a webhook */
export function webhookSchemas(names: string[]): Record<string, Schema> {
  const fields = {
    URL: {
      type: "string",
      format: "uri",
      maxLength: URL_LIMIT,
      description:
        "The receiver's address. It must be https, and public unless EGRESS_ALLOW names it. At another host or port, " +
        "Secret, ApiKey and the values of Headers have to be sent again.",
    },
    Entities: {
      type: "array",
      minItems: 1,
      items: { type: "string", enum: names },
      description: "Entities whose change triggers a call.",
    },
    Events: {
      type: "array",
      minItems: 1,
      items: { type: "string", enum: EVENT_TYPES },
      description: "Kinds of change that trigger a call.",
    },
    ApiKey: {
      type: "string",
      minLength: 1,
      maxLength: API_KEY_LIMIT,
      pattern: "^[\\x21-\\x7e]+$",
      description:
        "Sent in the query of each call, to tell where it comes from. That of the URL, if it has one; another one " +
        "beside it is refused.",
    },
    TimeoutMs: {
      type: ["integer", "null"],
      format: "int32",
      minimum: LEAST_TIMEOUT_MS,
      maximum: MOST_TIMEOUT_MS,
      description: "Milliseconds that one attempt may take; null: as WEBHOOK_TIMEOUT says.",
    },
  };
  return {
    WebhookConnectionData: {
      type: "object",
      description: "Absent fields are left alone.",
      properties: {
        Id: {
          type: ["string", "null"],
          description: "Empty: the connection is found by its Name, or is new.",
          pattern: UUID_OR_EMPTY,
        },
        Name: {
          type: ["string", "null"],
          maxLength: NAME_LIMIT,
          pattern: NUL_FREE,
          description: "Unique, if there is one.",
        },
        Description: { type: ["string", "null"], maxLength: DESCRIPTION_LIMIT, pattern: NUL_FREE },
        ...fields,
        Headers: {
          type: ["object", "null"],
          maxProperties: MOST_HEADERS,
          additionalProperties: { type: ["string", "null"] },
          description:
            `Headers that each call has beside ours, all of them, with ${HEADERS_LIMIT} characters at most. A value of ` +
            "null keeps the one that is there.",
        },
        Secret: {
          type: ["string", "null"],
          maxLength: SECRET_LIMIT,
          pattern: NUL_FREE,
          writeOnly: true,
          description:
            "Signs the calls from now on; null: they are no longer signed. After `whsec_` the base64 of 24 to 64 bytes " +
            "must follow. It ends a rotation; to change it without a failed call, stage it.",
        },
        State: {
          type: "string",
          enum: CONNECTION_STATES,
          description:
            "Paused: deliveries are recorded as Held. Active: what was missed is sent. Held is taken only of a " +
            "connection that is Held.",
        },
        HeldOn: { type: ["string", "null"], readOnly: true, description: "Taken only as it was read." },
        HeldReason: { type: ["string", "null"], readOnly: true, description: "Taken only as it was read." },
      },
      additionalProperties: false,
    },
    WebhookConnection: object({
      Id: UUID,
      Name: { type: "string", default: "" },
      Description: { type: "string", default: "" },
      ...fields,
      Headers: {
        type: "object",
        additionalProperties: { type: "null" },
        description: "Names of the extra headers; their values are never read back.",
      },
      State: {
        type: "string",
        enum: CONNECTION_STATES,
        description:
          "Held: too many deliveries in a row were exhausted, or the receiver has answered 410. It is probed by the " +
          "oldest delivery it has not got, and Active again once that arrives.",
      },
      HeldOn: { type: ["string", "null"], format: "date-time", description: "Since when it is Held." },
      HeldReason: { type: ["string", "null"], description: "Why it is Held.", examples: ["410 Gone"] },
    }),
    WebhookPinged: object({
      EventId: { ...UUID, description: "What comes of it stands in the activity log by this id." },
      WorkflowId: { type: "string" },
      WorkflowUrl: { type: "string", format: "uri", description: "The workflow in the Temporal UI." },
    }),
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
    WebhookWhy: object({
      ConnectionId: UUID,
      ConnectionName: { type: "string" },
      Outcome: {
        type: "string",
        enum: WHY_OUTCOMES,
        description:
          "The delivery's State, or why there is none. NotConcerned: a ping goes to one connection alone. " +
          "NotRecorded: it was before connections' changes were written down.",
      },
      Reason: { type: "string", description: "In words, for people." },
      DeliveryId: { type: ["string", "null"], format: "uuid" },
    }),
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
export function object(properties: Record<string, Schema>): Schema {
  return { type: "object", required: Object.keys(properties), properties };
}
