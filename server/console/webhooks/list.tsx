import { readPaging, readQuery, readText, readWord } from "../../http/query.ts";
import { Badge, type Column } from "../../ui/index.ts";
import { CONNECTION_STATES, type ConnectionRecord, type Health } from "../../webhooks/index.ts";
import { addressOf, titleOf } from "../connection-title.ts";
import type { SettingsDependencies } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { LastFailure, SuccessRate, Waiting } from "./health.tsx";

/** A connection, and how it is doing. */
export type Row = ConnectionRecord & { health?: Health };

export const FILTERS = [
  { name: "Name", label: "Name, in full" },
  { name: "State", label: "State", options: CONNECTION_STATES.map((value) => ({ value, label: value })) },
];

export async function listRows({ connections, figures }: SettingsDependencies, { caller, url }: Visit) {
  const query = readQuery(url.searchParams, ["Name", "State"]);
  const filter = { name: readText(query, "Name") || undefined, state: readWord(query, "State", CONNECTION_STATES) };
  const { Items, Next } = await connections.list(caller, filter, readPaging(query));
  const ids = Items.map(({ Id }) => Id);
  const health = new Map((await figures.health(caller, ids)).map((one) => [one.connectionId, one]));
  return { Items: Items.map((record): Row => ({ ...record, health: health.get(record.Id) })), Next };
}

export const firstColumn = (visit: Visit): Column<Row> => ({
  name: "Connection",
  cell: (row) => (
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
});

export const COLUMNS: Column<Row>[] = [
  { name: "State", cell: ({ State }) => <Badge state={State} /> },
  { name: "Success, 24 h", cell: ({ health }) => <SuccessRate health={health} />, numeric: true },
  { name: "Waiting", cell: ({ health }) => <Waiting health={health} /> },
  { name: "Last failure", cell: ({ health }) => <LastFailure health={health} /> },
  {
    name: "Sends",
    cell: ({ Entities, Events }) => <small safe>{`${Entities.join(", ")}: ${Events.join(", ")}`}</small>,
  },
];
