import { Type } from "@sinclair/typebox";
import {
  ABSTRACT_LONG,
  derived,
  EXAMPLE_ACTOR,
  field,
  type InputOf,
  NOBODY,
  orNull,
  type RecordOf,
  type RowOf,
  serverTime,
  title,
  word,
} from "../../../platform/http/fields.ts";
import { isMailAddress } from "../../../platform/mail-address.ts";
import { record, recordFields, SETTING } from "../../../records/index.ts";

export const STATES = ["Sent", "Accepted", "Expired", "Revoked"] as const;
export type InvitationState = (typeof STATES)[number];

const MAX_ROLES = 20;
const NAME_LIMIT = 200;

const FIELDS = {
  Id: {
    ...recordFields.idField("Invitation"),
    description: "Empty: it is found by its Email, if the invitation is open, or is new.",
  },
  Email: field<string, string>({
    description: "Where it is sent. An address has at most one open invitation.",
    sent: Type.String({ maxLength: 254 }),
    shown: Type.String(),
    must: "must be one mail address, such as ana@example.com.",
    fits: (text: string) => isMailAddress(text.trim()),
    take: (text: string) => text.trim(),
    required: true,
    audit: "name",
    judged: true,
    form: { label: "Mail address", type: "email", hint: "The invitation is sent there." },
    example: "ana@example.com",
  }),
  Name: field<string, string>({
    ...title(NAME_LIMIT, {
      description: "Full name of the new User.",
      audit: "name",
      judged: true,
      form: { label: "Full name" },
      example: "Ana Silva",
    }),
    documented: { default: "" },
    take: (value: string | null) => value ?? "",
  }),
  Roles: field<string[], string[]>({
    description: "Names of the roles that the new User gets. The inviter must be allowed to change each of them.",
    sent: orNull(Type.Array(Type.String({ minLength: 1, maxLength: NAME_LIMIT }), { maxItems: MAX_ROLES })),
    shown: Type.Array(Type.String()),
    must: `must be a list of at most ${MAX_ROLES} names of roles.`,
    take: (value: string[] | null) => value ?? [],
    audit: "value",
    judged: true,
    form: { label: "Roles", hint: "Only roles that you may change can be given." },
    example: ["editor"],
  }),
  DepartmentId: recordFields.recordIdField("Department", {
    description: "The Id of the new User's Department. Empty: none.",
    form: { label: "Department" },
    example: "",
  }),
  ExpiresOn: serverTime({
    description: "Seven days after it was last sent.",
    judged: true,
    example: "2026-02-07T12:00:00.000Z",
  }),
  InvitedBy: derived(
    ABSTRACT_LONG,
    { description: "The client or user that made it.", column: "createdBy", example: EXAMPLE_ACTOR },
    (stored: unknown) => (stored ?? NOBODY) as typeof NOBODY,
  ),
  State: derived(word(STATES), { description: "A deletion revokes an open one.", judged: true, example: "Sent" }),
  User: derived(
    ABSTRACT_LONG,
    { description: "The User that accepted it.", example: NOBODY },
    (stored: unknown) => (stored ?? NOBODY) as typeof NOBODY,
  ),
  ...recordFields.STAMP_FIELDS,
};

export const INVITATION = record("Invitation", {
  table: "invitations",
  description: "A mail that lets a person make their own User.",
  scopes: SETTING,
  audit: "Record",
  events: true,
  identifiers: ["Email"],
  fields: FIELDS,
  texts: {
    group: "Mails with a link by which a person makes their own User, with roles and a department.",
    save:
      "Updates the open invitation with this Id or Email; otherwise makes one, which needs Email, and sends the mail. The " +
      "caller must be allowed to create such a User and to change each role, now and when it is accepted. 409 without SMTP_URL.",
    remove:
      "Revokes an open invitation: its link is void, and its State is Revoked. A closed one is removed. Closed ones are removed " +
      "after 30 days.",
    example: ["Email", "Name", "Roles"],
  },
});
export type InvitationRecord = RecordOf<typeof FIELDS>;
export type InvitationInput = InputOf<typeof FIELDS>;
export type Invitation = RowOf<typeof FIELDS> & {
  id: string;
  state: InvitationState;
  storedState: Exclude<InvitationState, "Expired">;
  expiresOn: Date;
  clientId: number;
  sequence: number;
  userId: number | null;
  digest: Buffer | null;
};
