// Roles: groups that policies refer to.

import { ROLE, type RoleRecord } from "../../records/index.ts";
import {
  askColumn,
  ButtonLink,
  Code,
  type Column,
  Facts,
  ListSection,
  type Option,
  Pager,
  phrase,
  Section,
  Text,
} from "../../ui/index.ts";
import { type ConsolePage, type ConsoleServices, confirming } from "../page.tsx";
import { contractForm, declaredPages } from "../records/declared.tsx";
import { lookUpNames, type NameOf } from "../records/names.ts";
import { Changed, Value } from "../records/records.tsx";
import { choiceOfProvider } from "../records/reference-field.tsx";

import type { Visit } from "../visit.ts";
import { scopesOfApis } from "./apis.tsx";
import { addMember, askToRemove, isGivenToUsers, leaveRole, type MemberRecord, pickPage, ROLES } from "./members.tsx";

export function rolePages(deps: ConsoleServices): ConsolePage[] {
  const both = ["Settings:Read", "Settings:Update"] as const;
  const about = "A role is a group of users and applications that policies refer to.";
  return declaredPages(ROLE, deps.roles, {
    columns: [
      { name: "Purpose", cell: ({ Description }) => <Value text={Description} /> },
      { name: "Members", cell: (role) => <Text text={memberCount(role)} />, numeric: true },
      { name: "Scopes", cell: ({ Scopes }) => <small safe>{Scopes.join(", ")}</small> },
    ],
    list: {
      lead: (visit) => (
        <p class="fine">
          {"A role grants scopes to its users, and "}
          <a href={visit.href("/settings/policies")}>policies</a>
          {" decide what its members can do."}
        </p>
      ),
      none: ["No roles to see", about],
      noMatch: ["No role has this name", about],
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
      show: (visit, { record }) => roleBody(visit, record),
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
    more: [
      {
        path: `${ROLES}/:id/members/add`,
        GET: { needs: [...both, "AccessManager:Read"], answer: (visit) => pickPage(deps, visit) },
        POST: { needs: [...both, "AccessManager:Read"], answer: (visit) => addMember(deps, visit) },
      },
      confirming({
        path: `${ROLES}/:id/members/remove`,
        needs: both,
        async ask(visit) {
          const { record: role } = await deps.roles.read(visit.permitted("Settings:Read"), visit.params.id!);
          const member = memberOf(visit);
          return questionOf(role, member, (await lookUpNames(visit, [member]))(member));
        },
        async act(visit, { back }) {
          const member = memberOf(visit);
          await leaveRole(deps, visit, visit.params.id!, member);
          return visit.goTo(back, phrase`The ${member.Type} was removed from the role.`);
        },
      }),
    ],
  });
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

function memberOf(visit: Visit): MemberRecord {
  return { Type: visit.form.get("Type") === "User" ? "User" : "Application", Id: Number(visit.form.get("Id")) };
}

function questionOf(role: RoleRecord, member: MemberRecord, name: string) {
  const back = `${ROLES}/${role.Id}`;
  const above = [
    { name: "Roles", path: ROLES },
    { name: role.Name, path: back },
  ];
  return askToRemove(role, member, name, { fields: { Type: member.Type, Id: String(member.Id) }, above, back });
}

const PAGE = 50;

async function roleBody(visit: Visit, role: RoleRecord) {
  const from = Math.max(0, Math.trunc(Number(visit.url.searchParams.get("Cursor"))) || 0);
  const members = role.Members.slice(from, from + PAGE);
  const name = await lookUpNames(visit, members);
  const mayChange = visit.may("Settings:Update", "Role", role);
  return (
    <>
      <Section title="Role">
        <Facts facts={await factsOf(visit, role)} />
      </Section>
      <ListSection
        title={`Members (${count(role)})`}
        id="members"
        caption="Members"
        columns={columns(visit, role, name, mayChange)}
        rows={members}
        none={isGivenToUsers(role) ? "None. Users have the role without being listed." : "No members yet."}
      >
        <Pager
          visit={visit}
          page={{ Next: from + PAGE < role.Members.length ? String(from + PAGE) : null, Hidden: 0 }}
        />
        {mayChange && visit.may("AccessManager:Read") ? (
          <div class="buttons">
            <ButtonLink href={visit.href(`${ROLES}/${role.Id}/members/add`)}>Add members</ButtonLink>
          </div>
        ) : (
          ""
        )}
      </ListSection>
    </>
  );
}

async function factsOf(visit: Visit, role: RoleRecord): Promise<[string, JSX.Element][]> {
  const { Id, Description, Scopes, AllUsers, IdentityProviderId, CreatedOn, ModifiedOn } = role;
  const provider = { Type: "IdentityProvider", Id: IdentityProviderId };
  const name = await lookUpNames(visit, IdentityProviderId ? [provider] : []);
  return [
    ["Purpose", <Value text={Description} />],
    ["Held by", <Text text={AllUsers ? "Every user, and the listed members" : "The listed members"} />],
    ...(IdentityProviderId
      ? [
          [
            "Also every user of",
            <a href={visit.href(visit.pathOf(provider)!)} safe>
              {name(provider)}
            </a>,
          ] satisfies [string, JSX.Element],
        ]
      : []),
    ["Scopes of its users", <Value text={Scopes.join(", ")} />],
    ["Changed", <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn} />],
    ["Id", <Code text={Id} copy />],
  ];
}

function columns(visit: Visit, role: RoleRecord, name: NameOf, mayChange: boolean): Column<MemberRecord>[] {
  return [
    {
      name: "Name",
      cell: (member) => (
        <a href={visit.href(visit.pathOf(member)!)} safe>
          {name(member)}
        </a>
      ),
    },
    { name: "Kind", cell: ({ Type }) => <Text text={Type} /> },
    { name: "Id", cell: ({ Id }) => <Code text={String(Id)} /> },
    ...askColumn<MemberRecord>(visit, mayChange, "Remove", (member) => ({
      action: `${ROLES}/${role.Id}/members/remove`,
      label: "Remove",
      about: name(member),
      question: questionOf(role, member, name(member)),
    })),
  ];
}
