// Lists of redeliveries: of all connections, and the latest on a connection's page.

import { firstPage, MAX_LIMIT } from "../../platform/http/query.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { Badge, type Column, ListSection, Text, Time } from "../../ui/index.ts";
import type { RedeliveryRecord } from "../../webhooks/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { logPage } from "../records/log-page.tsx";
import { lookUpNames, type NameOf, titleOfConnection } from "../records/names.ts";
import { RecordLink } from "../records/record-link.tsx";
import { optionsOf } from "../records/records.tsx";
import { inNumbers, isOpen, NAMES, Progress, REDELIVERIES } from "./redelivery.tsx";
import { ABOVE } from "./save.tsx";

const MAX_LISTED = 5;
const REFRESH_SECONDS = 5;

export async function redeliveriesPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { connections, redeliveries } = deps;
  const { Kind, State } = redeliveries.filters;
  const { caller } = visit;
  const { Items } = await connections.list(caller, {}, firstPage(MAX_LIMIT));
  const [begun, ...others] = columns(visit);
  return logPage(visit, {
    title: "Redeliveries",
    above: ABOVE,
    caption: "Redeliveries, newest first",
    known: redeliveries.filters,
    filters: [
      {
        name: "ConnectionId",
        label: "Connection",
        options: Items.map((one) => ({ value: one.Id, label: titleOfConnection(one) })),
      },
      { name: "Kind", label: "Kind", options: optionsOf(Kind.words, NAMES) },
      { name: "State", label: "State", options: optionsOf(State.words) },
    ],
    live: { id: "redeliveries", seconds: REFRESH_SECONDS },
    read: ({ filters, paging }) => redeliveries.list(caller, filters, paging),
    async parts(found) {
      const name = await lookUpNames(visit, found.Items.map(connectionOf));
      return { columns: [begun!, connectionColumn(visit, name), ...others] };
    },
    empty: {
      none: ["No redeliveries yet", "Send missed and failed deliveries again from the connection's page."],
      noMatch: ["No matching redeliveries", "Remove filters to see more."],
    },
  });
}

const connectionOf = ({ ConnectionId }: RedeliveryRecord) => ({ Type: "WebhookConnection", Id: ConnectionId });

function connectionColumn(visit: Visit, name: NameOf): Column<RedeliveryRecord> {
  const cell = (redelivery: RedeliveryRecord) => (
    <RecordLink visit={visit} one={connectionOf(redelivery)} name={name} isKnown none="not known" />
  );
  return { name: "Connection", cell };
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
      <ListSection title="Redeliveries" caption="The last redeliveries" columns={columns(visit)} rows={ended}>
        <p class="after">
          <a href={visit.href(`${REDELIVERIES}?ConnectionId=${first.ConnectionId}`)}>All of its redeliveries</a>
        </p>
      </ListSection>
    </>
  );
}

function columns(visit: Visit): Column<RedeliveryRecord>[] {
  return [
    {
      name: "Begun",
      cell: ({ Id, CreatedOn, Kind }) => (
        <a href={visit.href(`${REDELIVERIES}/${Id}`)}>
          <span safe>{NAMES[Kind]}</span>, <Time at={CreatedOn} ago />
        </a>
      ),
    },
    { name: "State", cell: ({ State }) => <Badge state={State} /> },
    { name: "Ended", cell: (redelivery) => <Text text={inNumbers(redelivery)} />, numeric: true },
    { name: "Exhausted", cell: ({ Exhausted }) => <Text text={Exhausted.toLocaleString("en")} />, numeric: true },
  ];
}
