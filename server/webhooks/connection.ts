// The declaration of WebhookConnection. Routes, validation, the console's form, policies, the audit log and documents
// derive from it.

import { Type } from "@sinclair/typebox";
import {
  type FieldOptions,
  field,
  flag,
  type InputOf,
  integer,
  NUL_FREE,
  oneOf,
  orNull,
  type RecordOf,
  type RowOf,
  readOnly,
  serverTimeOrNull,
  someOf,
  title,
  uuidOrNone,
} from "../platform/http/fields.ts";
import type { ConnectionId } from "../platform/ids.ts";
import { ERASED, EVENT_TYPES, outbox, record, WEBHOOK } from "../records/index.ts";
import { HEADERS_LIMIT, type HeadersInput, headersProblem, isHidden, MAX_HEADERS, ownApiKeys } from "./secrets.ts";
import { secretProblem } from "./signature.ts";

export const CONNECTION_STATES = ["Active", "Held", "Paused"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** Record: deliveries of the same record are sent one at a time, in commit order. */
const ORDERS = ["None", "Record"] as const;

const KINDS = ["Push", "Pull"] as const;

const COMPRESSIONS = ["None", "Gzip"] as const;

const SECRET_LIMIT = 500;
/** Limits of the timeout; other connections' posts may wait for it. */
const TIMEOUT_MS = { min: 100, max: 30_000 };
const MAX_RATE_PER_SECOND = 1_000;
const MAX_IN_FLIGHT = 64;
const MAX_HOLD_AFTER = 1_000;
const URL_LIMIT = 2_000;
const API_KEY_LIMIT = 200;
const MAX_FIELDS = 100;
const FIELD_NAMES = Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: "^\\w+$" }), {
  maxItems: MAX_FIELDS,
});
const VISIBLE_ASCII = "^[\\x21-\\x7e]+$";

interface ConnectionFacts {
  entities: readonly string[];
  /** @returns why a receiver's address is rejected */
  checkUrl(url: string): string | undefined;
}

