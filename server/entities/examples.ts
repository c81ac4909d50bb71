// Records as the definitions have them, made by the code that makes the answers.

import type { Field } from "./definition.ts";
import { toRecord } from "./record.ts";
import { describeEntities, type Entity, type EntityReference } from "./registry.ts";

const A_MOMENT = new Date("2026-01-31T12:00:00.000Z");

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

function exampleValue({ type, example, description }: Field): unknown {
  switch (type) {
    case "text":
      return example ?? description;
    case "boolean":
      return true;
    case "dateTime":
      return A_MOMENT;
    default:
      return 7;
  }
}

function abstractOf({ fields, idAsText }: EntityReference["pointsAt"]) {
  const text = (name: string) => fields.find((field) => field.name.replace("_", "") === name)?.example ?? "";
  return { Id: idAsText ? "3" : 3, ExternalId: text("ExternalId"), Name: text("Name") };
}
