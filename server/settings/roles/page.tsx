import type { RoleRecord } from "../../access/index.ts";
import {
  AskButton,
  ButtonLink,
  Code,
  Facts,
  type FormState,
  formOf,
  Pager,
  phrase,
  Section,
  Table,
  Text,
} from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { lookUpNames, type NameOf, pathOfRecord } from "../records/names.ts";
import { Changed, Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { AddMember } from "./add-member.tsx";
import { pathOf, ROLES } from "./role.ts";

/** Members of one page. */
const PAGE = 50;

type Member = RoleRecord["Members"][number];

export async function rolePage(deps: SettingsDependencies, visit: Visit, refused?: FormState): Promise<View> {
  const { record: role } = await deps.roles.read(visit.permitted("Settings:Read"), visit.params.id!);
  const from = Math.max(0, Math.trunc(Number(visit.url.searchParams.get("Cursor"))) || 0);
  const members = role.Members.slice(from, from + PAGE);
  const name = await lookUpNames(deps, visit, members);
  const mayChange = visit.may("Settings:Update", "Role", role);
  return {
    title: role.Name,
    above: [{ name: "Roles", path: ROLES }],
    status: refused ? 422 : 200,
    actions: mayChange ? (
      <>
        <ButtonLink href={visit.href(`${pathOf(role)}/change`)}>Change</ButtonLink>
        <ButtonLink href={visit.href(`${pathOf(role)}/delete`)} kind="danger">
          Delete
        </ButtonLink>
      </>
    ) : undefined,
    body: (
      <>
        <Section title="Role">
          <Facts facts={factsOf(role)} />
        </Section>
        <Section title={`Members (${role.Members.length.toLocaleString("en")})`} id="members">
          {members.length > 0 ? (
            <Table caption="Members" columns={columns(visit, role, name, mayChange)} rows={members} />
          ) : (
            <p class="fine">Nobody yet.</p>
          )}
          <Pager visit={visit} next={from + PAGE < role.Members.length ? String(from + PAGE) : null} />
        </Section>
        {mayChange && visit.may("AccessManager:Read") ? (
          <AddMember visit={visit} role={role} state={refused ?? formOf({ Type: "User" })} />
        ) : (
          ""
        )}
      </>
    ),
  };
}

function factsOf({ Id, Description, Scopes, CreatedOn, ModifiedOn }: RoleRecord): [string, JSX.Element][] {
  return [
    ["What it is for", <Value text={Description} />],
    ["Scopes of its users", <Value text={Scopes.join(", ")} />],
    ["Changed", <Changed CreatedOn={CreatedOn} ModifiedOn={ModifiedOn} />],
    ["Id", <Code text={Id} copy />],
  ];
}

function columns(visit: Visit, role: RoleRecord, name: NameOf, mayChange: boolean) {
  return [
    {
      name: "Name",
      cell: (member: Member) => (
        <a href={visit.href(pathOfRecord(member)!)} safe>
          {name(member)}
        </a>
      ),
    },
    { name: "Kind", cell: ({ Type }: Member) => <Text text={Type} /> },
    { name: "Id", cell: ({ Id }: Member) => <Code text={String(Id)} /> },
    ...(mayChange
      ? [
          {
            name: "Take out",
            cell: (member: Member) => (
              <AskButton
                visit={visit}
                action={`${pathOf(role)}/members/remove`}
                label="Remove"
                about={name(member)}
                question={phrase`Remove ${name(member)} from ${role.Name}?`}
                effects={["What the role alone permits ends with the next request."]}
                confirm="Remove"
                fields={{ Type: member.Type, Id: String(member.Id) }}
              />
            ),
          },
        ]
      : []),
  ];
}
