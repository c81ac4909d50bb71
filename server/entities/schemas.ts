// An entity's definition as JSON Schema: what a caller sends (…Data) and what a record looks like.

import { ACTOR_FIELDS, type EntityDefinition, type EntityField, inAnswerOrder, UNSET_DATE } from "./definition.ts";
import { toRecord } from "./record.ts";
import { createRegistry, describeEntities, type Entity, type EntityReference } from "./registry.ts";
import { INT32_MAX, type Matchable } from "./values.ts";

/** JSON Schema 2020-12. */
type Schema = Record<string, unknown>;

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const NUL_FREE = "^[^\\u0000]*$";

/** Absent fields are left alone, null clears. */
export function inputSchema(entity: Entity): Schema {
  const properties = [
    ...entity.fields.map((field): [string, Schema] => [field.name, inputField(entity, field)]),
    ...entity.references.map((reference): [string, Schema] => [reference.name, inputReference(reference)]),
    ...ACTOR_FIELDS.map(({ name, description }): [string, Schema] => [
      name,
      {
        ...schemaRef("ForeignKey"),
        description: `${description} It is looked up, but the server's own value is stored.`,
      },
    ]),
  ];
  return {
    $id: `${entity.name}Data`,
    type: "object",
    description: `${entity.description} Absent fields are left alone, null clears a field.`,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

export function recordSchema(entity: Entity): Schema {
  const properties = Object.fromEntries(
    inAnswerOrder<Schema>([
      ...entity.fields.map((field): [string, Schema] => [field.name, recordField(entity, field)]),
      ...entity.references
        .filter(({ inputOnly }) => !inputOnly)
        .map((reference): [string, Schema] => [reference.name, recordReference(reference)]),
      ...ACTOR_FIELDS.map(({ name, description }): [string, Schema] => [
        name,
        { ...schemaRef("AbstractLong"), description },
      ]),
    ]),
  );
  return {
    $id: entity.name,
    type: "object",
    description: entity.description,
    required: Object.keys(properties),
    properties,
  };
}

/** A field's value as a query parameter. */
export function valueSchema(type: Matchable["type"]): Schema {
  switch (type) {
    case "text":
      return { type: "string" };
    case "boolean":
      return { type: "boolean" };
    case "dateTime":
      return { type: "string", format: "date-time" };
    case "int32":
      return { type: "integer", format: "int32", minimum: -INT32_MAX, maximum: INT32_MAX };
    default:
      return {
        type: "integer",
        format: "int64",
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      };
  }
}

function inputField(entity: Entity, field: EntityField): Schema {
  const { description } = field;
  if (field.name === "Id") return inputId(entity, field);
  if (field.readOnly) return { ...recordField(entity, field), readOnly: true };
  if (field.type === "text") {
    const pattern = field.shape ? `^$|${field.shape.pattern.source}` : NUL_FREE;
    return { type: ["string", "null"], description, maxLength: field.maxLength, pattern };
  }
  if (field.type === "attributes") return { ...attributesSchema(description, true), type: ["object", "null"] };
  const { type, ...rest } = valueSchema(field.type);
  return { type: [type, "null"], description, ...rest };
}

/** docs/behaviour.md "Write a record": an empty Id is none. */
function inputId(entity: Entity, { description }: EntityField): Schema {
  const text = `${description} Empty: the record is found by ${entity.identifiers.join(", ")}, or is new.`;
  if (entity.idAsText) return { type: ["string", "null"], description: text };
  return {
    type: ["integer", "string", "null"],
    description: text,
    format: "int64",
    maximum: Number.MAX_SAFE_INTEGER,
    minimum: Number.MIN_SAFE_INTEGER,
    pattern: "^([1-9][0-9]{0,14})?$",
  };
}

function inputReference({ description, inputOnly }: EntityReference): Schema {
  return { ...schemaRef("ForeignKey"), description, ...(inputOnly && { writeOnly: true }) };
}

function recordField(entity: Entity, field: EntityField): Schema {
  const { description } = field;
  if (field.name === "Id" && entity.idAsText) return { type: "string", description };
  switch (field.type) {
    case "text":
      return { type: "string", description, default: "", maxLength: field.maxLength };
    case "boolean":
      return { type: "boolean", description, default: false };
    case "dateTime":
      return { type: "string", format: "date-time", description, default: UNSET_DATE };
    case "attributes":
      return { ...attributesSchema(description), default: {} };
    default:
      return { type: "integer", format: field.type, description, default: 0 };
  }
}

function attributesSchema(description: string, isSent = false): Schema {
  const texts = { type: "array", items: { type: "string" } };
  const kinds = [{ type: "string" }, { type: "number" }, { type: "boolean" }, texts];
  return {
    type: "object",
    description,
    additionalProperties: { anyOf: [...kinds, ...(isSent ? [{ type: "null" }] : [])] },
  };
}

function recordReference({ description, pointsAt }: EntityReference): Schema {
  return { ...schemaRef(pointsAt.idAsText ? "AbstractText" : "AbstractLong"), description };
}

/** docs/behaviour.md "Foreign keys"; FieldType is how a body names one. */
export const FOREIGN_KEY_SCHEMAS: Record<string, Schema> = {
  AbstractLong: abstract("An abstract foreign-key object with a numeric key.", {
    type: "integer",
    format: "int64",
    default: 0,
    description: "Unique primary key.",
  }),
  AbstractText: abstract("An abstract foreign-key object with a text key.", {
    type: "string",
    default: "",
    description: "Unique primary key.",
  }),
  ForeignKey: {
    description: "What a foreign key points at, by one of its fields or as a record shows it; empty or null: nothing.",
    anyOf: [schemaRef("ForeignKeyByField"), schemaRef("ForeignKeyAbstract"), { type: "null" }],
    examples: [{ FieldType: "ExternalId", Value: "FIN" }, { Id: 3 }, null],
  },
  ForeignKeyByField: {
    type: "object",
    required: ["FieldType", "Value"],
    properties: {
      FieldType: { type: "string", enum: ["Id", "ExternalId", "Name"], description: "The field it is found by." },
      Value: {
        type: ["string", "integer"],
        description: "The field's value; of Id a number above 0, as a number or as text.",
        minLength: 1,
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        pattern: NUL_FREE,
      },
      Type: { type: ["string", "null"], description: "The entity's name, if it is to be checked." },
    },
    additionalProperties: false,
  },
  ForeignKeyAbstract: {
    type: "object",
    description: "It is found by Id, or without one by ExternalId.",
    properties: {
      Id: {
        type: ["integer", "string", "null"],
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        pattern: "^([1-9][0-9]{0,14})?$",
      },
      ExternalId: { type: ["string", "null"], pattern: NUL_FREE },
      Name: { description: "Not looked at; FieldType finds by Name." },
      Type: { type: ["string", "null"], description: "The entity's name, if it is to be checked." },
    },
    additionalProperties: false,
  },
};

function abstract(description: string, id: Schema): Schema {
  return {
    type: "object",
    description: `${description} Of a record that the caller may not read, its Id and Type alone.`,
    required: ["Id"],
    properties: {
      Id: id,
      ExternalId: { type: "string", default: "", description: "Unique if provided." },
      Name: { type: "string", default: "", description: "Human-readable name." },
      Type: { type: "string", default: "", description: "The kind of entity." },
    },
  };
}

// Records as the definitions have them, made by the code that makes the answers.

const A_MOMENT = new Date("2026-01-31T12:00:00.000Z");

/** One of each entity, by its name. */
export function exampleRecords(definitions: readonly EntityDefinition[]): Map<string, Record<string, unknown>> {
  return new Map(createRegistry(definitions).map((entity) => [entity.name, exampleRecord(entity)]));
}

export function exampleRecord(entity: Entity): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const field of entity.fields) row[field.column] = exampleValue(field);
  for (const { name, pointsAt } of entity.references) {
    row[name] = { ...abstractOf(pointsAt), Type: pointsAt.name };
  }
  const actor = { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" };
  return toRecord(entity, { ...row, ModifiedBy: actor, CreatedBy: actor });
}

/** A body that finds its record by the first identifier. */
export function exampleInput(entity: Entity): Record<string, unknown> {
  const record = exampleRecord(entity);
  const names = entity.fields.filter(({ type, readOnly }) => type === "text" && !readOnly).map(({ name }) => name);
  const chosen = new Set([...entity.identifiers.slice(0, 1), ...names.slice(0, 2)]);
  return Object.fromEntries([...chosen].map((name) => [name, record[name]]));
}

export function exampleDescription(entity: Entity) {
  return describeEntities([entity])[0];
}

function exampleValue({ type, example, description }: EntityField): unknown {
  switch (type) {
    case "text":
      return example ?? description;
    case "boolean":
      return true;
    case "dateTime":
      return A_MOMENT;
    case "attributes":
      return { costCentre: "4711" };
    default:
      return 7;
  }
}

function abstractOf({ fields, idAsText }: EntityReference["pointsAt"]) {
  const text = (name: string) => fields.find((field) => field.name.replace("_", "") === name)?.example ?? "";
  return { Id: idAsText ? "3" : 3, ExternalId: text("ExternalId"), Name: text("Name") };
}
