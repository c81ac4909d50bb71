import { Badge, ButtonLink, Code, EmptyState, find, List, statusOf } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { ACTIVE_FILTER, filtersOf, isFiltered, listRecords } from "../records/records.ts";
import { Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { APPLICATIONS, type Application, pathOf, titleOf } from "./application.ts";

const FILTERS = [{ name: "Search", label: "Search" }, ACTIVE_FILTER];

export async function listPage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const parameters = filtersOf(visit);
  const found = await find(visit, FILTERS, () =>
    listRecords<Application>(records.of("Application"), visit, parameters),
  );
  const mayAdd = visit.may("AccessManager:Create") && visit.may("AccessManager:Update");
  const filtered = isFiltered(parameters);
  return {
    title: "Applications",
    status: statusOf(found),
    actions: mayAdd ? (
      <ButtonLink href={visit.href(`${APPLICATIONS}/add`)} kind="main">
        {"Add application"}
      </ButtonLink>
    ) : undefined,
    body: (
      <List
        visit={visit}
        caption="Applications"
        filters={FILTERS}
        found={found}
        columns={columns(visit)}
        empty={
          <EmptyState title={filtered ? "No application is like that" : "No applications to see"}>
            <p>
              {filtered
                ? "The search looks for a part of names, keys, external Ids and web sites."
                : "An application with credentials is an OAuth client: it signs people in, or calls the API by itself."}
            </p>
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
      cell: (application: Application) => (
        <a href={visit.href(pathOf(application))} safe>
          {titleOf(application)}
        </a>
      ),
    },
    { name: "client_id", cell: ({ Id }: Application) => <Code text={Id} /> },
    { name: "Key", cell: ({ ApplicationKey }: Application) => <Value text={ApplicationKey} /> },
    { name: "External Id", cell: ({ ExternalId }: Application) => <Value text={ExternalId} /> },
    { name: "State", cell: ({ Is_Active }: Application) => <Badge state={Is_Active ? "Active" : "Inactive"} /> },
  ];
}
