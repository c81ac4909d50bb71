import { Type } from "@sinclair/typebox";
import { body, contract } from "../../../platform/http/contract.ts";
import {
  ABSTRACT_LONG,
  EXAMPLE_ACTOR,
  type Field,
  field,
  type InputOf,
  type LogRow,
  NUL_FREE,
  orNull,
  type RecordOf,
  type RowOf,
  readOnly,
  serverTime,
} from "../../../platform/http/fields.ts";
import { descriptionField, idField, nameField, STAMP_FIELDS, type Stamped } from "../../fields.ts";
import { record, SETTING } from "../../record.ts";
import { LOCK_OUT } from "../settings.ts";

/** The maximum number of characters. */
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

/** A record that the policy names, and that does not exist. */
export interface PolicyFinding {
  /** As in the policy: Role, Client, User, or another type of record. */
  Type: string;
  Key: string;
  Message: string;
}

const FINDING = Type.Object({
  Type: Type.String({ description: "Its type in the policy, such as Role, Client or User." }),
  Key: Type.String({ description: "A role's Name, another record's Id." }),
  Message: Type.String(),
});

const FIELDS = {
  Id: idField("Policy"),
  Name: nameField("Editors"),
  Description: descriptionField("The role editor reads, creates and changes records."),
  Policy: policyText,
  Findings: {
    ...readOnly(Type.Array(FINDING), {
      description:
        "The records that it names and that do not exist. It is in force, but applies to none of them. Only types are " +
        "included whose records the caller may all read. At most 20, and then one with an empty Type and Key that " +
        "counts the others.",
      example: [],
    }),
    // The records may have changed since it was read.
    isEcho: Array.isArray,
    stored: "elsewhere",
    show: (stored: unknown) => (stored as PolicyFinding[] | undefined) ?? [],
  } satisfies Field<unknown, PolicyFinding[]>,
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
/** @property findings only if they were read */
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
export const POLICY_VERSION = contract("PolicyVersion", "", {
  Number: readOnly(Type.Integer({ format: "int32" }), { description: "Counted from 1 for each policy.", example: 2 }),
  Policy: readOnly(Type.String({ maxLength: POLICY_LIMIT }), {
    description: "Its Cedar text.",
    example: POLICY.example.Policy,
  }),
  SavedOn: serverTime({ example: POLICY.example.ModifiedOn }),
  SavedBy: readOnly(Type.Unsafe<SavedBy | null>(orNull(ABSTRACT_LONG)), {
    description: "null: created with the tenant.",
    example: EXAMPLE_ACTOR,
  }),
});
export type PolicyVersion = RecordOf<typeof POLICY_VERSION.field>;
export type StoredVersion = LogRow<typeof POLICY_VERSION.field>;
