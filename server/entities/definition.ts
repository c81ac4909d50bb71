// Common parts of entities.

import type { NamedField, RecordDeclaration, TextShape } from "../records/index.ts";

/** A target of foreign keys. Its table has `id` and `tenant_id`; its fields include Id, Name and ExternalId. */
export interface PointedAt extends Pick<RecordDeclaration, "name" | "table" | "idAsText"> {
  fields: readonly Pick<NamedField, "name" | "column" | "example">[];
}

export const DESCRIPTION_LIMIT = 10_000;
/** A web address: only http or https, because browsers execute some other schemes. */
export const WEB_ADDRESS_SHAPE: TextShape = {
  pattern: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\0]+$/,
  fits: (text) => URL.canParse(text),
  must: "must be an address that begins with https:// or http://, or null.",
};
/** The actor fields that every entity has; the server sets them. */
export const ACTOR_FIELDS = [
  { name: "ModifiedBy", description: "Who updated the record." },
  { name: "CreatedBy", description: "Who created the record." },
] as const;

/** docs/behaviour.md "Application": the order in which a record ends. */
const LAST = ["ModifiedOn", "ModifiedBy", "CreatedBy", "CreatedOn"];

/** A record's fields by name, in the order of responses. */
export function inAnswerOrder<T>(parts: [name: string, part: T][]): [name: string, part: T][] {
  const last = LAST.flatMap((name) => parts.filter((part) => part[0] === name));
  return [...parts.filter((part) => !last.includes(part)), ...last];
}
