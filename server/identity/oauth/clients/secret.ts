import { Type } from "@sinclair/typebox";
import { body, contract } from "../../../platform/http/contract.ts";
import {
  type InputOf,
  type LogRow,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  title,
  uuid,
} from "../../../platform/http/fields.ts";

/** The maximum number of characters. */
const NAME_LIMIT = 100;

const FIELDS = {
  Name: title(NAME_LIMIT, { description: "Distinguishes it from others, such as by where it is used." }),
};

export const SECRET_DATA = body({ name: "Secret", $id: "SecretData" }, FIELDS);
export type SecretInput = InputOf<typeof FIELDS>;

/** Without its value. */
export const SECRET = contract("Secret", "", {
  Id: readOnly(uuid(), { example: "0197c6f4-0a1b-7c2d-8e3f-405162738495" }),
  Name: readOnly(Type.String(), { example: "payroll, production" }),
  CreatedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  LastUsedOn: serverTimeOrNull({
    description: "The last use, accurate to an hour. null: never used.",
    example: "2026-02-28T09:30:00.000Z",
  }),
});
export type SecretRecord = RecordOf<typeof SECRET.field>;
export type StoredSecret = LogRow<typeof SECRET.field>;
