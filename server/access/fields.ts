// Fields that Policy and Role have in common.

import { Type } from "@sinclair/typebox";
import {
  ABSTRACT_LONG,
  type FormField,
  field,
  id,
  NUL_FREE,
  orNull,
  readOnly,
  requiredText,
  SET_BY_SERVER,
  serverTime,
} from "../http/fields.ts";

const NAME_LIMIT = 200;
const DESCRIPTION_LIMIT = 1_000;

const EXAMPLE_TIME = "2026-01-31T12:00:00.000Z";
export const EXAMPLE_ACTOR = { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" };

export const idField = (type: string) =>
  id(`${/^[AEIOU]/.test(type) ? "an" : "a"} ${type}'s`, {
    description: "Empty: it is found by its Name, or is new.",
    answered: "",
    judged: true,
    example: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  });

export const nameField = (example: string, hint?: string) =>
  requiredText(NAME_LIMIT, {
    description: "Unique in the system.",
    unique: true,
    audit: "name",
    judged: true,
    form: { label: "Name", hint },
    example,
  });

/** null counts as empty. */
export function descriptionField(example: string, form: FormField = { label: "Description", hint: "For people." }) {
  return field<string, string>({
    description: "For people.",
    sent: orNull(Type.String({ maxLength: DESCRIPTION_LIMIT, default: "", pattern: NUL_FREE })),
    shown: Type.String({ maxLength: DESCRIPTION_LIMIT, default: "" }),
    must: `must be a string of at most ${DESCRIPTION_LIMIT} characters, or null.`,
    take: (value: string | null) => value ?? "",
    audit: "name",
    judged: true,
    form,
    example,
  });
}

const at = (description: string) => serverTime({ description, example: EXAMPLE_TIME });

const by = (description: string) =>
  field<unknown, unknown>({
    ...readOnly(ABSTRACT_LONG, { description, example: EXAMPLE_ACTOR }),
    must: SET_BY_SERVER,
    // Its Name may be hidden from the caller.
    isEcho: (sent, read) => sent === null || isSame((sent ?? {}) as Reference, (read ?? {}) as Reference),
    show: (stored) => stored ?? NOBODY,
  });

export const STAMP_FIELDS = {
  ModifiedOn: at("Update date."),
  ModifiedBy: by("Who updated the record."),
  CreatedBy: by("Who created the record."),
  CreatedOn: at("Creation date."),
};

export interface Stamped {
  createdOn: Date;
  /** AbstractLong (docs/behaviour.md "Foreign keys"), or null. */
  createdBy: unknown;
  modifiedOn: Date;
  modifiedBy: unknown;
}

const NOBODY = { Id: 0, ExternalId: "", Name: "", Type: "" };

interface Reference {
  Id?: unknown;
  Type?: unknown;
}
const isSame = (one: Reference, other: Reference) => one.Id === other.Id && one.Type === other.Type;
