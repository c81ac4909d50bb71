import { type EntityDefinition, type Field, UNSET_DATE } from "./definition.ts";
import type { Row } from "./store.ts";

/** SPEC.md's AbstractLong. */
export interface AbstractLong {
  Id: number;
  ExternalId: string;
  Name: string;
  Type: string;
}

const NOBODY: AbstractLong = { Id: 0, ExternalId: "", Name: "", Type: "" };

/** A record in its response shape; the same object is a webhook's Data. */
export function toRecord(entity: EntityDefinition, row: Row): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const field of entity.fields) record[field.name] = fieldOut(entity, field, row[field.column]);
  record.ModifiedBy = row.ModifiedBy ?? NOBODY;
  record.CreatedBy = row.CreatedBy ?? NOBODY;
  return record;
}

function fieldOut(entity: EntityDefinition, field: Field, value: unknown): unknown {
  if (field.name === "Id" && entity.idAsText) return String(value);
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
