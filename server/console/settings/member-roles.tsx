// The roles of a user or an application: a section of its page, and a page for adding it to roles.

import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { firstPage, type Page as ListPage, MAX_LIMIT } from "../../platform/http/query.ts";
import { ROLE, type RoleRecord } from "../../records/index.ts";
import {
  ActionButton,
  AskButton,
  ButtonLink,
  type Column,
  type FormState,
  Link,
  List,
  ListSection,
  phrase,
  SelectField,
} from "../../ui/index.ts";
import { type ConsolePage, type ConsoleServices, confirming, type View, type Visit } from "../page.tsx";
import { chosenIn } from "../records/bulk.tsx";
import { askToRemove, isIn } from "../records/members.tsx";
import { nameOfRecord } from "../records/names.ts";
import { pagingOf, readRecord, Value } from "../records/records.tsx";
import { ofRemoval, ROLES } from "./roles.tsx";

type MemberRecord = RoleRecord["Members"][number];

/** An excerpt; the full list has its own page. */
const SHOWN = firstPage(10);

export function firstRolesOf({ roles }: ConsoleServices, visit: Visit, { Type, Id }: MemberRecord) {
  return roles.listOf(visit.permitted("Settings:Read"), { type: Type, id: Id }, SHOWN);
}

interface ShownMember {
  member: MemberRecord;
  title: string;
  path: string;
}

export interface RolesSectionProps extends ShownMember {
  visit: Visit;
  /** The member's roles. */
  page: ListPage<RoleRecord>;
}

export function RolesSection({ visit, page: { Items, Next }, ...member }: RolesSectionProps): JSX.Element {
  const mayAdd = visit.may("Settings:Update");
  return (
    <ListSection
      title="Roles"
      id="roles"
      columns={columns(visit, member, Items)}
      rows={Items}
      none="None."
      buttons={
        (mayAdd || Next !== null) && (
          <ButtonLink href={visit.href(`${member.path}/roles`)} label={mayAdd ? "Add to a role" : "All roles"} />
        )
      }
    />
  );
}

export const ADD_TO_ROLE = {
  to: "add-to-role",
  label: "Add to a role",
  needs: ["AccessManager:Read", "Settings:Read", "Settings:Update"],
} as const;

/** Adds the chosen records of a list to a role. */
function addToRolePage(deps: ConsoleServices, type: MemberRecord["Type"], base: string): ConsolePage {
  const list = { path: base, nouns: [type, `${type}s`] as const };
  return confirming({
    path: `${base}/${ADD_TO_ROLE.to}`,
    isLinked: true,
    needs: ADD_TO_ROLE.needs,
    async ask(visit) {
      const chosen = await chosenIn(list, deps.records.of(type), visit);
      const { Items } = await deps.roles.list(visit.permitted("Settings:Read"), { Sort: "Name" }, firstPage(MAX_LIMIT));
      const options = Items.map(({ Id, Name }) => ({ value: Id, label: Name }));
      return {
        ...chosen,
        kind: "main" as const,
        title: `Add ${chosen.count} to a role`,
        effects: [chosen.named, "Users get the role's scopes. Policies that name the role apply."],
        confirm: "Add to the role",
        form: {
          labels: { Role: "Role" },
          fields: (state: FormState) => <SelectField state={state} name="Role" label="Role" options={options} />,
        },
      };
    },
    async act(visit, { ids, count }) {
      const { Name } = await changeRole(deps, visit, { Add: ids.map((id) => ({ Type: type, Id: Number(id) })) });
      return visit.goTo(base, phrase`Added to ${Name ?? "the role"}: ${count}.`);
    },
  });
}

