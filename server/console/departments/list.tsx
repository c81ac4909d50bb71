import { Badge, ButtonLink, EmptyState, find, List, statusOf } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { ACTIVE_FILTER, filtersOf, isFiltered, listRecords, Value } from "../records/records.tsx";
import { nameOf, type Reference } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";

const FILTERS = [{ name: "Search", label: "Search" }, ACTIVE_FILTER];

export async function listPage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const parameters = filtersOf(visit);
  const found = await find(visit, FILTERS, () => listRecords<Department>(records.of("Department"), visit, parameters));
  const mayAdd = visit.may("AccessManager:Create") && visit.may("AccessManager:Update");
  const filtered = isFiltered(parameters);
  return {
    title: "Departments",
    status: statusOf(found),
    actions: mayAdd ? (
      <ButtonLink href={visit.href(`${DEPARTMENTS}/add`)} kind="main">
        {"Add department"}
      </ButtonLink>
    ) : undefined,
    body: (
      <List
        visit={visit}
        caption="Departments"
        filters={FILTERS}
        found={found}
        columns={columns(visit)}
        empty={
          <EmptyState title={filtered ? "No department is like that" : "No departments to see"}>
            <p>
              {filtered
                ? "The search looks for a part of names and external Ids."
                : "A department is a part of the organisation that users belong to."}
            </p>
          </EmptyState>
        }
      />
    ),
  };
}

export function columns(visit: Visit) {
  return [
    {
      name: "Name",
      cell: (department: Department) => (
        <a href={visit.href(pathOf(department))} safe>
          {titleOf(department)}
        </a>
      ),
    },
    { name: "External Id", cell: ({ ExternalId }: Department) => <Value text={ExternalId} /> },
    {
      name: "Part of",
      cell: ({ ParentId }: Department) => <Value text={ParentId.Id ? titleOf(ParentId) : ""} />,
    },
    { name: "State", cell: ({ Is_Active }: Department) => <Badge state={Is_Active ? "Active" : "Inactive"} /> },
  ];
}

/** docs/behaviour.md "Department". */
export interface Department extends Reference {
  Description: string;
  Is_Active: boolean;
  ModifiedOn: string;
  CreatedOn: string;
  ParentId: Reference;
}

export const DEPARTMENTS = "/settings/departments";

export function pathOf({ Id }: Pick<Reference, "Id">): string {
  return `${DEPARTMENTS}/${Id}`;
}

export function titleOf(department: Reference): string {
  return nameOf("Department", department);
}
