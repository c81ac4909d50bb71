// Checks a body against its entity's definition, before any look-up.

import { BadInput } from "../errors.ts";
import { isObject } from "../http/body.ts";
import type { ReferenceInput } from "./reference.ts";
import { ACTOR_FIELDS, type Entity, type EntityReference } from "./registry.ts";

/** A body that fits the definition. Absent fields are unchanged, null clears. */
export interface EntityInput {
  /** As the caller wrote it. Undefined: Id is empty. */
  id: string | undefined;
  /** Columns of plain fields. */
  values: Record<string, unknown>;
  references: { reference: EntityReference; target: ReferenceInput | null }[];
  /** ModifiedBy and CreatedBy: resolved, then replaced by the server's own. */
  actors: { name: string; target: ReferenceInput }[];
  /** All of its fields. */
  sent: Record<string, unknown>;
}

/** @throws BadInput naming the fields that do not fit */
export function parseInput(entity: Entity, body: unknown): EntityInput {
  const { input, problems } = checkInput(entity, body);
  if (problems.length > 0) throw BadInput.of(problems);
  return input;
}

/** Like parseInput, for callers with further checks. */
export function checkInput(entity: Entity, body: unknown): { input: EntityInput; problems: string[] } {
  const input: EntityInput = { id: undefined, values: {}, references: [], actors: [], sent: {} };
  if (!isObject(body)) return { input, problems: [`${entity.name} must be a JSON object.`] };
  const { input: given, problems } = entity.check(body);
  const isGiven = ({ name }: { name: string }) => Object.hasOwn(given, name);
  input.id = given.Id;
  input.sent = given;
  const written = entity.fields.filter((field) => !field.readOnly && isGiven(field));
  for (const { name, column } of written) input.values[column] = given[name];
  for (const reference of entity.references.filter(isGiven)) {
    input.references.push({ reference, target: given[reference.name] });
  }
  for (const { name } of ACTOR_FIELDS) if (given[name]) input.actors.push({ name, target: given[name] });
  return { input, problems: problems.map(({ Message }) => Message) };
}
