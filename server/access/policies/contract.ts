import { type Static, Type } from "@sinclair/typebox";
import { body, contract } from "../../http/contract.ts";
import { ABSTRACT_LONG, field, type InputOf, NUL_FREE, orNull, type RecordOf, time } from "../../http/fields.ts";
import { descriptionField, idField, nameField, STAMP_FIELDS } from "../fields.ts";
import type { SavedBy } from "../policies.store.ts";

/** Characters. */
export const POLICY_LIMIT = 4_000;

const policyText = field<string, string>({
  description: "Its Cedar text. What names a wrong attribute or can never apply is refused with line and column.",
  sent: Type.String({ maxLength: POLICY_LIMIT, pattern: NUL_FREE }),
  checked: Type.String({ maxLength: POLICY_LIMIT }),
  shown: Type.String({ maxLength: POLICY_LIMIT }),
  must: `must be Cedar text of at most ${POLICY_LIMIT} characters.`,
  refuse: (value: string) => (value.includes("\0") ? "Policy has a character that is not text." : undefined),
  required: true,
  audit: "name",
  example:
    'permit (principal in Role::"editor", action in [Action::"AccessManager:Read", ' +
    'Action::"AccessManager:Create", Action::"AccessManager:Update"], resource);',
});

const FIELDS = {
  Id: idField("Policy"),
  Name: nameField("Editors"),
  Description: descriptionField("The role editor reads, makes and changes records."),
  Policy: policyText,
  ...STAMP_FIELDS,
};

export const POLICY = contract("Policy", "A Cedar policy.", FIELDS);
export type PolicyInput = InputOf<typeof FIELDS>;
export type PolicyRecord = RecordOf<typeof FIELDS>;

/** Only the policy's text, without Cedar's messages. */
export const POLICY_TEXT = body({ name: "Policy", $id: "PolicyText", needs: ["Policy"] }, { Policy: policyText });

/** A text that a policy has or had. */
export const POLICY_VERSION = Type.Object(
  {
    Number: Type.Integer({ format: "int32", description: "From 1, of the policy's own." }),
    Policy: Type.String({ maxLength: POLICY_LIMIT, description: "Its Cedar text." }),
    SavedOn: time(),
    SavedBy: orNull(ABSTRACT_LONG, { description: "null: it was there from the start." }),
  },
  { $id: "PolicyVersion" },
);
export type PolicyVersion = Omit<Static<typeof POLICY_VERSION>, "SavedBy"> & { SavedBy: SavedBy | null };
