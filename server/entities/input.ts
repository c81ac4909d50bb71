// A body against its entity's definition, before any look-up.

import { BadInput } from "../errors.ts";
import { printable } from "../http/body.ts";
import type { EntityDefinition, Field, Reference } from "./definition.ts";

/** How a foreign key in the input names its target. */
export type ReferenceInput = { by: "id" | "external_id" | "name"; value: string | number };

/** A body that fits the definition. Absent fields are left alone, null clears. */
export interface EntityInput {
  /** As the caller wrote it. Undefined: Id is empty. */
  id: string | undefined;
  /** Columns of plain fields. */
  values: Record<string, unknown>;
  references: { reference: Reference; target: ReferenceInput | null }[];
  /** ModifiedBy and CreatedBy: resolved, then replaced by the server's own. */
  actors: { name: string; type: string | undefined; target: ReferenceInput }[];
  /** Read-only fields the caller sent along. */
  echoes: { field: Field; value: unknown }[];
}

const ACTOR_FIELDS = ["ModifiedBy", "CreatedBy"];

/** @throws BadInput naming every field that does not fit */
export function parseInput(entity: EntityDefinition, body: unknown): EntityInput {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput(`The body must be one ${entity.name} object.`);
  }
  const input: EntityInput = { id: undefined, values: {}, references: [], actors: [], echoes: [] };
  const problems: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const problem = takeField(entity, input, name, value);
    if (problem) problems.push(problem);
  }
  if (problems.length > 0) throw new BadInput(...problems);
  return input;
}

function takeField(entity: EntityDefinition, input: EntityInput, name: string, value: unknown): string | undefined {
  if (name === "Id") return takeId(entity, input, value);
  const field = entity.fields.find((candidate) => candidate.name === name);
  if (field?.readOnly) {
    input.echoes.push({ field, value });
    return undefined;
  }
  if (field) {
    const checked = fieldIn(field, value);
    if (checked.problem) return checked.problem;
    input.values[field.column] = checked.value;
    return undefined;
  }
  const reference = entity.references.find((candidate) => candidate.name === name);
  if (reference || ACTOR_FIELDS.includes(name)) {
    const target = referenceIn(value);
    if (target === undefined) {
      return `${name} must be null, {"FieldType": "Id" | "ExternalId" | "Name", "Value": …}, {"Id": …} or {"ExternalId": …}.`;
    }
    if (reference) input.references.push({ reference, target });
    else if (target) input.actors.push({ name, type: typeOf(value), target });
    return undefined;
  }
  return `${printable(name)} is no field of ${entity.name}.`;
}

function takeId(entity: EntityDefinition, input: EntityInput, value: unknown): string | undefined {
  if (value === null || value === "" || value === 0) return undefined;
  // Where Id is a string, any string is one; that no record has it is for the look-up to say.
  const fits = (entity.idAsText && typeof value === "string") || Number.isSafeInteger(value);
  if (!fits && wholeNumber(value) === undefined) return "Id must be a record's Id, or empty.";
  input.id = String(value);
  return undefined;
}

function fieldIn(field: Field, value: unknown): { value?: unknown; problem?: string } {
  if (field.type === "boolean") {
    if (value === null) return { value: false };
    return typeof value === "boolean" ? { value } : { problem: `${field.name} must be true, false or null.` };
  }
  if (value === null || value === "") return { value: null };
  if (typeof value !== "string") return { problem: `${field.name} must be a string or null.` };
  if (field.maxLength !== undefined && value.length > field.maxLength) {
    return { problem: `${field.name} has ${value.length} characters; it may have at most ${field.maxLength}.` };
  }
  if (value.includes("\0") || !value.isWellFormed()) {
    return { problem: `${field.name} has a character that is not text (NUL or half of a surrogate pair).` };
  }
  return { value };
}

/** @returns null for an empty reference, undefined for one of no known shape */
function referenceIn(value: unknown): ReferenceInput | null | undefined {
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  const object = value as Record<string, unknown>;
  const known = ["FieldType", "Value", "Id", "ExternalId", "Name", "Type"];
  if (Object.keys(object).some((key) => !known.includes(key))) return undefined;
  if ("FieldType" in object) return byField(object.FieldType, object.Value);
  if (!isEmpty(object.Id)) return byField("Id", object.Id);
  if (!isEmpty(object.ExternalId)) return byField("ExternalId", object.ExternalId);
  if (!isEmpty(object.Name)) return undefined;
  return null;
}

function byField(fieldType: unknown, value: unknown): ReferenceInput | undefined {
  if (fieldType === "Id") {
    const id = wholeNumber(value);
    return id === undefined ? undefined : { by: "id", value: id };
  }
  if (typeof value !== "string" || value === "" || value.includes("\0") || !value.isWellFormed()) return undefined;
  if (fieldType === "ExternalId") return { by: "external_id", value };
  if (fieldType === "Name") return { by: "name", value };
  return undefined;
}

function typeOf(value: unknown): string | undefined {
  const type = (value as { Type?: unknown }).Type;
  return typeof type === "string" && type !== "" ? type : undefined;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "" || value === 0;

/** The Id that a caller's text or number stands for, if a record could have it. */
export function wholeNumber(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !/^[1-9]\d{0,15}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
