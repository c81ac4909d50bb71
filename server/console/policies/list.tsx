import type { PolicyRecord } from "../../access/index.ts";
import { ButtonLink, EmptyState, find, List, statusOf } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { askedByName, Changed, Value } from "../records/records.tsx";
import type { Visit } from "../visit.ts";

const FILTERS = [{ name: "Name", label: "Name, in full" }];

export async function listPage({ policies }: SettingsDependencies, visit: Visit): Promise<View> {
  const found = await find(visit, FILTERS, async () => {
    const { filter, paging } = askedByName(visit);
    return policies.list(visit.permitted("Settings:Read"), filter, paging);
  });
  return {
    title: "Policies",
    status: statusOf(found),
    lead: (
      <p class="fine">
        {"A request needs a scope and a policy that permits it. "}
        <a href={visit.href("/settings/roles")}>Roles</a>
        {" say who is meant."}
      </p>
    ),
    actions: visit.may("Settings:Update") ? (
      <ButtonLink href={visit.href(`${POLICIES}/add`)} kind="main">
        {"Add policy"}
      </ButtonLink>
    ) : undefined,
    body: (
      <List
        visit={visit}
        caption="Policies"
        filters={FILTERS}
        found={found}
        columns={columns(visit)}
        empty={
          <EmptyState title={visit.url.searchParams.get("Name") ? "No policy is called so" : "No policies to see"}>
            <p>Nothing is allowed that no policy permits.</p>
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
      cell: (policy: PolicyRecord) => (
        <a href={visit.href(pathOf(policy))} safe>
          {policy.Name}
        </a>
      ),
    },
    { name: "What it says", cell: ({ Description }: PolicyRecord) => <Value text={Description} /> },
    { name: "Changed", cell: (policy: PolicyRecord) => <Changed {...policy} ago /> },
  ];
}

export const POLICIES = "/settings/policies";

export function pathOf({ Id }: { Id: string }): string {
  return `${POLICIES}/${Id}`;
}
