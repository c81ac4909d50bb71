// Roles: groups that policies speak of.

import { ROLE, type RoleRecord } from "../../access/index.ts";
import { etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import {
  AskButton,
  Code,
  Facts,
  Form,
  type FormState,
  formOf,
  Pager,
  phrase,
  refusedForm,
  Section,
  SelectField,
  Table,
  Text,
  TextField,
} from "../../ui/index.ts";
import type { Page, SettingsDependencies, View } from "../page.tsx";
import { findByName } from "../records/find.ts";
import { type Kind, onePage, recordPages } from "../records/kind.tsx";
import { lookUpNames, type NameOf } from "../records/names.ts";
import { Changed, Value } from "../records/records.tsx";
import { settingsKind } from "../records/settings.tsx";
import type { Visit } from "../visit.ts";
import { scopesOfApis } from "./apis.tsx";

export const rolePages = (deps: SettingsDependencies): Page[] => recordPages(roleKind(deps));

const PATH = "/settings/roles";

function roleKind(deps: SettingsDependencies): Kind<RoleRecord> {
  const both = ["Settings:Read", "Settings:Update"] as const;
  const about = "A role is a group of users and applications that policies speak of.";
  return settingsKind<RoleRecord, ReturnType<typeof ROLE.parse>>({
    contract: ROLE,
    service: deps.roles,
    path: PATH,
    nouns: ["role", "Roles"],
    lead: (visit) => (
      <p class="fine">
        {"A role gives its users their scopes, and "}
        <a href={visit.href("/settings/policies")}>policies</a>
        {" say what its members may do."}
      </p>
    ),
    empty: { none: ["No roles to see", about], filtered: ["No role is called so", about] },
    columns: () => [
      { name: "What it is for", cell: ({ Description }) => <Value text={Description} /> },
      {
        name: "Members",
        cell: ({ Members }) => <Text text={Members.length.toLocaleString("en")} />,
        numeric: true,
      },
      { name: "Scopes", cell: ({ Scopes }) => <small safe>{Scopes.join(", ")}</small> },
    ],
    options: async (visit, role) => ({ Scopes: await scopesOfApis(deps, visit, role?.Scopes) }),
    told: { added: "The role is added. Now it needs members, and policies that speak of it." },
    show: (visit, { record }, refused) => roleBody(visit, record, refused),
    effects: ({ Name, Members: { length } }) => [
      length === 1 ? "Its one member loses it." : `Its ${length.toLocaleString("en")} members lose it.`,
      phrase`Policies that speak of Role::"${Name}" stay as they are, and mean nobody.`,
      "Users lose the scopes that only this role gives.",
    ],
    more: [
      {
        path: `${PATH}/:id/members/add`,
        POST: { needs: [...both, "AccessManager:Read"], answer: (visit) => addMember(deps, visit) },
      },
      { path: `${PATH}/:id/members/remove`, POST: { needs: both, answer: (visit) => removeMember(deps, visit) } },
    ],
  });
}

/** Members of one page. */
const PAGE = 50;

type Member = RoleRecord["Members"][number];

async function roleBody(visit: Visit, role: RoleRecord, refused: FormState | undefined) {
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
  );
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
        <a href={visit.href(visit.pathOf(member)!)} safe>
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
                action={`${PATH}/${role.Id}/members/remove`}
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

function AddMember({ visit, role, state }: { visit: Visit; role: RoleRecord; state: FormState }): JSX.Element {
  return (
    <Section title="Add a member">
      <Form visit={visit} action={`${PATH}/${role.Id}/members/add`} state={state}>
        <div class="filters">
          <div class="filter">
            <SelectField
              state={state}
              name="Type"
              label="Kind"
              options={[
                { value: "User", label: "User" },
                { value: "Application", label: "Application" },
              ]}
            />
          </div>
          <div class="filter wide">
            <TextField state={state} name="Member" label="User name, or application's name" required />
          </div>
          <div class="filter buttons">
            <button type="submit">Add</button>
          </div>
        </div>
      </Form>
    </Section>
  );
}

// Who is in a role: adding somebody, and taking somebody out.

async function addMember(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form } = visit;
  try {
    const type = form.get("Type") === "Application" ? "Application" : "User";
    const id = Number(await findByName(deps, visit, { type, name: form.get("Member") ?? "", field: "Member" }));
    return await saveMembers(deps, visit, ({ Members }) => [...Members, { Type: type, Id: id }], "is in the role now");
  } catch (error) {
    return onePage(roleKind(deps), visit, refusedForm(form, error, ["Type", "Member"]));
  }
}

async function removeMember(deps: SettingsDependencies, visit: Visit): Promise<Response> {
  const { form } = visit;
  const isOther = ({ Type, Id }: RoleRecord["Members"][number]) =>
    Type !== form.get("Type") || String(Id) !== form.get("Id");
  return saveMembers(deps, visit, ({ Members }) => Members.filter(isOther), "is not in the role any more");
}

/** @throws BadInput that begins with the field's name */
/** As the role stands now: nobody's change in between is lost. */
async function saveMembers(
  { roles }: SettingsDependencies,
  visit: Visit,
  members: (role: RoleRecord) => RoleRecord["Members"],
  told: string,
): Promise<Response> {
  const { record: role, version } = await roles.read(visit.permitted("Settings:Read"), visit.params.id!);
  const unchanged = { ...UNCONDITIONAL, ifMatch: [etagOf(version)] };
  const body = { Id: role.Id, Members: members(role) };
  const permitted = visit.permitted("Settings:Update");
  const { record: saved } = await roles.save(permitted, ROLE.parse(body), unchanged, body);
  return visit.goTo(`${PATH}/${saved.Id}`, `The ${visit.form.get("Type")} ${told}.`);
}
