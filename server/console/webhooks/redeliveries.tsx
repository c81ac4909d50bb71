// Lists of redeliveries: of all connections, and the latest on a connection's page.

import { firstPage, MAX_LIMIT, readAsked } from "../../platform/http/query.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { Badge, type Column, find, List, Section, statusOf, Table, Text, Time } from "../../ui/index.ts";
import type { RedeliveryRecord } from "../../webhooks/index.ts";
import type { ConsoleServices, View } from "../page.tsx";
import { lookUpNames, type NameOf, titleOfConnection } from "../records/names.ts";
import { optionsOf } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { inNumbers, isOpen, NAMES, Progress, REDELIVERIES } from "./redelivery.tsx";

const MAX_LISTED = 5;
const REFRESH_SECONDS = 5;

export async function redeliveriesPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { connections, redeliveries } = deps;
  const { Kind, State } = redeliveries.filters;
  const { caller, url } = visit;
  const { Items } = await connections.list(caller, {}, firstPage(MAX_LIMIT));
  const filters = [
    {
      name: "ConnectionId",
      label: "Connection",
      options: Items.map((one) => ({ value: one.Id, label: titleOfConnection(one) })),
    },
    { name: "Kind", label: "Kind", options: Kind.words.map((value) => ({ value, label: NAMES[value] })) },
    { name: "State", label: "State", options: optionsOf(State.words) },
  ];
  const found = await find(visit, filters, async () => {
    const asked = readAsked(redeliveries.filters, url.searchParams);
    return redeliveries.list(caller, asked.filters, asked.paging);
  });
  const name = await lookUpNames(visit, found.page.Items.map(connectionOf));
  const [begun, ...others] = columns(visit);
  return {
    title: "Redeliveries",
    above: [{ name: "Webhooks", path: "/settings/webhooks" }],
    status: statusOf(found),
    body: (
      <List
        visit={visit}
        caption="Redeliveries, newest first"
        filters={filters}
        live={{ id: "redeliveries", seconds: REFRESH_SECONDS }}
        found={found}
        columns={[begun!, connectionColumn(visit, name), ...others]}
        empty={{
          none: ["No redeliveries yet", "Send missed and failed deliveries again from the connection's page."],
          noMatch: ["No matching redeliveries", "Remove filters to see more."],
        }}
      />
    ),
  };
}

const connectionOf = ({ ConnectionId }: RedeliveryRecord) => ({ Type: "WebhookConnection", Id: ConnectionId });

function connectionColumn(visit: Visit, name: NameOf): Column<RedeliveryRecord> {
  return {
    name: "Connection",
    cell: (redelivery) => {
      const known = name.known(connectionOf(redelivery));
      if (known === undefined) return <span class="none">{"not known"}</span>;
      return (
        <a href={visit.href(`/settings/webhooks/${redelivery.ConnectionId}`)} safe>
          {known}
        </a>
      );
    },
  };
}

export async function latestRedeliveries(
  { redeliveries }: ConsoleServices,
  { caller }: Visit,
  connectionId: ConnectionId,
): Promise<RedeliveryRecord[]> {
  return (await redeliveries.list(caller, { ConnectionId: connectionId }, firstPage(MAX_LISTED))).Items;
}

export function Redeliveries({ visit, latest }: { visit: Visit; latest: RedeliveryRecord[] }): JSX.Element {
  const [first] = latest;
  if (!first) return "";
  const ended = latest.filter((one) => !isOpen(one));
  return (
    <>
      {latest.filter(isOpen).map((one) => (
        <Progress visit={visit} redelivery={one} title={`${NAMES[one.Kind]}: ${inNumbers(one)}`} isInPlace />
      ))}
      {ended.length > 0 && (
        <Section title="Redeliveries">
          <Table caption="The last redeliveries" columns={columns(visit)} rows={ended} />
          <p class="after">
            <a href={visit.href(`${REDELIVERIES}?ConnectionId=${first.ConnectionId}`)}>All of its redeliveries</a>
          </p>
        </Section>
      )}
    </>
  );
}

function columns(visit: Visit): Column<RedeliveryRecord>[] {
  return [
    {
      name: "Begun",
      cell: ({ Id, CreatedOn, Kind }) => (
        <a href={visit.href(`${REDELIVERIES}/${Id}`)}>
          <span safe>{NAMES[Kind]}</span>, <Time at={new Date(CreatedOn)} ago />
        </a>
      ),
    },
    {
      name: "State",
      cell: ({ State }) => <Badge state={State} />,
    },
    {
      name: "Ended",
      cell: (redelivery) => <Text text={inNumbers(redelivery)} />,
      numeric: true,
    },
    { name: "Exhausted", cell: ({ Exhausted }) => <Text text={Exhausted.toLocaleString("en")} />, numeric: true },
  ];
}
