// Roles: groups that policies refer to.

import { ROLE, type RoleRecord } from "../../access/index.ts";
import { AskButton, ButtonLink, Code, Facts, Pager, phrase, Section, Table, Text } from "../../ui/index.ts";
import { type ConsolePage, type ConsoleServices, confirming } from "../page.tsx";
import { declaredPages } from "../records/declared.tsx";
import { lookUpNames, type NameOf } from "../records/names.ts";
import { Changed, Value } from "../records/records.tsx";

import type { Visit } from "../visit.ts";
import { scopesOfApis } from "./apis.tsx";
import { addMember, askToRemove, leaveRole, type MemberRecord, pickPage, ROLES } from "./members.tsx";

export function rolePages(deps: ConsoleServices): ConsolePage[] {
  const both = ["Settings:Read", "Settings:Update"] as const;
  const about = "A role is a group of users and applications that policies refer to.";
  return declaredPages<RoleRecord, ReturnType<typeof ROLE.parse>>(ROLE, deps.roles, {
    lead: (visit) => (
      <p class="fine">
        {"A role grants scopes to its users, and "}
        <a href={visit.href("/settings/policies")}>policies</a>
        {" decide what its members can do."}
      </p>
    ),
    empty: { none: ["No roles to see", about], filtered: ["No role has this name", about] },
    columns: () => [
      { name: "Purpose", cell: ({ Description }) => <Value text={Description} /> },
      {
        name: "Members",
        cell: ({ Members }) => <Text text={Members.length.toLocaleString("en")} />,
        numeric: true,
      },
      { name: "Scopes", cell: ({ Scopes }) => <small safe>{Scopes.join(", ")}</small> },
    ],
    options: async (visit, role) => ({ Scopes: await scopesOfApis(deps, visit, role?.Scopes) }),
    messages: { added: "The role is added. Next, add members and policies that refer to it." },
    show: (visit, { record }) => roleBody(visit, record),
    effects: ({ Name, Members: { length } }) => [
      length === 1 ? "Its one member loses it." : `Its ${length.toLocaleString("en")} members lose it.`,
      phrase`Policies with Role::"${Name}" stay unchanged and no longer match.`,
      "Users lose the scopes that only this role grants.",
    ],
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
        <Facts facts={factsOf(role)} />
      </Section>
      <Section title={`Members (${role.Members.length.toLocaleString("en")})`} id="members">
        {members.length > 0 ? (
          <Table caption="Members" columns={columns(visit, role, name, mayChange)} rows={members} />
        ) : (
          <p class="fine">No members yet.</p>
        )}
        <Pager visit={visit} next={from + PAGE < role.Members.length ? String(from + PAGE) : null} />
        {mayChange && visit.may("AccessManager:Read") ? (
          <div class="buttons">
            <ButtonLink href={visit.href(`${ROLES}/${role.Id}/members/add`)}>Add members</ButtonLink>
          </div>
        ) : (
          ""
        )}
      </Section>
    </>
  );
}

function factsOf({ Id, Description, Scopes, CreatedOn, ModifiedOn }: RoleRecord): [string, JSX.Element][] {
  return [
    ["Purpose", <Value text={Description} />],
    ["Scopes of its users", <Value text={Scopes.join(", ")} />],
    ["Changed", <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn} />],
    ["Id", <Code text={Id} copy />],
  ];
}

function columns(visit: Visit, role: RoleRecord, name: NameOf, mayChange: boolean) {
  return [
    {
      name: "Name",
      cell: (member: MemberRecord) => (
        <a href={visit.href(visit.pathOf(member)!)} safe>
          {name(member)}
        </a>
      ),
    },
    { name: "Kind", cell: ({ Type }: MemberRecord) => <Text text={Type} /> },
    { name: "Id", cell: ({ Id }: MemberRecord) => <Code text={String(Id)} /> },
    ...(mayChange
      ? [
          {
            name: "Remove",
            cell: (member: MemberRecord) => (
              <AskButton
                visit={visit}
                action={`${ROLES}/${role.Id}/members/remove`}
                label="Remove"
                about={name(member)}
                question={questionOf(role, member, name(member))}
              />
            ),
          },
        ]
      : []),
  ];
}
