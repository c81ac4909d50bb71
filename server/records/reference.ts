// How a foreign key in a body names its target (docs/behaviour.md "Foreign keys").

import { toRecordId } from "../platform/http/query.ts";
import { asTyped, TEXT_LIMIT } from "../platform/text.ts";

/** Keys of a foreign key's target in the input. */
export type ReferenceKey = "Id" | "ExternalId" | "Name";

export interface ReferenceInput {
  by: ReferenceKey;
  value: string | number;
  /** The Type of the abstract shape; undefined: not given. */
  type: string | undefined;
}

const KNOWN_KEYS = ["FieldType", "Value", "Id", "ExternalId", "Name", "Type"];

/** @returns null for an empty reference, undefined for an unknown shape */
export function parseReference(value: unknown): ReferenceInput | null | undefined {
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  const object = value as Record<string, unknown>;
  if (Object.keys(object).some((key) => !KNOWN_KEYS.includes(key))) return undefined;
  if (!isEmpty(object.Type) && typeof object.Type !== "string") return undefined;
  const type = typeof object.Type === "string" && object.Type !== "" ? object.Type : undefined;
  if ("FieldType" in object || !isEmpty(object.Value)) {
    // With an Id or a Name beside it, there would be two references.
    const alone = [object.Id, object.ExternalId, object.Name].every(isEmpty);
    return alone ? byKey(object.FieldType, object.Value, type) : undefined;
  }
  if (!isEmpty(object.Id)) return byKey("Id", object.Id, type);
  if (!isEmpty(object.ExternalId)) return byKey("ExternalId", object.ExternalId, type);
  // A Name may be copied from a response, so it only counts as a key if FieldType says so.
  return isEmpty(object.Name) ? null : undefined;
}

function byKey(key: unknown, value: unknown, type: string | undefined): ReferenceInput | undefined {
  if (key === "Id") {
    const id = toRecordId(value);
    return id === undefined ? undefined : { by: key, value: id, type };
  }
  if (key !== "ExternalId" && key !== "Name") return undefined;
  const { text } = typeof value === "string" ? asTyped(value, TEXT_LIMIT) : {};
  return text ? { by: key, value: text, type } : undefined;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "" || value === 0;
