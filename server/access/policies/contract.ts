import { type Static, Type } from "@sinclair/typebox";
import { body } from "../../http/contract.ts";
import {
  ABSTRACT_LONG,
  field,
  type InputOf,
  NUL_FREE,
  orNull,
  type RecordOf,
  type RowOf,
  time,
} from "../../http/fields.ts";
import { record, SETTING } from "../../records/index.ts";
import { descriptionField, idField, nameField, STAMP_FIELDS, type Stamped } from "../fields.ts";
import { LOCK_OUT } from "../settings.ts";

/** Characters. */
export const POLICY_LIMIT = 4_000;

const policyText = field<string, string>({
  description:
    "Its Cedar text. An unknown attribute, or a statement that can never apply, is rejected with line and column.",
  sent: Type.String({ maxLength: POLICY_LIMIT, pattern: NUL_FREE }),
  checked: Type.String({ maxLength: POLICY_LIMIT }),
  shown: Type.String({ maxLength: POLICY_LIMIT }),
  must: `must be Cedar text of at most ${POLICY_LIMIT} characters.`,
  refuse: (value: string) => (value.includes("\0") ? "Policy contains a character that is not text." : undefined),
  required: true,
  audit: "name",
  example:
    'permit (principal in Role::"editor", action in [Action::"AccessManager:Read", ' +
    'Action::"AccessManager:Create", Action::"AccessManager:Update"], resource);',
});

const FIELDS = {
  Id: idField("Policy"),
  Name: nameField("Editors"),
  Description: descriptionField("The role editor reads, creates and changes records."),
  Policy: policyText,
  ...STAMP_FIELDS,
};

export const POLICY = record("Policy", {
  table: "policies",
  nouns: ["policy", "policies"],
  description: "A Cedar policy.",
  scopes: SETTING,
  audit: "Policy",
  fields: FIELDS,
  texts: {
    group: "Cedar policies; a request needs its scope and a policy that permits it.",
    alsoSaved: LOCK_OUT,
    remove: LOCK_OUT,
    example: ["Name", "Description", "Policy"],
  },
});
export type Policy = RowOf<typeof FIELDS> & Stamped;
export type PolicyInput = InputOf<typeof FIELDS>;
export type PolicyRecord = RecordOf<typeof FIELDS>;

/** Only the policy's text, without Cedar's messages. */
export const POLICY_TEXT = body({ name: "Policy", $id: "PolicyText", needs: ["Policy"] }, { Policy: policyText });

/** AbstractLong (docs/behaviour.md "Foreign keys"); Name is missing for callers who may not read the record. */
export interface SavedBy {
  Id: number;
  Name?: string;
  Type: string;
}

/** A text that a policy has or had. */
export const POLICY_VERSION = Type.Object(
  {
    Number: Type.Integer({ format: "int32", description: "Counted from 1 for each policy." }),
    Policy: Type.String({ maxLength: POLICY_LIMIT, description: "Its Cedar text." }),
    SavedOn: time(),
    SavedBy: orNull(ABSTRACT_LONG, { description: "null: created with the tenant." }),
  },
  { $id: "PolicyVersion" },
);
export type PolicyVersion = Omit<Static<typeof POLICY_VERSION>, "SavedBy"> & { SavedBy: SavedBy | null };
