import { etagOf } from "../../http/conditions.ts";
import { firstPage, MOST_LIMIT } from "../../http/query.ts";
import { Badge, ButtonLink, Code, EmptyState, find, List, statusOf } from "../../ui/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { ACTIVE_FILTER, filtersOf, isFiltered, listRecords, Value } from "../records/records.tsx";
import { nameOf, type Reference } from "../records/reference-field.tsx";
import type { Visit } from "../visit.ts";

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

/** docs/behaviour.md "Application". */
export interface Application {
  Id: string;
  Name: string;
  ApplicationKey: string;
  ExternalId: string;
  Description: string;
  WebSiteURL: string;
  Is_System: boolean;
  Is_EndUser: boolean;
  Is_Active: boolean;
  ModifiedOn: string;
  CreatedOn: string;
}

export const APPLICATIONS = "/settings/applications";

export function pathOf({ Id }: Pick<Application, "Id">): string {
  return `${APPLICATIONS}/${Id}`;
}

export function titleOf(application: Application): string {
  return nameOf("Application", application as unknown as Reference);
}

export function aboveOf(application: Application) {
  return [
    { name: "Applications", path: APPLICATIONS },
    { name: titleOf(application), path: pathOf(application) },
  ];
}

export interface ReadApplication {
  record: Application;
  /** Its entity tag, for a form. */
  version: string;
  /** What its users sign in with: the Id of an identity provider, or "" for a password. */
  provider: string;
}

/** AuthenticationId is input only (docs/behaviour.md "Application"): taken from what the entity tag depends on. */
export async function readApplication({ records }: SettingsDependencies, visit: Visit): Promise<ReadApplication> {
  const address = { pathValue: visit.params.id!, fieldName: "" };
  const { record, version } = await records.of("Application").read(visit.permitted("AccessManager:Read"), address);
  const provider = String((version as { authentication_id?: number | null }).authentication_id ?? "");
  return { record: record as unknown as Application, version: etagOf(version), provider };
}

/** Those of the tenant, as far as the caller may see them; more than a page of them are cut. */
export async function providersOf({ providers }: SettingsDependencies, visit: Visit) {
  if (!visit.may("Settings:Read")) return [];
  return (await providers.list(visit.permitted("Settings:Read"), {}, firstPage(MOST_LIMIT))).Items;
}
