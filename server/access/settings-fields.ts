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
  time,
} from "../http/fields.ts";
import { NOBODY } from "./stamps.ts";

const NAME_LIMIT = 200;
const DESCRIPTION_LIMIT = 1_000;

const EXAMPLE_TIME = "2026-01-31T12:00:00.000Z";
const EXAMPLE_ACTOR = { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" };

export const idField = (type: string) =>
  id(`a ${type}'s`, {
    description: "Empty: it is found by its Name, or is new.",
    answered: "",
    judged: true,
    example: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  });

export const nameField = (example: string, hint?: string) =>
  requiredText(NAME_LIMIT, {
    description: "Unique in the system.",
    audit: "name",
    judged: true,
    form: { label: "Name", hint },
    example,
  });

/** null is as good as empty. */
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

const at = (description: string) => ({
  ...readOnly(time(), { description, example: EXAMPLE_TIME }),
  show: (stored: unknown) => (stored as Date).toISOString(),
});

const by = (description: string) =>
  field<unknown, unknown>({
    ...readOnly(ABSTRACT_LONG, { description, example: EXAMPLE_ACTOR }),
    show: (stored) => stored ?? NOBODY,
  });

/** Who made and changed it, and when; named as those of an entity's record. */
export const STAMP_FIELDS = {
  ModifiedOn: at("Update date."),
  ModifiedBy: by("Who updated the record."),
  CreatedBy: by("Who created the record."),
  CreatedOn: at("Creation date."),
};
