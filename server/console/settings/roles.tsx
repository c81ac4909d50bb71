// Roles: groups that policies refer to.

import { ROLE, type RoleRecord, type SETTING } from "../../records/index.ts";
import { Code, type Fact, type Option, phrase, Section, Text } from "../../ui/index.ts";
import type { ConsolePage, ConsoleServices, Visit } from "../page.tsx";
import { contractForm, declaredKind } from "../records/declared.tsx";
import { withMembers } from "../records/members.tsx";
import { lookUpNames } from "../records/names.ts";
import { RecordLink } from "../records/record-link.tsx";
import { recordPages } from "../records/record-pages.tsx";
import { Changed, Value } from "../records/records.tsx";
import { choiceOfProvider } from "../records/reference-field.tsx";
import { scopesOfApis } from "./apis.tsx";

export const ROLES = "/settings/roles";

export function rolePages(deps: ConsoleServices): ConsolePage[] {
  const about = "A role is a group of users and applications that policies refer to.";
  const kind = declaredKind<RoleRecord, ReturnType<typeof ROLE.parse>, typeof SETTING>(ROLE, deps.roles, {
    columns: [
      { name: "Purpose", cell: ({ Description }) => <Value text={Description} /> },
      { name: "Members", cell: (role) => <Text text={memberCount(role)} />, numeric: true },
      { name: "Scopes", cell: ({ Scopes }) => <small safe>{Scopes.join(", ")}</small> },
    ],
    list: {
      lead: (visit) => (
        <p class="fine">
          A role grants scopes to its users, and <a href={visit.href("/settings/policies")}>policies</a> decide what its
          members can do.
        </p>
      ),
      none: ["No roles to see", about],
    },
    form: {
      async of(visit, held) {
        const { Scopes = [], IdentityProviderId = "0" } = held?.record ?? {};
        const provider = await choiceOfProvider(deps, visit, { Id: Number(IdentityProviderId) });
        const options = {
          Scopes: await scopesOfApis(deps, visit, Scopes),
          IdentityProviderId: provider?.options ?? NONE,
        };
        return contractForm(ROLE, ROLE.form, held, options);
      },
    },
    page: {
      show: async (visit, { record }) => <Section title="Role" facts={await factsOf(visit, record)} />,
      effects: async (role, visit) => [
        ...(role.AllUsers ? ["Every user loses it."] : []),
        ...(role.IdentityProviderId ? ["Every user of its identity provider loses it."] : []),
        role.Members.length === 1 ? "Its one listed member loses it." : `Its ${count(role)} listed members lose it.`,
        ...(await namedBy(deps, visit, role.Name)),
        phrase`Policies with Role::"${role.Name}" stay unchanged and no longer match.`,
        "Users lose the scopes that only this role grants.",
      ],
    },
    messages: {
      added: () => "The role is added. Next, add members and policies that refer to it.",
      changed: async (visit, { Name = "" }) =>
        ["The role is changed.", ...(await namedBy(deps, visit, Name))].join(" "),
    },
  });
  return recordPages(
    withMembers(deps, kind, ROLE, {
      none: (role) => (isGivenToUsers(role) ? "None. Users have the role without being listed." : "No members yet."),
      ofRemoval,
    }),
  );
}

/** Removing a member depends on the role's scopes, because their permissions end. */
export const ofRemoval = ({ Scopes }: RoleRecord) => ({
  effects: ["Permissions of only this role end with the next request."],
  basis: Scopes,
});

/** Whether users have the role without being listed. */
export function isGivenToUsers({ AllUsers, IdentityProviderId }: RoleRecord): boolean {
  return AllUsers || IdentityProviderId !== "";
}

/** Without identity providers, the choice has one option. */
const NONE: Option[] = [{ value: "", label: "none" }];

const count = ({ Members }: RoleRecord) => Members.length.toLocaleString("en");

/** The listed members, and the users who have the role without being listed. */
function memberCount(role: RoleRecord): string {
  if (role.AllUsers) return "every user";
  return role.IdentityProviderId ? `${count(role)} + users of a provider` : count(role);
}

/** The visible policies that name a role, in a sentence. */
async function namedBy({ policies }: ConsoleServices, visit: Visit, name: string): Promise<string[]> {
  if (!visit.may("Settings:Read")) return [];
  const naming = await policies.naming(visit.permitted("Settings:Read"), name);
  if (naming.length === 0) return [];
  const names = naming.map(({ Name }) => Name).join(", ");
  return [`${naming.length === 1 ? "A policy names it" : "Policies name it"}: ${names}.`];
}

async function factsOf(visit: Visit, role: RoleRecord): Promise<(Fact | false)[]> {
  const { Id, Description, Scopes, AllUsers, IdentityProviderId, CreatedOn, ModifiedOn } = role;
  const provider = { Type: "IdentityProvider", Id: IdentityProviderId };
  const name = await lookUpNames(visit, IdentityProviderId ? [provider] : []);
  return [
    ["Purpose", <Value text={Description} />],
    ["Held by", <Text text={AllUsers ? "Every user, and the listed members" : "The listed members"} />],
    IdentityProviderId !== "" && ["Also every user of", <RecordLink visit={visit} one={provider} name={name} />],
    ["Scopes of its users", <Value text={Scopes.join(", ")} />],
    ["Changed", <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn} />],
    ["Id", <Code text={Id} copy />],
  ];
}
