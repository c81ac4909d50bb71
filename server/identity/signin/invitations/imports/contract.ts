import { Type } from "@sinclair/typebox";
import { IMPORT_STATES } from "../../../../../workflows/contract.ts";
import { body } from "../../../../platform/http/contract.ts";
import {
  derived,
  field,
  flag,
  type LogRow,
  oneOf,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  uuid,
  word,
} from "../../../../platform/http/fields.ts";
import { type Values, wordFilter } from "../../../../platform/http/query.ts";
import { record, SETTING } from "../../../../records/index.ts";
import { MAX_ROWS } from "./csv.ts";

const MAX_CSV = 1_000_000;
/** Problems and skipped rows that an answer has. */
export const MAX_REPORTED = 100;

const ID = "0197c6f8-1a2b-7c3d-8e4f-5061728394a5";
const count = (description: string, example: number) =>
  readOnly(Type.Integer({ format: "int32", minimum: 0 }), { description, example });
/** A person who was not invited. */
export const SKIPPED = Type.Object({ Row: Type.Integer({ format: "int32" }), Reason: Type.String() });
const REPORTED = Type.Array(SKIPPED);

export const IMPORT = record("InvitationImport", {
  table: "invitation_imports",
  description: "",
  scopes: SETTING,
  fields: {
    Id: readOnly(uuid(), { judged: true, example: ID }),
    State: readOnly(word(IMPORT_STATES), { judged: true, example: "Completed" }),
    Total: count("The number of people in the file.", 120),
    Done: count("How many are invited or skipped.", 120),
    Invited: count("How many are invited. Their mails leave at MAIL_RATE.", 119),
    Skipped: derived(REPORTED, {
      description: `The first ${MAX_REPORTED} people who were not invited: the line of the file, and why.`,
      example: [{ Row: 7, Reason: "has an open invitation" }],
    }),
    CreatedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
    EndedOn: serverTimeOrNull({ example: "2026-01-31T12:00:09.000Z" }),
    WorkflowId: derived(Type.String(), { example: `InvitationImport/${ID}` }),
  },
  texts: {
    group: `Invitations of up to ${MAX_ROWS} people by a CSV file. Kept for 30 days after the end.`,
    remove: "",
  },
});
export type ImportRecord = RecordOf<typeof IMPORT.field>;
export type ImportRow = LogRow<typeof IMPORT.field> & { skipped: ImportRecord["Skipped"] };
export const IMPORT_FILTERS = { State: wordFilter(IMPORT_STATES, "In this state.") };
export type ImportFilter = Partial<Values<typeof IMPORT_FILTERS>>;

export const IMPORT_DATA = body(
  { name: "InvitationImport", $id: "InvitationImportData", needs: ["Csv"] },
  {
    Csv: field<string>({
      description:
        "A CSV file. Its first line names the columns: Email, and if needed Name, Roles (names separated by semicolons) and " +
        `DepartmentId. At most ${MAX_ROWS} people.`,
      sent: Type.String({ maxLength: MAX_CSV }),
      maxLength: MAX_CSV,
      must: "must be the text of a CSV file.",
    }),
    DryRun: flag({ description: "Only check the file.", documented: { default: false } }),
  },
);
export const IMPORT_CHANGE = body(
  { name: "InvitationImport", $id: "InvitationImportChange", needs: ["State"] },
  { State: oneOf(["Running", "Paused", "Cancelled"], {}) },
);

/** The answer of a dry run. */
export const IMPORT_CHECK = Type.Object(
  {
    Valid: Type.Integer({ format: "int32", description: "People who can be invited." }),
    Invalid: Type.Integer({ format: "int32", description: "Problems in the file." }),
    Problems: Type.Array(
      Type.Object({ Row: Type.Integer({ format: "int32" }), Field: Type.String(), Message: Type.String() }),
      { description: `The first ${MAX_REPORTED}.` },
    ),
  },
  { $id: "InvitationImportCheck" },
);