const fields = ({ entities, checkUrl }: ConnectionFacts) => ({
  Id: uuidOrNone<ConnectionId>("a connection's", {
    description: "Empty: the connection is found by its Name, or is new.",
    answered: "",
    judged: true,
    example: "0197c6f1-90ab-7cde-8f01-23456789abcd",
  }),
  Name: title(200, {
    description: "Unique if set.",
    unique: true,
    audit: "name",
    judged: true,
    form: { label: "Name", hint: "The connection's name." },
    example: "payroll changes",
  }),
  Description: title(1_000, {
    audit: "name",
    judged: true,
    form: { label: "Description", rows: 2 },
    example: "Requested by the payroll team",
  }),
  Kind: oneOf(KINDS, {
    description:
      "Push: events are posted to the URL. Pull: it has no URL, and a consumer asks for the events. It cannot be changed.",
    audit: "value",
    form: {
      label: "Kind",
      hint: "Push: events are posted to the URL. Pull: a consumer asks for them; the connection has a Name, and no URL.",
      hintOfChange: "It cannot be changed.",
    },
    example: "Push",
  }),
  URL: field({
    description:
      "The receiver's address, which Kind Push needs; empty with Kind Pull. It must be https, and public unless " +
      "EGRESS_ALLOW names it. If the host or port changes, Secret, ApiKey and the values of Headers must be sent again.",
    answered: "Callers that may not change the connection see `…` and the last four characters of each query value.",
    sent: Type.String({ maxLength: URL_LIMIT, pattern: NUL_FREE }),
    shown: Type.String({ maxLength: URL_LIMIT }),
    blank: "",
    must: `must be an https address of at most ${URL_LIMIT} characters.`,
    // Pasted addresses often contain spaces.
    take: (value: string) => value.trim(),
    refuse(value: string) {
      if (value.trim() === "") return undefined;
      const problem = isHidden(value)
        ? "It was returned without the values in its query. Send it complete, or omit it."
        : (checkUrl(value.trim()) ?? ownApiKeyProblem(value.trim()));
      return problem && `URL: ${problem}`;
    },
    show: String,
    audit: "name",
    judged: true,
    form: {
      label: "URL Endpoint",
      type: "url",
      isDependent: true,
      hint: "Receives the events: an https address that answers 200 OK promptly.",
      hintOfChange:
        "Receives the events: an https address that answers 200 OK promptly. If the host or port changes, enter " +
        "the Secret, the ApiKey and the values of extra headers again.",
    },
    example: "https://hooks.example.com/gatehouse",
  }),
  Entities: someOf(entities, {
    description:
      "Entities whose change triggers a call. Alert: an alert is raised, acknowledged or ended. AuditEvent: an entry of the audit log is written; needs Settings:Read.",
    required: true,
    audit: "value",
    judged: true,
    form: {
      label: "Entities",
      hint: "A change of one of these is sent. Alert: one is raised (Created), acknowledged (Updated) or ended (Deleted). AuditEvent: an entry of the audit log (Created).",
    },
    example: ["Application"],
  }),
  Events: someOf<string>([...EVENT_TYPES, ERASED], {
    description: "Kinds of change that trigger a call. Erased: a person was erased.",
    required: true,
    audit: "value",
    judged: true,
    form: { label: "Events", hint: "Only these kinds of change. Erased: a person was erased." },
    example: [...EVENT_TYPES],
  }),
  Filter: filterField({
    description:
      "A Cedar expression, as within `when { }`: only changes for which it is true are sent. `resource` is the record " +
      "after the change, or the last state of a deleted one; `context.event` is the kind of change, `context.changed` " +
      "the names of the changed fields, `context.before` an updated record before. null: all changes are sent.",
    example: null,
  }),
  Fields: field<string[] | null, string[] | null>({
    description:
      'The fields in Data, beside Id. null: all. `["Id"]`: Data has the Id alone, and the receiver reads the record. With ' +
      "it, Version is 1.1.",
    sent: orNull(FIELD_NAMES),
    shown: orNull(FIELD_NAMES),
    must: `must be a list of at most ${MAX_FIELDS} field names, or null.`,
    take: (value: string[] | null) => (value && value.length > 0 ? value : null),
    audit: "value",
    form: {
      label: "Only these fields",
      rows: 3,
      hint: "One per line; Id is always sent. Empty: all fields. Only Id: the receiver reads the record by the API.",
    },
    example: null,
  }),
  ChangedFields: flag({
    description: "Whether an Updated has the names of the changed fields, as ChangedFields. With it, Version is 1.1.",
    audit: "value",
    form: { label: "List the changed fields", hint: "An Updated has them as ChangedFields." },
    example: false,
  }),
  Previous: flag({
    description:
      "Whether an Updated has the former values of the changed fields, as Previous. With it, Version is 1.1.",
    audit: "value",
    form: { label: "Former values of changed fields", hint: "An Updated has them as Previous." },
    example: false,
  }),
  Secret: field<string | null>({
    description:
      "Signs the calls at once; null: calls are not signed. `whsec_` and the base64 of 24 to 64 bytes, as libraries of " +
      "Standard Webhooks need it; any other text is the key as it is. Setting it ends a rotation; stage a secret to " +
      "change it without failed calls.",
    ...secretField(),
    audit: "name",
    form: {
      label: "Secret",
      type: "password",
      hint:
        "Signs each payload; the receiver needs the same one. Empty: one for libraries of Standard Webhooks (whsec_…) is " +
        "generated, and shown once.",
      hintOfChange:
        "Signs each payload. It is not shown again; the receiver needs the same one. Empty: unchanged. A secret " +
        "replaced here is in force at once.",
    },
  }),
  SignByKey: flag({
    description:
      "Whether calls have a JWT as `Authorization: Bearer`, signed by a key of the service, so the receiver stores no " +
      "secret.",
    audit: "value",
    form: {
      label: "Sign by our key",
      hint: "Calls have a JWT that the receiver verifies by the service's public keys. It stores no secret.",
    },
    example: false,
  }),
  ApiKey: field({
    description:
      "Sent in the query of each call to authenticate it. If the URL contains one, that is used; a different one " +
      "is rejected.",
    answered:
      "Callers that may not change the connection see `…` and its last four characters; for one shorter than 12, " +
      "`…` alone.",
    sent: Type.String({ minLength: 1, maxLength: API_KEY_LIMIT, pattern: VISIBLE_ASCII }),
    shown: Type.String({ minLength: 1, maxLength: API_KEY_LIMIT }),
    must: `must be ${API_KEY_SHAPE}.`,
    take: String,
    show: String,
    audit: "name",
    form: {
      label: "ApiKey",
      type: "password",
      hint: "Sent in the query of each call, so the receiver can authenticate it. Empty: generated.",
      hintOfChange: "Sent in the query of each call, so the receiver can authenticate it. Empty: unchanged.",
    },
    example: "q2Zt7mX0c1vYbN4s",
  }),
  Headers: field({
    description:
      `Additional headers of each call, the complete list, with ${HEADERS_LIMIT} characters at most. A value of ` +
      "null keeps the current one.",
    answered: "Names of the extra headers; their values are never returned.",
    sent: orNull(Type.Record(Type.String(), orNull(Type.String()), { maxProperties: MAX_HEADERS })),
    checked: orNull(Type.Record(Type.String(), Type.Unknown())),
    shown: Type.Record(Type.String(), Type.Null()),
    must: "must be an object of names and values, or null.",
    take: (value: HeadersInput | null): HeadersInput => value ?? {},
    blank: null,
    refuse: (value: HeadersInput | null) => headersProblem(value ?? {}),
    show: (stored: unknown) => stored as Record<string, null>,
    audit: "name",
    form: {
      label: "Extra headers",
      rows: 3,
      hint: "Sent with each call. One per line, as Name: value.",
      hintOfChange:
        "Sent with each call. One per line, as Name: value. Values are not shown; a line without a value keeps it, and " +
        "removing a line removes the header.",
    },
    example: { Authorization: null },
  }),
  Compression: oneOf(COMPRESSIONS, {
    description: "Gzip: the body is compressed, with `Content-Encoding: gzip`. Signatures cover the JSON before it.",
    audit: "value",
    form: { label: "Compression", hint: "Gzip: the body is compressed. Signatures cover the JSON." },
    example: "None",
  }),
  TimeoutMs: integer(TIMEOUT_MS.min, TIMEOUT_MS.max, "milliseconds", {
    description: "Time limit of an attempt in milliseconds; null: WEBHOOK_TIMEOUT.",
    audit: "value",
    form: {
      label: "Time limit in milliseconds",
      hint: "The receiver's time to respond. Empty: the default.",
    },
    example: null,
  }),
  Order: oneOf(ORDERS, {
    description:
      "Record: each record has one delivery at a time in flight or waiting for a retry, in the order of its changes. " +
      "After an exhausted one the next is sent. None: order is not guaranteed.",
    audit: "value",
    judged: true,
    form: {
      label: "Order",
      hint: "Record: one call at a time for each record, in the order of its changes. None: order is not guaranteed.",
    },
    example: "None",
  }),
  RatePerSecond: integer(1, MAX_RATE_PER_SECOND, "posts", {
    description: "Posts that may start per second; null: no limit.",
    audit: "value",
    form: { label: "Calls a second, at most", hint: "Empty: no limit." },
    example: null,
  }),
  MaxInFlight: integer(1, MAX_IN_FLIGHT, "posts", {
    description: "Posts that may be in flight at a time; null: as many as the receiver keeps up with.",
    audit: "value",
    form: {
      label: "Calls in flight, at most",
      hint: "Calls that wait for a response at the same time. Empty: as many as the receiver keeps up with.",
    },
    example: null,
  }),
  HoldAfter: integer(1, MAX_HOLD_AFTER, "deliveries", {
    description:
      "Consecutive exhausted deliveries after which it is Held. 1: after the first one, all later ones wait. null: " +
      "WEBHOOK_HOLD_AFTER.",
    audit: "value",
    form: {
      label: "Hold after this many consecutive failures",
      hint: "1: after the first exhausted delivery, all later ones wait. Empty: the default.",
    },
    example: null,
  }),
  State: {
    ...oneOf(CONNECTION_STATES, {
      description:
        "Paused: deliveries are recorded as Held. Active: missed deliveries are sent. Held is accepted only for a " +
        "connection that is Held.",
      answered:
        "Held: too many consecutive deliveries were exhausted, or the receiver answered 410. It is probed with the " +
        "oldest missed delivery, and Active again once that succeeds.",
      blank: "Active",
      audit: "value",
      judged: true,
      example: "Active",
    }),
    must: "must be Active or Paused.",
  },
  HeldOn: serverTimeOrNull({ description: "Since when it is Held. Accepted only unchanged.", example: null }),
  HeldReason: readOnly(orNull(Type.String({ examples: ["410 Gone"] })), {
    description: "Why it is Held. Accepted only unchanged.",
    example: null,
  }),
});

