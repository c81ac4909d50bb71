// The attributes that a tenant's Users have: a list in its TenantSettings.

import { Type } from "@sinclair/typebox";
import type { Queries } from "../../platform/db/sql.ts";
import { Conflict } from "../../platform/errors.ts";
import { field, orNull, word } from "../../platform/http/fields.ts";
import type { TenantId } from "../../platform/ids.ts";
import { isText } from "../../platform/text.ts";
import { countUsersWith } from "./attributes.store.ts";
import { ATTRIBUTE_TYPES, type AttributeDefinition, MAX_ATTRIBUTES } from "./attributes.ts";

const NAME = "^[A-Za-z][A-Za-z0-9_]{0,49}$";
const DESCRIPTION_LIMIT = 200;

const definition = Type.Object({
  Name: Type.String({ pattern: NAME, description: "Letters, digits and _." }),
  Type: word(ATTRIBUTE_TYPES, { description: "Texts is a list." }),
  Description: Type.Optional(Type.String({ maxLength: DESCRIPTION_LIMIT, description: "A description for people." })),
});
const list = Type.Array(definition, { maxItems: MAX_ATTRIBUTES });

export const USER_ATTRIBUTES = field<AttributeDefinition[], AttributeDefinition[]>({
  description:
    "Definitions of Users' Attributes. A definition that Users have values for cannot be removed or change its Type: 409.",
  sent: orNull(list),
  checked: orNull(Type.Array(Type.Unknown(), { maxItems: MAX_ATTRIBUTES })),
  shown: list,
  must: `must be a list of at most ${MAX_ATTRIBUTES}.`,
  refuse: (value: unknown[] | null) => problemIn(value ?? []),
  take: (value: AttributeDefinition[] | null) =>
    (value ?? []).map(({ Name, Type, Description = "" }) => ({ Name, Type, Description })),
  stored: "json",
  audit: "value",
  form: {
    label: "Attributes of users",
    hint: `One per line: its name, its type (${ATTRIBUTE_TYPES.join(", ")}; Texts is a list), and a description. For example "costCentre Text Pays for the person".`,
    rows: 4,
    line: {
      show: ({ Name, Type, Description }: AttributeDefinition) => [Name, Type, Description].filter(Boolean).join(" "),
      read(text) {
        const [Name = "", Type = "", ...rest] = text.trim().split(/\s+/);
        return { Name, Type, Description: rest.join(" ") };
      },
    },
  },
  example: [{ Name: "costCentre", Type: "Text", Description: "Pays for the person" }],
});

function problemIn(value: unknown[]): string | undefined {
  const names = value.map((one) => (one as Partial<AttributeDefinition> | null)?.Name);
  for (const [index, one] of value.entries()) {
    const at = `UserAttributes[${index}]`;
    const { Name, Type, Description = "", ...others } = (one ?? {}) as Record<string, unknown>;
    if (typeof Name !== "string" || Object.keys(others).length > 0) return `${at} must be {"Name": …, "Type": …}.`;
    if (!new RegExp(NAME).test(Name)) {
      return `${at}.Name must have 1 to 50 letters, digits or _, and begin with a letter.`;
    }
    if (names.indexOf(Name) !== index) return `${at}.Name occurs twice.`;
    if (!ATTRIBUTE_TYPES.some((known) => known === Type)) return `${at}.Type must be ${ATTRIBUTE_TYPES.join(" or ")}.`;
    if (!isText(Description, DESCRIPTION_LIMIT)) {
      return `${at}.Description must be a string of at most ${DESCRIPTION_LIMIT} characters.`;
    }
  }
  return undefined;
}

/** @throws Conflict if Users have values that would become invalid */
export async function requireUnused(
  tx: Queries,
  tenantId: TenantId,
  before: readonly AttributeDefinition[],
  after: readonly AttributeDefinition[],
): Promise<void> {
  const gone = takenOut(before, after);
  const users = await countUsersWith(tx, tenantId, gone);
  if (users === 0) return;
  const many = users === 1 ? "1 User has" : `${users} Users have`;
  throw new Conflict(`UserAttributes: ${many} a value of ${gone.join(", ")}. Remove it there first.`);
}

/** Definitions that would no longer exist with this type. */
function takenOut(before: readonly AttributeDefinition[], after: readonly AttributeDefinition[]): string[] {
  const stays = (one: AttributeDefinition) => after.some(({ Name, Type }) => Name === one.Name && Type === one.Type);
  return before.filter((one) => !stays(one)).map(({ Name }) => Name);
}
