import { ACTOR_FIELDS, type Field, UNSET_DATE } from "./definition.ts";
import type { Entity } from "./registry.ts";
import type { Row } from "./store.ts";

/** SPEC.md's AbstractLong, or with a text Id AbstractText. */
export interface Abstract {
  Id: number | string;
  ExternalId: string;
  Name: string;
  Type: string;
}

const NOBODY: Abstract = { Id: 0, ExternalId: "", Name: "", Type: "" };
const NO_TEXT: Abstract = { ...NOBODY, Id: "" };

/** A record in its response shape; the same object is a webhook's Data. */
export function toRecord(entity: Entity, row: Partial<Row>): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const field of entity.fields) record[field.name] = fieldOut(entity, field, row[field.column]);
  for (const { name, inputOnly, pointsAt } of entity.references) {
    if (!inputOnly) record[name] = row[name] ?? (pointsAt.idAsText ? NO_TEXT : NOBODY);
  }
  for (const { name } of ACTOR_FIELDS) record[name] = row[name] ?? NOBODY;
  return record;
}

function fieldOut(entity: Entity, field: Field, value: unknown): unknown {
  if (field.name === "Id" && entity.idAsText) return String(value ?? "");
  switch (field.type) {
    case "text":
      return value ?? "";
    case "dateTime":
      return value instanceof Date ? value.toISOString() : UNSET_DATE;
    case "boolean":
      return value ?? false;
    default:
      return value ?? 0;
  }
}
