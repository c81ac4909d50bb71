import { type Static, Type } from "@sinclair/typebox";
import { field, flag, type InputOf, orNull, type RecordOf, type RowOf, word } from "../../../platform/http/fields.ts";
import { toRecordId } from "../../../platform/http/query.ts";
import { descriptionField, idField, nameField, recordIdField, STAMP_FIELDS, type Stamped } from "../../fields.ts";
import { record, SETTING } from "../../record.ts";
import type { Member } from "../roles.store.ts";
import { ANY_SCOPE, isOwnScope, SCOPE_ACTIONS, SCOPE_TEXTS, SCOPES, SCOPES_MUST } from "../scopes.ts";
import { LOCK_OUT } from "../settings.ts";

/** Larger groups are AllUsers, the Users of an identity provider, or a policy about an attribute. */
export const MEMBER_LIMIT = 1_000;

const member = Type.Object({
  Type: word(["User", "Application"]),
  Id: Type.Integer({ format: "int64", description: "A body may also contain it as text." }),
});

const FIELDS = {
  Id: idField("Role"),
  Name: nameField("editor", 'Policies refer to it as Role::"name". A change of name changes them, too.'),
  Description: descriptionField("Keeps the records.", { label: "Purpose" }),
  Scopes: field<string[], string[]>({
    description: "Scopes that its users can get in a token, of this service and of APIs.",
    sent: orNull(Type.Array(ANY_SCOPE)),
    shown: Type.Array(ANY_SCOPE),
    must: SCOPES_MUST,
    take: (value: string[] | null) => [
      ...SCOPES.filter((scope) => value?.includes(scope)),
      ...(value ?? []).filter((scope) => !isOwnScope(scope)),
    ],
    audit: "value",
    judged: true,
    form: {
      label: "Scopes",
      explained: SCOPE_TEXTS,
      hint: "Scopes that members can get in a token and in Settings. Each operation also needs a policy.",
      // Every user has the other scopes.
      offered: SCOPE_ACTIONS,
    },
    example: ["AccessManager:Read", "AccessManager:Create", "AccessManager:Update"],
  }),
  Members: field<Member[], Static<typeof member>[]>({
    description:
      'Each is {"Type": "User" or "Application", "Id": its number}. The complete list: members omitted in a body are removed.',
    sent: orNull(Type.Array(member, { maxItems: MEMBER_LIMIT })),
    checked: orNull(Type.Array(Type.Unknown(), { maxItems: MEMBER_LIMIT })),
    shown: Type.Array(member, { maxItems: MEMBER_LIMIT }),
    must: `must be a list of at most ${MEMBER_LIMIT}.`,
    refuse(value: unknown[] | null) {
      const wrong = (value ?? []).findIndex((one) => toMember(one) === undefined);
      return wrong < 0 ? undefined : `Members[${wrong}] must be {"Type": "User" | "Application", "Id": …}.`;
    },
    take: (value: unknown[] | null) => inOrder((value ?? []).flatMap((one) => toMember(one) ?? [])),
    show: (stored) => (stored as Member[]).map(({ type, id: Id }) => ({ Type: type, Id })),
    stored: "elsewhere",
    audit: "value",
    example: [{ Type: "User", Id: 7 }],
  }),
  AllUsers: flag({
    description:
      "Every User has the role, also those that are made later. Then, and with IdentityProviderId, its Scopes are of APIs.",
    documented: { default: false },
    audit: "value",
    judged: true,
    form: {
      label: "Every user has it",
      hint: "Present and future users. Its scopes can then only be scopes of APIs.",
    },
    example: false,
  }),
  IdentityProviderId: recordIdField("IdentityProvider", {
    description: "Every User who is linked to this IdentityProvider has the role. Empty: none.",
    form: {
      label: "Every user of an identity provider has it",
      hint: "Users who are linked to it; with rules for new users, only those that its sign-ins made. Its scopes can then only be scopes of APIs.",
    },
    example: "",
  }),
  ...STAMP_FIELDS,
};

export const ROLE = record("Role", {
  table: "roles",
  nouns: ["role", "roles"],
  description: "A group that policies refer to.",
  scopes: SETTING,
  audit: "Role",
  // `Role::"admin"` as a resource is the role that principals are members of.
  key: "Name",
  fields: FIELDS,
  texts: {
    group: "Groups of users and clients that policies refer to, and the scopes that users get.",
    alsoSaved: `A change of Name changes the policies that name the role: 403 if the caller may not change them. ${LOCK_OUT}`,
    remove: `Policies that name the role stay unchanged, and say in Findings that it is missing. ${LOCK_OUT}`,
    example: ["Name", "Description", "Scopes"],
  },
});
/** With its listed members: users first, then Applications, each by its Id. */
export type Role = RowOf<typeof FIELDS> & Stamped;
export type RoleInput = InputOf<typeof FIELDS>;
export type RoleRecord = RecordOf<typeof FIELDS>;

/** As they are stored: each once, users first. */
function inOrder(members: Member[]): Member[] {
  const each = [...new Map(members.map((member) => [`${member.type} ${member.id}`, member])).values()];
  return each.sort((one, other) => (one.type === other.type ? one.id - other.id : one.type === "User" ? -1 : 1));
}

/** An Application's Id may be a string, as in its own record. */
function toMember(value: unknown): Member | undefined {
  const { Type: type, Id } = (value ?? {}) as { Type?: unknown; Id?: unknown };
  const number = toRecordId(Id);
  if ((type !== "User" && type !== "Application") || number === undefined) return undefined;
  return { type, id: number };
}