/** @param base the path of its record pages */
export function memberRolePages(deps: ConsoleServices, type: MemberRecord["Type"], base: string): ConsolePage[] {
  const path = `${base}/:id/roles`;
  const see = ["AccessManager:Read", "Settings:Read"] as const;
  const set = [...see, "Settings:Update"] as const;
  const memberOf = (visit: Visit) => readMember(deps, visit, type, base);
  return [
    addToRolePage(deps, type, base),
    { path, GET: { needs: see, answer: async (visit) => rolesPage(deps, visit, await memberOf(visit)) } },
    {
      path: `${path}/add`,
      POST: {
        needs: set,
        async answer(visit) {
          const { member, path: own } = await memberOf(visit);
          const { Name } = await changeRole(deps, visit, { Add: [member] });
          return visit.goTo(own, phrase`Added to ${Name ?? "the role"}.`);
        },
      },
    },
    confirming({
      path: `${path}/remove`,
      needs: set,
      async ask(visit) {
        const { record: role } = await deps.roles.read(visit.permitted("Settings:Read"), visit.form.get("Role") ?? "");
        return questionOf(role, await memberOf(visit));
      },
      async act(visit, { back }) {
        const { member } = await memberOf(visit);
        const { Name } = await changeRole(deps, visit, { Remove: [member] });
        return visit.goTo(back, phrase`Removed from ${Name ?? "the role"}.`);
      },
    }),
  ];
}

/** The member with the path's `:id`. @throws NotFound, Permission */
async function readMember({ records }: ConsoleServices, visit: Visit, Type: MemberRecord["Type"], base: string) {
  const record = await readRecord<Record<string, unknown>>(records.of(Type), visit);
  const member: MemberRecord = { Type, Id: Number(record.Id) };
  return { member, title: nameOfRecord(Type, record), path: `${base}/${member.Id}` };
}

/** @throws NotFound, Permission, Conflict if callers would lock themselves out */
async function changeRole({ roles }: ConsoleServices, visit: Visit, Members: object): Promise<Partial<RoleRecord>> {
  const body = { Id: visit.form.get("Role") ?? "", Members };
  return (await roles.save(visit.permitted("Settings:Update"), ROLE.parse(body), UNCONDITIONAL, body)).record;
}

/** All roles, including those without this member. */
async function rolesPage({ roles }: ConsoleServices, visit: Visit, member: ShownMember): Promise<View> {
  const caller = visit.permitted("Settings:Read");
  const { Type: type, Id: id } = member.member;
  const [page, held] = await Promise.all([
    roles.list(caller, {}, pagingOf(visit)),
    roles.listOf(caller, { type, id }, firstPage(MAX_LIMIT)),
  ]);
  return {
    title: "Roles",
    above: [{ name: member.title, path: member.path }],
    body: (
      <List
        visit={visit}
        caption="Roles"
        found={{ page }}
        columns={columns(visit, member, held.Items)}
        empty={{ none: ["No roles to see"] }}
      />
    ),
  };
}

function questionOf(role: RoleRecord, { member, title, path }: ShownMember) {
  const ways = { above: [{ name: title, path }], back: path };
  return askToRemove(role.Members, member, [title, role.Name], {
    ...ofRemoval(role),
    fields: { Role: role.Id },
    ...ways,
  });
}

/** How a member that the role does not list has it. */
function heldBy({ AllUsers, IdentityProviderId }: RoleRecord): string {
  if (AllUsers) return "like every user";
  return IdentityProviderId ? "by its identity provider or a group" : "by a group";
}

/** @param held the member's roles, also those that do not list it */
function columns(visit: Visit, of: ShownMember, held: readonly RoleRecord[]): Column<RoleRecord>[] {
  const { member, path } = of;
  return [
    { name: "Role", cell: ({ Id, Name }) => <Link href={visit.href(`${ROLES}/${Id}`)} text={Name} /> },
    { name: "Purpose", cell: ({ Description }) => <Value text={Description} /> },
    { name: "Scopes", cell: ({ Scopes }) => <small safe>{Scopes.join(", ")}</small> },
    {
      name: "In the role",
      cell(role) {
        const { Id, Name } = role;
        const isMember = isIn(role.Members, member);
        if (!isMember && held.some((one) => one.Id === Id)) {
          return (
            <span class="none" safe>
              {heldBy(role)}
            </span>
          );
        }
        if (!visit.may("Settings:Update", "Role", role)) return <span class="none">{isMember ? "yes" : "no"}</span>;
        if (!isMember) {
          return (
            <ActionButton visit={visit} action={`${path}/roles/add`} label="Add" about={Name} fields={{ Role: Id }} />
          );
        }
        return (
          <AskButton
            visit={visit}
            action={`${path}/roles/remove`}
            label="Remove"
            about={Name}
            question={questionOf(role, of)}
          />
        );
      },
    },
  ];
}
