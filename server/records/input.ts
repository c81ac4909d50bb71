// A body against its entity's definition, before any look-up.

import { BadInput } from "../errors.ts";
import { isObject } from "../http/body.ts";
import type { NamedField } from "./record.ts";
import type { ReferenceInput } from "./reference.ts";
import { ACTOR_FIELDS, type Entity, type EntityReference } from "./registry.ts";

/** A body that fits the definition. Absent fields are left alone, null clears. */
export interface EntityInput {
  /** As the caller wrote it. Undefined: Id is empty. */
  id: string | undefined;
  /** Columns of plain fields. */
  values: Record<string, unknown>;
  references: { reference: EntityReference; target: ReferenceInput | null }[];
  /** ModifiedBy and CreatedBy: resolved, then replaced by the server's own. */
  actors: { name: string; target: ReferenceInput }[];
  /** Read-only fields the caller sent along. */
  echoes: { field: NamedField; value: unknown }[];
}

/** @throws BadInput naming the fields that do not fit */
export function parseInput(entity: Entity, body: unknown): EntityInput {
  const { input, problems } = checkInput(entity, body);
  if (problems.length > 0) throw BadInput.of(problems);
  return input;
}

/** Like parseInput, for callers with further checks. */
export function checkInput(entity: Entity, body: unknown): { input: EntityInput; problems: string[] } {
  const input: EntityInput = { id: undefined, values: {}, references: [], actors: [], echoes: [] };
  if (!isObject(body)) return { input, problems: [`${entity.name} must be a JSON object.`] };
  const { input: given, problems } = entity.check(body);
  const isGiven = ({ name }: { name: string }) => Object.hasOwn(given, name);
  input.id = given.Id;
  for (const field of entity.fields.filter((one) => one.name !== "Id" && isGiven(one))) {
    const value = given[field.name];
    if (field.readOnly) input.echoes.push({ field, value });
    else input.values[field.column] = value;
  }
  for (const reference of entity.references.filter(isGiven)) {
    input.references.push({ reference, target: given[reference.name] });
  }
  for (const { name } of ACTOR_FIELDS) if (given[name]) input.actors.push({ name, target: given[name] });
  return { input, problems: problems.map(({ Message }) => Message) };
}
