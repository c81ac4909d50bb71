import { NUL_FREE } from "../../platform/http/fields.ts";
import type { Entity } from "../registry.ts";
import { describeEntities } from "./registry.ts";

/** JSON Schema 2020-12. */
type Schema = Record<string, unknown>;

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

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
    description: "The referenced record, by one of its fields or in the form of an answer; empty or null: none.",
    anyOf: [schemaRef("ForeignKeyByField"), schemaRef("ForeignKeyAbstract"), { type: "null" }],
    examples: [{ FieldType: "ExternalId", Value: "FIN" }, { Id: 3 }, null],
  },
  ForeignKeyByField: {
    type: "object",
    required: ["FieldType", "Value"],
    properties: {
      FieldType: { type: "string", enum: ["Id", "ExternalId", "Name"], description: "The field to match." },
      Value: {
        type: ["string", "integer"],
        description: "The field's value; for Id a number above 0, as a number or as text.",
        minLength: 1,
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        pattern: NUL_FREE,
      },
      Type: { type: ["string", "null"], description: "The entity's name; checked if present." },
    },
    additionalProperties: false,
  },
  ForeignKeyAbstract: {
    type: "object",
    description: "Matched by Id, or without an Id by ExternalId.",
    properties: {
      Id: {
        type: ["integer", "string", "null"],
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        pattern: "^([1-9][0-9]{0,14})?$",
      },
      ExternalId: { type: ["string", "null"], pattern: NUL_FREE },
      Name: { description: "Ignored; use FieldType to match by Name." },
      Type: { type: ["string", "null"], description: "The entity's name; checked if present." },
    },
    additionalProperties: false,
  },
};

function abstract(description: string, id: Schema): Schema {
  return {
    type: "object",
    description: `${description} If the caller may not read the record, only Id and Type.`,
    required: ["Id"],
    properties: {
      Id: id,
      ExternalId: { type: "string", default: "", description: "Unique if provided." },
      Name: { type: "string", default: "", description: "Human-readable name." },
      Type: { type: "string", default: "", description: "The kind of entity." },
    },
  };
}

/** A body that finds its record by the first identifier. */
export function exampleInput(entity: Entity): Record<string, unknown> {
  const record: Record<string, unknown> = entity.example;
  const names = entity.fields.filter(({ type, readOnly }) => type === "text" && !readOnly).map(({ name }) => name);
  const chosen = new Set([...entity.identifiers.slice(0, 1), ...names.slice(0, 2)]);
  return Object.fromEntries([...chosen].map((name) => [name, record[name]]));
}

export function exampleDescription(entity: Entity) {
  return describeEntities([entity])[0];
}
