import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { DELIVERY_STATES } from "../../../workflows/contract.ts";
import { FAILURES } from "../../platform/egress/index.ts";
import { BadInput, NotFound } from "../../platform/errors.ts";
import { body, contract, each } from "../../platform/http/contract.ts";
import {
  derived,
  orNull,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  time,
  uuid,
  uuidOrNone,
  word,
} from "../../platform/http/fields.ts";
import {
  countFilter,
  type Filter,
  flagFilter,
  isUuid,
  lastFilter,
  momentFilter,
  readText,
  recordIdFilter,
  type Values,
  wordFilter,
} from "../../platform/http/query.ts";
import type { ConnectionId, DeliveryId, EventId } from "../../platform/ids.ts";
import { ERASED, EVENT_TYPES, LOGGED_EVENT_TYPES, PING, PING_RECORD } from "../../records/index.ts";
import { CONNECTION } from "../connection.ts";
import { connectionFilter } from "../connection-filter.ts";

const ASKED_STATES = [...DELIVERY_STATES, "Open"] as const;
const PAST_STATES = DELIVERY_STATES.filter((state) => state !== "Pending");

/** Parses an EventId in a path. @throws NotFound */
export function toEventId(text: string): EventId {
  if (!isUuid<EventId>(text)) throw noEvent();
  return text;
}

export function noEvent(): NotFound {
  return new NotFound("There is no WebhookEvent with this EventId.");
}

export const EVENT_ID = {
  EventId: { description: "The EventId of the payload.", schema: uuid<EventId>(), read: toEventId },
};

/** Results of an attempt without response; "lost" means that its worker ended. */
const WORDS = [...FAILURES.filter((word) => word !== "unsent"), "lost"];
const REASON = new RegExp(`^([1-5]\\d\\d|${WORDS.join("|")})$`);

const reasonFilter: Filter<string | undefined> = {
  description:
    "Changes with an attempt with this result: a status, or the reason for no response. Together with State: with this last result.",
  schema: Type.String({ pattern: REASON.source, examples: ["503", "timeout", "refused"] }),
  read(query, name) {
    const given = readText(query, name);
    if (!given) return undefined;
    if (!REASON.test(given)) throw new BadInput(`${name} must be a status such as 503, or one of ${WORDS.join(", ")}.`);
    return given;
  },
};

/** @param entities names of those that can trigger a webhook */
export const eventFilters = (entities: readonly string[]) => ({
  EventRecord: wordFilter([...entities, PING_RECORD], "The entity's name."),
  RecordId: recordIdFilter(
    "Changes of the record with this Id. Bulk changes are included if the caller may read the record itself.",
  ),
  EventType: wordFilter(LOGGED_EVENT_TYPES, "The kind of change."),
  State: wordFilter(ASKED_STATES, "Changes with a delivery in this state. Open: Pending or Retrying."),
  Was: wordFilter(
    PAST_STATES,
    "Changes with a delivery that was in this state at some time, whatever happened later. Retrying: an attempt failed and was repeated.",
  ),
  Failed: flagFilter("true: changes with a failed attempt, including later successes; false: without one."),
  SentAgain: flagFilter("true: changes with a redelivered delivery; false: without one."),
  Reason: reasonFilter,
  ConnectionId: connectionFilter("Changes with a delivery to this connection."),
  Last: lastFilter("Changes in this period up to now."),
  From: momentFilter("Changes at this time or later."),
  To: momentFilter("Changes before this time."),
  OutcomeFrom: momentFilter(
    "Changes with a delivery that reached a state (with Was: that state) at this time or later. Pings are excluded.",
  ),
  OutcomeTo: momentFilter("Changes with a delivery that reached a state before this time, like OutcomeFrom."),
});

export type EventFilter = Partial<Values<ReturnType<typeof eventFilters>>>;

/** After this time the listener reconnects, and its token and policies are checked again. */
export const MAX_STREAM_SECONDS = 60;

