// Fields that Policy and Role have in common.

import { Type } from "@sinclair/typebox";
import { BadInput } from "../errors.ts";
import {
  ABSTRACT_LONG,
  type FormField,
  field,
  id,
  NUL_FREE,
  orNull,
  readOnly,
  requiredText,
  serverTime,
} from "../http/fields.ts";
import type { Caller } from "./bearer.ts";

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
    show: (stored) => stored ?? NOBODY,
  });

export const STAMP_FIELDS = {
  ModifiedOn: at("Update date."),
  ModifiedBy: by("Who updated the record."),
  CreatedBy: by("Who created the record."),
  CreatedOn: at("Creation date."),
};

// Creation and last change of a Policy or a Role, in a body that was read before.

export interface Stamped {
  createdOn: Date;
  /** AbstractLong (docs/behaviour.md "Foreign keys"), or null. */
  createdBy: unknown;
  modifiedOn: Date;
  modifiedBy: unknown;
}

const STAMPS = ["ModifiedOn", "ModifiedBy", "CreatedBy", "CreatedOn"];

const NOBODY = { Id: 0, ExternalId: "", Name: "", Type: "" };

/** Unchanged values are accepted; callers without read permission must omit them. @throws BadInput */
export function refuseChangedStamps(
  { gate }: Pick<Caller, "gate">,
  type: string,
  input: Record<string, unknown>,
  before: Record<string, unknown> | undefined,
): void {
  const sent = Object.entries(input).filter(([name, value]) => STAMPS.includes(name) && value !== null);
  if (sent.length === 0) return;
  const current = before && gate.sees(type, before) ? before : {};
  const changed = sent.filter(([name, value]) => !isEcho(value, current[name]));
  if (changed.length > 0) {
    throw new BadInput(...changed.map(([name]) => `${name} is set by the server and cannot be changed.`));
  }
}

/** For a foreign key only Id and Type count, because its Name may be hidden from the caller. */
function isEcho(value: unknown, own: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === own;
  const [sent, stored] = [value, own ?? {}] as Record<string, unknown>[];
  return sent!.Id === stored!.Id && sent!.Type === stored!.Type;
}
