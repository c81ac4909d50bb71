// The kinds of events, each with a JSON Schema (2020-12) of its payload and an example, made from the declared records.

import type { TSchema } from "@sinclair/typebox";
import {
  type AttributeDefinition,
  AUDIT_RECORD,
  ERASED,
  EVENT_TYPES,
  FOREIGN_KEY_SCHEMAS,
} from "../../records/index.ts";
import { EXAMPLE_PAYLOAD } from "../log/contract.ts";

/** A kind of record that has events. */
export interface EventSubject {
  name: string;
  record: TSchema;
  example: object;
}

export interface EventKind {
  EventRecord: string;
  EventType: string;
  Schema: Schema;
  Example: object;
}

type Schema = Record<string, unknown>;

const ATTRIBUTES = "Attributes";
const TYPES = {
  Text: { type: "string" },
  Number: { type: "number" },
  Boolean: { type: "boolean" },
  Texts: { type: "array", items: { type: "string" } },
} as const satisfies Record<AttributeDefinition["Type"], Schema>;
const ERASED_DATA = {
  type: "object",
  required: ["Id", "External_Id"],
  properties: { Id: { type: "integer" }, External_Id: { type: "string" } },
};
const PERSON = "User";
/** The types of an audit entry's subjects are known only at run time. */
const NO_WORDS = '{"not":{}}';

/** @param attributes of the tenant's Users */
export function eventKinds(subjects: readonly EventSubject[], attributes: readonly AttributeDefinition[]): EventKind[] {
  return subjects.flatMap((subject) =>
    eventTypesOf(subject).map((EventType) => ({
      EventRecord: subject.name,
      EventType,
      Schema: schemaOf(subject, EventType, attributes),
      Example: exampleOf(subject, EventType),
    })),
  );
}

function eventTypesOf({ name }: EventSubject): readonly string[] {
  if (name === AUDIT_RECORD) return ["Created"];
  return name === PERSON ? [...EVENT_TYPES, ERASED] : EVENT_TYPES;
}

function exampleOf({ name, example }: EventSubject, EventType: string): object {
  const { Id, External_Id } = example as Schema;
  const Data = EventType === ERASED ? { Id, External_Id } : example;
  return { ...EXAMPLE_PAYLOAD, EventType, EventRecord: name, Data };
}

function schemaOf({ name, record }: EventSubject, eventType: string, attributes: readonly AttributeDefinition[]) {
  const one = { $ref: "#/$defs/Record" };
  // An erasure also makes a Deleted.
  const data = eventType === "Deleted" && name === PERSON ? [one, ERASED_DATA] : [one];
  const names = { type: "array", items: { type: "string" } };
  const former = { type: "object" };
  const text = { type: "string" };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `${name} ${eventType}`,
    type: "object",
    required: Object.keys(EXAMPLE_PAYLOAD),
    properties: {
      TenantId: { ...text, format: "uuid" },
      EventType: { const: eventType },
      EventId: { ...text, format: "uuid" },
      Version: text,
      Timestamp: { ...text, format: "date-time" },
      EventRecord: { const: name },
      EventResponse: { enum: ["Object", "Array"] },
      Data: { anyOf: [...data, { type: "array", items: one }] },
      ...(eventType === "Updated" && {
        ChangedFields: { anyOf: [names, { type: "array", items: names }] },
        Previous: { anyOf: [former, { type: "array", items: former }] },
      }),
      Test: { const: true },
    },
    $defs: {
      Record: eventType === ERASED ? ERASED_DATA : withAttributes(plain(record), attributes),
      ...plain({ AbstractLong: FOREIGN_KEY_SCHEMAS.AbstractLong, AbstractText: FOREIGN_KEY_SCHEMAS.AbstractText }),
    },
  };
}

/** Without names and references of the OpenAPI document. */
function plain(schema: object): Schema {
  const text = JSON.stringify(schema, (key, value) => (key === "$id" ? undefined : value));
  return JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/").replaceAll(NO_WORDS, '{"type":"string"}'));
}

function withAttributes(schema: Schema, attributes: readonly AttributeDefinition[]): Schema {
  const properties = schema.properties as Record<string, Schema>;
  if (!properties[ATTRIBUTES]) return schema;
  const own = attributes.map(({ Name, Type, Description }) => [Name, { ...TYPES[Type], description: Description }]);
  return {
    ...schema,
    properties: { ...properties, [ATTRIBUTES]: { type: "object", properties: Object.fromEntries(own) } },
  };
}