export const streamFilters = (entities: readonly string[]) => ({
  EventRecord: wordFilter(entities, "The entity's name."),
  EventType: wordFilter([...EVENT_TYPES, ERASED], "The kind of change."),
  Seconds: countFilter(MAX_STREAM_SECONDS, `How long it stays open; default ${MAX_STREAM_SECONDS}.`),
});

export const REDELIVER = body(
  { name: "Redeliver", $id: "WebhookRedeliver" },
  {
    ConnectionId: uuidOrNone<ConnectionId>("a connection's", {
      description: "Only to this connection. Empty: to all connections of the change.",
    }),
  },
);

const AN_EVENT_ID = "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5";
const { Id: CONNECTION_ID, Name, Entities, Events } = CONNECTION.example;
const TIMESTAMP = "2026-01-31T12:00:00.000Z";
const WORKFLOW_ID = `Application/7/Created/${AN_EVENT_ID}`;

const workflow = {
  WorkflowId: derived(Type.String(), { example: WORKFLOW_ID }),
  WorkflowUrl: derived(Type.String({ format: "uri" }), {
    description: "The workflow in the Temporal UI.",
    example: `http://localhost:8233/namespaces/default/workflows/${encodeURIComponent(WORKFLOW_ID)}`,
  }),
};
const number = (minimum: number) => Type.Integer({ format: "int32", minimum });

export const DELIVERY = contract("WebhookDelivery", "", {
  Id: readOnly(uuid<DeliveryId>(), { example: "5b0cf0f4-8a39-4c43-9d0e-0d1f6d7f4b1a" }),
  ConnectionId: readOnly(uuid<ConnectionId>(), { example: CONNECTION_ID }),
  State: readOnly(word(DELIVERY_STATES), { example: "Delivered" }),
  AttemptCount: derived(number(0), { description: "In all its runs.", column: "attempts", example: 1 }),
  Run: readOnly(number(1), { description: "The current run; each redelivery starts one.", example: 1 }),
  ...workflow,
});

const event = {
  EventId: derived(uuid<EventId>(), { column: "id", example: AN_EVENT_ID }),
  EventType: readOnly(word(LOGGED_EVENT_TYPES), { example: "Created" }),
  EventRecord: readOnly(Type.String(), {
    description: `The entity's name; for a ping ${PING_RECORD}.`,
    example: "Application",
  }),
  RecordId: derived(orNull(Type.String()), {
    description: "The record's Id; null for the event of an array, whose Payload lists them.",
    example: "7",
  }),
  RecordCount: derived(number(1), { description: "The number of records.", example: 1 }),
  Timestamp: derived(time(), { example: TIMESTAMP }),
  State: derived(orNull(word(DELIVERY_STATES)), {
    description: "The most urgent state of its deliveries; null: no deliveries.",
    example: "Delivered",
  }),
  Reason: derived(orNull(Type.String()), { description: "Why there are no deliveries.", example: null }),
  ...workflow,
};

export const EVENT = contract("WebhookEvent", "", { ...event, Deliveries: each(DELIVERY, {}) });

export const ATTEMPT = contract("WebhookAttempt", "", {
  Number: readOnly(number(1), { example: 1 }),
  Run: readOnly(number(1), {
    description: "1 for the first three attempts; each redelivery starts the next.",
    example: 1,
  }),
  StartedOn: serverTime({ example: TIMESTAMP }),
  DurationMs: readOnly(Type.Unsafe<number>(orNull(Type.Integer({ format: "int32" }))), {
    description: "Milliseconds.",
    example: 41,
  }),
  StatusCode: readOnly(orNull(Type.Integer({ format: "int32" })), { description: "null: no response.", example: 200 }),
  Failure: readOnly(
    orNull(Type.String(), { examples: ["dns", "refused", "tls", "timeout", "blocked-address", null] }),
    {
      description: "Why there was no response, in one word; Response.Body has the details.",
      example: null,
    },
  ),
  Response: derived(
    orNull(
      Type.Object({
        Headers: Type.String({ description: "The head of the response." }),
        Body: Type.String({
          description:
            "Its first 4 KiB, decompressed, as text. With a Failure, its cause and its solution, such as an expired " +
            "certificate.",
        }),
      }),
    ),
    {
      description:
        "null: it could repeat the request or the connection, which the caller may not see, or it was removed with the Payload.",
      example: { Headers: "content-type: text/plain", Body: "ok" },
    },
  ),
});

