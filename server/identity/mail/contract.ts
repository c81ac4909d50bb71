import { Type } from "@sinclair/typebox";
import { MAIL_STATES } from "../../../workflows/contract.ts";
import { body, contract, each } from "../../platform/http/contract.ts";
import {
  derived,
  field,
  orNull,
  type RecordOf,
  readOnly,
  serverTime,
  serverTimeOrNull,
  time,
  uuid,
  word,
} from "../../platform/http/fields.ts";
import { recordIdFilter, textFilter, type Values, wordFilter } from "../../platform/http/query.ts";
import type { MailId } from "../../platform/ids.ts";
import { isMailAddress, MAX_MAIL_ADDRESS } from "../../platform/mail-address.ts";
import { record, SETTING } from "../../records/index.ts";
import { MAIL_KINDS } from "./kinds.ts";

const ATTEMPT = contract("", "", {
  Number: readOnly(Type.Integer({ format: "int32", minimum: 1 }), { example: 1 }),
  StartedOn: readOnly(time(), { example: "2026-01-31T12:00:00.080Z" }, (text: string) => new Date(text).toISOString()),
  DurationMs: readOnly(orNull(Type.Integer({ format: "int32", minimum: 0 })), {
    description: "null: in progress, or lost with its worker.",
    example: 120,
  }),
  StatusCode: readOnly(orNull(Type.Integer({ format: "int32" })), {
    description: "The mail server's answer; null: none.",
    example: 250,
  }),
  Failure: readOnly(orNull(Type.String()), { description: "The failure in one word; null: sent.", example: null }),
  Response: readOnly(orNull(Type.String()), {
    description: "The mail server's last line, or the error if it did not answer.",
    example: "250 2.0.0 Ok: queued as 4XyZ",
  }),
});

const ID = "0197c6f6-3a1b-7c4d-8e5f-60718293a4b5";
const WORKFLOW_ID = `Mail/Invitation/${ID}`;

export const MAIL = record("Mail", {
  table: "mails",
  description: "",
  scopes: SETTING,
  fields: {
    Id: readOnly(uuid<MailId>(), { judged: true, example: ID }),
    Kind: readOnly(word(MAIL_KINDS), { judged: true, example: "Invitation" }),
    To: readOnly(Type.String(), {
      description: "The address.",
      column: "recipient",
      judged: true,
      example: "ana@example.com",
    }),
    UserId: readOnly(
      orNull(Type.String()),
      { description: "The User, who may be deleted; null: none.", judged: true, example: "1007" },
      (id: number | null) => (id === null ? null : String(id)),
    ),
    State: readOnly(word(MAIL_STATES), {
      description:
        "Waiting: not sent yet. Held: the mail server is down, and the mail is sent when it is up again. Sent: the mail " +
        "server has accepted it. Bounced: the mail server refused the address. Failed: it was not sent, for another reason.",
      judged: true,
      example: "Sent",
    }),
    Reason: readOnly(orNull(Type.String()), {
      description: "Why it has not been sent; null: sent or new.",
      example: null,
    }),
    MessageId: readOnly(orNull(Type.String()), {
      description: "Its Message-ID, the same for all attempts; null: no attempt yet.",
      example: `<${ID}@example.com>`,
    }),
    Run: readOnly(Type.Integer({ format: "int32", minimum: 1 }), {
      description: "Counts the times that it was sent again, automatically or by hand.",
      example: 1,
    }),
    ExpiresOn: serverTimeOrNull({
      description: "When its link expires. It is not sent afterwards.",
      example: "2026-02-07T12:00:00.000Z",
    }),
    CreatedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
    EndedOn: serverTimeOrNull({ description: "null: Waiting or Held.", example: "2026-01-31T12:00:00.200Z" }),
    WorkflowId: derived(Type.String(), { example: WORKFLOW_ID }),
    WorkflowUrl: derived(Type.String({ format: "uri" }), {
      description: "The run in the Temporal UI.",
      example: `http://localhost:8233/namespaces/default/workflows/${encodeURIComponent(WORKFLOW_ID)}`,
    }),
    Attempts: each(ATTEMPT, { description: "The last 20.", stored: "elsewhere" }),
  },
  texts: {
    group: "Mails to people, without their content. Kept for 30 days.",
    remove: "",
  },
});
export type MailRecord = RecordOf<typeof MAIL.field>;

export const MAIL_FILTERS = {
  To: textFilter("To this address, in any case."),
  UserId: recordIdFilter("About this User.", { ofEntity: true }),
  Kind: wordFilter(MAIL_KINDS, "Of this kind."),
  State: wordFilter(MAIL_STATES, "In this state."),
};
export type MailFilter = Partial<Values<typeof MAIL_FILTERS>>;

export const TEST_MAIL = body(
  { name: "TestMail", $id: "TestMail", needs: ["To"] },
  {
    To: field<string>({
      description: "The address.",
      sent: Type.String({ maxLength: MAX_MAIL_ADDRESS }),
      must: "must be one mail address, such as ana@example.com.",
      fits: isMailAddress,
      example: "ana@example.com",
    }),
  },
);
