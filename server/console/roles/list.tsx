import type { RoleRecord } from "../../access/index.ts";
import { ButtonLink, EmptyState, find, List, statusOf, Text } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { askedByName, Value } from "../records/records.tsx";
import type { Visit } from "../visit.ts";

const FILTERS = [{ name: "Name", label: "Name, in full" }];

export async function listPage({ roles }: SettingsDependencies, visit: Visit): Promise<View> {
  const found = await find(visit, FILTERS, async () => {
    const { filter, paging } = askedByName(visit);
    return roles.list(visit.permitted("Settings:Read"), filter, paging);
  });
  return {
    title: "Roles",
    status: statusOf(found),
    lead: (
      <p class="fine">
        {"A role gives its users their scopes, and "}
        <a href={visit.href("/settings/policies")}>policies</a>
        {" say what its members may do."}
      </p>
    ),
    actions: visit.may("Settings:Update") ? (
      <ButtonLink href={visit.href(`${ROLES}/add`)} kind="main">
        {"Add role"}
      </ButtonLink>
    ) : undefined,
    body: (
      <List
        visit={visit}
        caption="Roles"
        filters={FILTERS}
        found={found}
        columns={columns(visit)}
        empty={
          <EmptyState title={visit.url.searchParams.get("Name") ? "No role is called so" : "No roles to see"}>
            <p>A role is a group of users and applications that policies speak of.</p>
          </EmptyState>
        }
      />
    ),
  };
}

function columns(visit: Visit) {
  return [
    {
      name: "Name",
      cell: (role: RoleRecord) => (
        <a href={visit.href(pathOf(role))} safe>
          {role.Name}
        </a>
      ),
    },
    { name: "What it is for", cell: ({ Description }: RoleRecord) => <Value text={Description} /> },
    {
      name: "Members",
      cell: ({ Members }: RoleRecord) => <Text text={Members.length.toLocaleString("en")} />,
      numeric: true,
    },
    { name: "Scopes", cell: ({ Scopes }: RoleRecord) => <small safe>{Scopes.join(", ")}</small> },
  ];
}

export const ROLES = "/settings/roles";

export function pathOf({ Id }: { Id: string }): string {
  return `${ROLES}/${Id}`;
}