const OUTCOME = Type.Object({
  State: word(DELIVERY_STATES),
  Reason: orNull(Type.String(), {
    description: "The result of the last attempt: a status, or a word such as timeout. null: delivered, or none.",
    examples: ["503", null],
  }),
  On: time("When it reached that state."),
});
type Outcome = Static<typeof OUTCOME>;
const outcome = (description: string, example: Outcome) =>
  readOnly(OUTCOME, { description, example }, ({ On, ...one }: Outcome) => ({
    ...one,
    On: new Date(On).toISOString(),
  }));

/** A delivery that a redelivery has sent. */
export const RESENT = contract("RedeliveryDelivery", "", {
  EventId: readOnly(uuid<EventId>(), { example: AN_EVENT_ID }),
  EventType: readOnly(word(LOGGED_EVENT_TYPES), { example: "Updated" }),
  EventRecord: readOnly(Type.String(), { example: "Application" }),
  RecordId: derived(orNull(Type.String()), { description: "null: a bulk change.", example: "7" }),
  Timestamp: derived(
    time(),
    { description: "The time of the event.", column: "occurredOn", example: "2026-01-31T09:12:00.000Z" },
    (on: Date) => on.toISOString(),
  ),
  DeliveryId: readOnly(uuid<DeliveryId>(), { example: DELIVERY.example.Id }),
  ConnectionId: readOnly(uuid<ConnectionId>(), { example: CONNECTION_ID }),
  Before: outcome("The delivery's state before the redelivery.", {
    State: "Exhausted",
    Reason: "503",
    On: "2026-01-31T09:13:10.000Z",
  }),
  After: outcome("The result of this redelivery, whatever happened later.", {
    State: "Delivered",
    Reason: null,
    On: "2026-01-31T12:00:01.000Z",
  }),
});
export type ResentRecord = RecordOf<typeof RESENT.field>;

const payload = <T extends TSchema>(EventType: T) => ({
  TenantId: Type.String({ description: "Tenant (organization) of the event." }),
  EventType,
  EventId: uuid("Unique identifier of the event instance."),
  Version: Type.String({
    description: "Version of the payload format. 1.1: with the connection's Fields, ChangedFields or Previous.",
    examples: ["1.0"],
  }),
  Timestamp: time("Event time, ISO 8601."),
});

const PING_PAYLOAD = Type.Object(
  {
    ...payload(word([PING])),
    EventRecord: word([PING_RECORD]),
    EventResponse: word(["Object"]),
    Data: Type.Object({
      Id: uuid(),
      Name: Type.String(),
      Entities: Type.Array(Type.String()),
      Events: Type.Array(Type.String()),
    }),
  },
  { $id: "WebhookPingPayload" },
);

const WITHHELD_PAYLOAD = Type.Object(
  { ...payload(word(LOGGED_EVENT_TYPES)), EventResponse: word(["Object", "Array"]) },
  { $id: "WebhookPayloadWithheld", additionalProperties: false },
);

const ERASED_RECORD = Type.Object(
  { Id: Type.Integer({ format: "int32" }), External_Id: Type.String() },
  { $id: "ErasedUser", additionalProperties: false },
);

const FORMER_VALUES = Type.Record(Type.String(), Type.Unknown());

