import { readPaging, readQuery, readText, readWord } from "../../http/query.ts";
import {
  Badge,
  ButtonLink,
  EmptyState,
  find,
  Live,
  NotAsked,
  Pager,
  Refreshing,
  SearchForm,
  statusOf,
  Table,
} from "../../ui/index.ts";
import { CONNECTION_STATES, type ConnectionRecord, readConnections } from "../../webhooks/index.ts";
import type { SettingsDependencies, View } from "../page.tsx";
import { filtersOf, isFiltered } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { LastFailure, readHealth, SuccessRate, Waiting } from "./health.tsx";
import { mayAddConnection } from "./save.tsx";
import type { Health } from "./store.ts";

const REFRESH_SECONDS = 10;

type Row = ConnectionRecord & { health: Health | undefined };

const FILTERS = [
  { name: "Name", label: "Name, in full" },
  { name: "State", label: "State", options: CONNECTION_STATES.map((value) => ({ value, label: value })) },
];

export async function listPage({ sql, masterKey }: SettingsDependencies, visit: Visit): Promise<View> {
  const { caller, url } = visit;
  const found = await find(visit, FILTERS, async () => {
    const query = readQuery(url.searchParams, ["Name", "State"]);
    const filter = { name: readText(query, "Name") || undefined, state: readWord(query, "State", CONNECTION_STATES) };
    return readConnections(sql, masterKey, caller, filter, readPaging(query));
  });
  const { Items, Next } = found.page;
  const ids = Items.map(({ Id }) => Id);
  const health = new Map((await readHealth(sql, caller, ids)).map((one) => [one.connectionId, one]));
  const rows = Items.map((record): Row => ({ ...record, health: health.get(record.Id) }));
  const filtered = isFiltered(filtersOf(visit));
  const mayAdd = mayAddConnection(visit);
  const add = (
    <ButtonLink href={visit.href("/settings/webhooks/add")} kind="main">
      {"Add Webhook Connection"}
    </ButtonLink>
  );
  return {
    title: "Webhooks",
    status: statusOf(found),
    actions: mayAdd ? add : undefined,
    body: (
      <>
        <SearchForm visit={visit} filters={FILTERS} problems={found.problems} />
        <Live visit={visit} id="connections" seconds={REFRESH_SECONDS}>
          {rows.length > 0 ? (
            <Table caption="Webhook connections" columns={columns(visit)} rows={rows} />
          ) : found.problems ? (
            <NotAsked />
          ) : filtered ? (
            <EmptyState title="No connection is like that">
              <p>A name has to be given in full.</p>
            </EmptyState>
          ) : (
            <EmptyState title="No connections yet">
              <p>A webhook connection sends each change of the entities you choose to a receiver of yours, signed.</p>
            </EmptyState>
          )}
        </Live>
        <Pager visit={visit} next={Next} />
        <Refreshing visit={visit} seconds={REFRESH_SECONDS} />
      </>
    ),
  };
}

function columns(visit: Visit) {
  return [
    {
      name: "Connection",
      cell: (row: Row) => (
        <>
          <a href={visit.href(`/settings/webhooks/${row.Id}`)} safe>
            {titleOf(row)}
          </a>
          {row.Name ? (
            <small class="address" safe>
              {addressOf(row.URL)}
            </small>
          ) : (
            ""
          )}
        </>
      ),
    },
    { name: "State", cell: ({ State }: Row) => <Badge state={State} /> },
    { name: "Success, 24 h", cell: ({ health }: Row) => <SuccessRate health={health} />, numeric: true },
    { name: "Waiting", cell: ({ health }: Row) => <Waiting health={health} /> },
    { name: "Last failure", cell: ({ health }: Row) => <LastFailure health={health} /> },
    {
      name: "Sends",
      cell: ({ Entities, Events }: Row) => <small safe>{`${Entities.join(", ")}: ${Events.join(", ")}`}</small>,
    },
  ];
}

/** What a connection is called: its name, or else where it leads, without what a URL may hide in its query. */
export function titleOf({ Name, URL: address }: Pick<ConnectionRecord, "Name" | "URL">): string {
  return Name || addressOf(address);
}

/** The URL without its query: an ApiKey may stand there. */
export function addressOf(address: string): string {
  return address.replace(/[?#].*$/s, "");
}
