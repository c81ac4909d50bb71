import { field, flag, type InputOf, orNull, type RecordOf, type RowOf } from "../../../platform/http/fields.ts";
import { descriptionField, idField, nameField, recordIdField, STAMP_FIELDS, type Stamped } from "../../fields.ts";
import { record, SETTING } from "../../record.ts";
import { type Member, references } from "../../reference-list.ts";
import { isOwnScope, SCOPE_ACTIONS, SCOPE_LIST, SCOPE_TEXTS, SCOPES } from "../scopes.ts";
import { LOCK_OUT } from "../settings.ts";

const FIELDS = {
  Id: idField("Role"),
  Name: nameField("editor", 'Policies refer to it as Role::"name". A change of name changes them, too.'),
  Description: descriptionField("Keeps the records.", { label: "Purpose" }),
  Scopes: field<string[], string[]>({
    description: "Scopes that its users can get in a token, of this service and of APIs.",
    sent: orNull(SCOPE_LIST.schema),
    shown: SCOPE_LIST.schema,
    must: SCOPE_LIST.must,
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
  Members: references(["User", "Application", "Group"], { through: "role_members", judged: true }),
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
  RequiresPasskey: flag({
    description: "Its users must sign in with a passkey, from TenantSettings.PasskeysRequiredFrom on.",
    documented: { default: false },
    audit: "value",
    judged: true,
    form: {
      label: "Its users need a passkey",
      hint: "Users without one must add one on their next request.",
    },
    example: false,
  }),
  ...STAMP_FIELDS,
};

export const ROLE = record("Role", {
  table: "roles",
  nouns: ["role", "roles"],
  description: "A set of callers that policies refer to.",
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
export type RoleRecord = RecordOf<typeof FIELDS>;
export type RoleInput = InputOf<typeof FIELDS>;
export type Role = Omit<RowOf<typeof FIELDS>, "members"> & { members: Member[] } & Stamped;