export function wholeEvent(entities: readonly string[]) {
  const records = entities.map((name) => Type.Unsafe<object>({ $ref: `#/components/schemas/${name}` }));
  const changePayload = Type.Object(
    {
      ...payload(word([...EVENT_TYPES, ERASED])),
      EventRecord: word(entities, { description: "Type of record concerned." }),
      EventResponse: word(["Object", "Array"], {
        description: "Object when Data is one entity; Array when Data is several.",
      }),
      Data: Type.Union([...records, ERASED_RECORD, Type.Array(Type.Union(records))], {
        description:
          "The record as returned by the API, or all changed records of an array upsert. For an erased person, only the identifiers.",
      }),
      ChangedFields: Type.Optional(
        Type.Union([Type.Array(Type.String()), Type.Array(Type.Array(Type.String()))], {
          description:
            "Version 1.1, of an Updated: the names of the changed fields. For an array, those of each record.",
        }),
      ),
      Previous: Type.Optional(
        Type.Union([FORMER_VALUES, Type.Array(FORMER_VALUES)], {
          description: "Version 1.1, of an Updated: the former values of the changed fields.",
        }),
      ),
      Test: Type.Optional(
        Type.Literal(true, {
          description: "A test with sample data; the last field.",
        }),
      ),
    },
    { $id: "WebhookPayload" },
  );
  return contract("WebhookEventDetail", "", {
    ...event,
    Sequence: derived(orNull(Type.String(), { examples: ["7"] }), {
      description: "The webhook-sequence of its calls. null: none, for example for a ping.",
      example: "1",
    }),
    BeforeEventId: derived(orNull(uuid<EventId>()), {
      description:
        "The event of the previous change, whose Payload has the record's earlier state. null: it is the first, of " +
        "several records or none, or that event is deleted or hidden.",
      example: null,
    }),
    Payload: derived(Type.Union([changePayload, PING_PAYLOAD, WITHHELD_PAYLOAD, Type.Null()]), {
      description:
        "null: removed after PAYLOAD_RETENTION, or by the erasure of a person. The change cannot be sent again.",
      example: EXAMPLE_PAYLOAD,
    }),
    PayloadRemovedOn: serverTimeOrNull({
      description: "When Payload and the Response of each attempt were removed. null: not yet.",
      example: null,
    }),
    Withheld: derived(orNull(Type.String()), {
      description: "Why Payload has no Data: the caller may not read all its records. Otherwise null.",
      example: null,
    }),
    Deliveries: each(contract("WebhookDeliveryDetail", "", { ...DELIVERY.field, Attempts: each(ATTEMPT, {}) }), {}),
  });
}

// Documentation of the calls to receivers.

export const EXAMPLE_PING_PAYLOAD = {
  TenantId: "0197c6f0-1111-7222-8333-444455556666",
  EventType: "Ping",
  EventId: AN_EVENT_ID,
  Version: "1.0",
  Timestamp: TIMESTAMP,
  EventRecord: "WebhookConnection",
  EventResponse: "Object",
  Data: {
    Id: CONNECTION_ID,
    Name,
    Entities,
    Events,
  },
};

export const EXAMPLE_PAYLOAD = {
  TenantId: "0197c6f0-1111-7222-8333-444455556666",
  EventType: "Created",
  EventId: AN_EVENT_ID,
  Version: "1.0",
  Timestamp: TIMESTAMP,
  EventRecord: "Application",
  EventResponse: "Object",
  Data: {
    Id: "7",
    Name: "Payroll",
    ApplicationKey: "payroll",
    ExternalId: "APP-7",
    Description: "Pays people on time",
    WebSiteURL: "https://payroll.example.com",
    Is_System: false,
    Is_EndUser: true,
    Is_Active: true,
    ModifiedOn: TIMESTAMP,
    CreatedOn: TIMESTAMP,
    ModifiedBy: { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" },
    CreatedBy: { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" },
  },
};
