import type { EventType, RecordedChange } from "../webhooks/index.ts";
import { ACTOR_FIELDS, type Field, inAnswerOrder, UNSET_DATE } from "./definition.ts";
import type { Entity } from "./registry.ts";
import type { Row } from "./store.ts";

/** AbstractLong, or with a text Id AbstractText (docs/behaviour.md "Foreign keys"). */
export interface Abstract {
  Id: number | string;
  ExternalId: string;
  Name: string;
  Type: string;
}

type Part = [name: string, value: unknown];

const NOBODY: Abstract = { Id: 0, ExternalId: "", Name: "", Type: "" };
const NO_TEXT: Abstract = { ...NOBODY, Id: "" };

/** A record in its response shape; the same object is a webhook's Data. */
export function toRecord(entity: Entity, row: Partial<Row>): Record<string, unknown> {
  const shown = entity.references.filter(({ inputOnly }) => !inputOnly);
  return Object.fromEntries(
    inAnswerOrder<unknown>([
      ...entity.fields.map((field): Part => [field.name, fieldOut(entity, field, row[field.column])]),
      ...shown.map(({ name, pointsAt }): Part => [name, row[name] ?? (pointsAt.idAsText ? NO_TEXT : NOBODY)]),
      ...ACTOR_FIELDS.map(({ name }): Part => [name, row[name] ?? NOBODY]),
    ]),
  );
}

/** What the webhooks are told of a change that these records have seen together. */
export function changeOf(entity: Entity, eventType: EventType, rows: Row[]): RecordedChange {
  const data = rows.map((row) => toRecord(entity, row));
  return {
    eventType,
    eventRecord: entity.name,
    recordIds: rows.map(({ id }) => String(id)),
    sequences: rows.map(({ sequence }) => sequence),
    // docs/behaviour.md "Payload": an array where Data is several.
    data: data.length === 1 ? data[0]! : data,
  };
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
