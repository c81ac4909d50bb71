// A body against its entity's definition, before any look-up.

import { BadInput } from "../errors.ts";
import { printable } from "../http/body.ts";
import { readDate } from "../http/dates.ts";
import { asTyped, isText } from "../http/fields.ts";
import { toRecordId } from "../http/query.ts";
import { attributesIn } from "./attributes.ts";
import { ACTOR_FIELDS, type EntityField, UNSET_DATE } from "./definition.ts";
import type { Entity, EntityReference } from "./registry.ts";
import type { ReferenceKey } from "./store.ts";
import { INT32_MAX } from "./values.ts";

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
  echoes: { field: EntityField; value: unknown }[];
}

/** @throws BadInput naming the fields that do not fit */
export function parseInput(entity: Entity, body: unknown): EntityInput {
  const { input, problems } = checkInput(entity, body);
  if (problems.length > 0) throw BadInput.of(problems);
  return input;
}

/** As parseInput, for a caller that has more to complain of. */
export function checkInput(entity: Entity, body: unknown): { input: EntityInput; problems: string[] } {
  const input: EntityInput = { id: undefined, values: {}, references: [], actors: [], echoes: [] };
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { input, problems: [`${entity.name} must be a JSON object.`] };
  }
  const problems = Object.entries(body).flatMap(([name, value]) => takeField(entity, input, name, value) ?? []);
  return { input, problems };
}

function takeField(entity: Entity, input: EntityInput, name: string, value: unknown): string | undefined {
  if (name === "Id") return takeId(entity, input, value);
  const field = entity.fields.find((candidate) => candidate.name === name);
  if (field?.readOnly) {
    input.echoes.push({ field, value });
    return undefined;
  }
  if (field) {
    const checked = fieldIn(field, value);
    if (checked.problem) return `${field.name} ${checked.problem}`;
    input.values[field.column] = checked.value;
    return undefined;
  }
  const reference = entity.references.find((candidate) => candidate.name === name);
  if (!reference && !ACTOR_FIELDS.some((actor) => actor.name === name)) {
    return `${printable(name)} is no field of ${entity.name}.`;
  }
  const target = parseReference(value);
  if (target === undefined) {
    return `${name} must be null, {"FieldType": "Id" | "ExternalId" | "Name", "Value": …}, {"Id": …} or {"ExternalId": …}.`;
  }
  if (reference) input.references.push({ reference, target });
  else if (target) input.actors.push({ name, target });
  return undefined;
}

function takeId(entity: Entity, input: EntityInput, value: unknown): string | undefined {
  if (value === null || value === "") return undefined;
  // docs/behaviour.md "Application": its Id is a string.
  if (entity.idAsText && typeof value !== "string") return "Id must be a record's Id as a string, or empty.";
  if (value === 0) return undefined;
  // Where Id is a string, any string is one; the look-up says that no record has it (docs/behaviour.md "Write a record").
  const fits = entity.idAsText || Number.isSafeInteger(value);
  if (!fits && toRecordId(value) === undefined) return "Id must be a record's Id, or empty.";
  input.id = String(value);
  return undefined;
}

function fieldIn(field: EntityField, value: unknown): { value?: unknown; problem?: string } {
  switch (field.type) {
    case "boolean":
      if (value === null) return { value: false };
      return typeof value === "boolean" ? { value } : { problem: "must be true, false or null." };
    case "text":
      return textIn(field, value);
    case "attributes":
      return attributesIn(value);
    case "dateTime": {
      if (value === null || value === "" || value === UNSET_DATE) return { value: null };
      const date = typeof value === "string" ? readDate(value) : undefined;
      return date ? { value: date } : { problem: "must be a date such as 2026-01-31T12:00:00Z, or null." };
    }
    default: {
      if (value === null) return { value: null };
      const limit = field.type === "int32" ? INT32_MAX : Number.MAX_SAFE_INTEGER;
      const fits = Number.isSafeInteger(value) && Math.abs(value as number) <= limit;
      return fits ? { value } : { problem: `must be a whole number up to ${limit}, or null.` };
    }
  }
}

function textIn(field: EntityField, value: unknown): { value?: unknown; problem?: string } {
  if (value === null) return { value: null };
  if (typeof value !== "string") return { problem: "must be a string or null." };
  return typedIn(field, asTyped(value));
}

function typedIn(field: EntityField, value: string): { value?: unknown; problem?: string } {
  if (value === "") return { value: null };
  if (field.maxLength !== undefined && value.length > field.maxLength) {
    return { problem: `has ${value.length} characters; it may have at most ${field.maxLength}.` };
  }
  if (!isText(value)) {
    return { problem: "has a character that is not text (NUL or half of a surrogate pair)." };
  }
  if (field.shape && !(field.shape.pattern.test(value) && (field.shape.fits?.(value) ?? true))) {
    return { problem: field.shape.must };
  }
  return { value };
}

// How a foreign key in a body names what it points at (docs/behaviour.md "Foreign keys").

export interface ReferenceInput {
  by: ReferenceKey;
  value: string | number;
  /** The Type of the abstract shape; undefined: not given. */
  type: string | undefined;
}

const KNOWN_KEYS = ["FieldType", "Value", "Id", "ExternalId", "Name", "Type"];

/** @returns null for an empty reference, undefined for one of no known shape */
function parseReference(value: unknown): ReferenceInput | null | undefined {
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  const object = value as Record<string, unknown>;
  if (Object.keys(object).some((key) => !KNOWN_KEYS.includes(key))) return undefined;
  if (!isEmpty(object.Type) && typeof object.Type !== "string") return undefined;
  const type = typeof object.Type === "string" && object.Type !== "" ? object.Type : undefined;
  if ("FieldType" in object || !isEmpty(object.Value)) {
    // With an Id or a Name beside it, it would be two references in one.
    const alone = [object.Id, object.ExternalId, object.Name].every(isEmpty);
    return alone ? byKey(object.FieldType, object.Value, type) : undefined;
  }
  if (!isEmpty(object.Id)) return byKey("Id", object.Id, type);
  if (!isEmpty(object.ExternalId)) return byKey("ExternalId", object.ExternalId, type);
  // A Name alone may be what a reader saw, so it takes FieldType to mean it.
  return isEmpty(object.Name) ? null : undefined;
}

function byKey(key: unknown, value: unknown, type: string | undefined): ReferenceInput | undefined {
  if (key === "Id") {
    const id = toRecordId(value);
    return id === undefined ? undefined : { by: key, value: id, type };
  }
  if (key !== "ExternalId" && key !== "Name") return undefined;
  if (!isText(value) || asTyped(value) === "") return undefined;
  return { by: key, value: asTyped(value), type };
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "" || value === 0;
