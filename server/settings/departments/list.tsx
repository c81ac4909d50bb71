import { Badge, ButtonLink, EmptyState, Pager, SearchForm, Table } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { filtersOf } from "../records/records.ts";
import { Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { DEPARTMENTS, type Department, pathOf, titleOf } from "./department.ts";

export async function listPage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const parameters = filtersOf(visit);
  const { Items, Next } = await records.of("Department").list(visit.caller, parameters);
  const mayAdd = visit.may("AccessManager:Create") && visit.may("AccessManager:Update");
  const isFiltered = [...parameters.keys()].some((name) => name !== "Cursor" && name !== "Limit");
  return {
    title: "Departments",
    actions: mayAdd ? (
      <ButtonLink href={visit.href(`${DEPARTMENTS}/add`)} kind="main">
        {"Add department"}
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <SearchForm
          visit={visit}
          filters={[
            { name: "Search", label: "Search" },
            {
              name: "Is_Active",
              label: "State",
              options: [
                { value: "true", label: "Active" },
                { value: "false", label: "Inactive" },
              ],
            },
          ]}
        />
        {Items.length > 0 ? (
          <Table caption="Departments" columns={columns(visit)} rows={Items as unknown as Department[]} />
        ) : (
          <EmptyState title={isFiltered ? "No department is like that" : "No departments to see"}>
            <p>
              {isFiltered
                ? "The search looks for a part of names and external Ids."
                : "A department is a part of the organisation that users belong to."}
            </p>
          </EmptyState>
        )}
        <Pager visit={visit} next={Next} />
      </>
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