const API_KEY_SHAPE = `1 to ${API_KEY_LIMIT} visible ASCII characters`;

const { FILTER_LIMIT } = outbox;

/** Also used for a filter that is only tried. */
export function filterField(options: Pick<FieldOptions, "description" | "example" | "required">) {
  const text = Type.String({ maxLength: FILTER_LIMIT, pattern: NUL_FREE });
  return field<string | null, string | null>({
    ...options,
    maxLength: FILTER_LIMIT,
    sent: orNull(text),
    shown: orNull(text),
    must: `must be a Cedar expression of at most ${FILTER_LIMIT} characters, or null.`,
    take: (value: string | null) => value?.replaceAll("\r\n", "\n").trim() || null,
    audit: "name",
  });
}

/** Also used for the secret that a rotation stages. */
export function secretField(min?: number) {
  return {
    writeOnly: true,
    sent: orNull(Type.String({ ...(min && { minLength: min }), maxLength: SECRET_LIMIT, pattern: NUL_FREE })),
    must: `must be a string of at most ${SECRET_LIMIT} characters, or null.`,
    take: (value: string | null) => value || null,
    refuse(value: string | null) {
      const problem = value ? secretProblem(value) : undefined;
      return problem && `Secret ${problem}`;
    },
  };
}

function ownApiKeyProblem(url: string): string | undefined {
  const keys = ownApiKeys(url);
  if (keys.length > 1) return "It has several ApiKey parameters, and they differ.";
  const isSound = keys.every((key) => key.length <= API_KEY_LIMIT && new RegExp(VISIBLE_ASCII).test(key));
  return isSound ? undefined : `Its ApiKey must be ${API_KEY_SHAPE}.`;
}

export const connectionContract = (facts: ConnectionFacts) =>
  record("WebhookConnection", {
    table: "webhook_connections",
    nouns: ["webhook connection", "webhook connections"],
    description: "A receiver, and the changes sent to it.",
    scopes: WEBHOOK,
    audit: "WebhookConnection",
    fields: fields(facts),
    texts: {
      group: "Receivers, and the changes sent to each.",
      save:
        "Updates the connection with this Id, or without an Id the one with this Name; otherwise creates one, which needs URL (but with Kind " +
        "Pull), Entities and Events. An ApiKey is generated unless it is given.",
      remove: "Waiting deliveries are cancelled.",
    },
  });

export type ConnectionContract = ReturnType<typeof connectionContract>;

/** The contract without the installation's entities and address checks. */
export const CONNECTION = connectionContract({ entities: [], checkUrl: () => undefined });

export type ConnectionRow = RowOf<ReturnType<typeof fields>>;
export type ConnectionInput = InputOf<ReturnType<typeof fields>>;
/** Contains neither the secret nor header values. */
export type ConnectionRecord = RecordOf<ReturnType<typeof fields>>;
