import { firstPage, isUuid, MAX_LIMIT } from "../../platform/http/query.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import { Badge, type Column, Sentence, Time } from "../../ui/index.ts";
import { type EventRecord, WORST_FIRST } from "../../webhooks/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { logPage } from "../records/log-page.tsx";
import { type NameOf, titleOfConnection } from "../records/names.ts";
import { optionsOf } from "../records/records.tsx";
import { titleOfLogged } from "./delivery.tsx";
import { EventLink, namesOfEvents, RecordCell } from "./record.tsx";

type EventFilters = ConsoleServices["eventLog"]["filters"];

const REFRESH_SECONDS = 5;
export const CAPTION = "Events, newest first";

export async function listPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { State, Was, EventRecord, EventType } = deps.eventLog.filters;
  const filters = [
    { name: "Reason", label: "Search answers" },
    { name: "State", label: "State", options: optionsOf(State.words) },
    { name: "Was", label: "At some time", options: optionsOf(Was.words, WAS), isBehind: true },
    { name: "SentAgain", label: "Sent again", options: SENT_AGAIN, isBehind: true },
    { name: "EventRecord", label: "Entity", options: optionsOf(EventRecord.words), isBehind: true },
    { name: "RecordId", label: "Record's Id", isBehind: true },
    { name: "EventType", label: "Event", options: optionsOf(EventType.words), isBehind: true },
    { name: "ConnectionId", label: "Connection", options: await connectionOptions(deps, visit), isBehind: true },
    { name: "From", label: "From", type: "datetime-local" as const, isBehind: true },
    { name: "To", label: "Before", type: "datetime-local" as const, isBehind: true },
    { name: "OutcomeFrom", label: "Outcome from", type: "datetime-local" as const, isBehind: true },
    { name: "OutcomeTo", label: "Outcome before", type: "datetime-local" as const, isBehind: true },
  ];
  return logPage(visit, {
    title: "Activity",
    caption: CAPTION,
    known: deps.eventLog.filters,
    filters,
    ranges: {},
    read: (asked) => deps.eventLog.list(visit.caller, asked.filters, asked.paging),
    parts: async ({ Items, Next }) => ({
      columns: await eventColumns(visit, Items),
      live: { id: "events", seconds: REFRESH_SECONDS, news: <Newest events={Items} /> },
      empty: Next === null ? EMPTY : { none: NOT_HERE },
    }),
  });
}

/** Announces new events to screen readers after the current speech. */
function Newest({ events: [newest] }: { events: readonly EventRecord[] }): JSX.Element {
  const words = newest && `Newest: ${titleOfEvent(newest)}, ${newest.Reason ?? deliveriesInWords(newest)}.`;
  return (
    <p class="unseen" aria-live="polite" safe>
      {words ?? ""}
    </p>
  );
}

/** Existing connections, newest first, and the chosen one, which may be deleted or beyond the first page. */
async function connectionOptions({ connections }: ConsoleServices, { caller, url }: Visit) {
  const chosen = url.searchParams.get("ConnectionId") ?? "";
  const { Items } = await connections.list(caller, {}, firstPage(MAX_LIMIT));
  const options = Items.map((record) => ({ value: record.Id, label: titleOfConnection(record) }));
  if (!chosen || options.some(({ value }) => value === chosen)) return options;
  const [known] = isUuid<ConnectionId>(chosen) ? await connections.readAll(caller, [chosen]) : [];
  return [...options, { value: chosen, label: known ? titleOfLogged(known) : chosen }];
}

const WAS: Record<EventFilters["Was"]["words"][number], string> = {
  Retrying: "was retried",
  Delivered: "was delivered",
  Exhausted: "was exhausted",
  Held: "was held",
  Cancelled: "was cancelled",
};
const SENT_AGAIN = [
  { value: "true", label: "sent again" },
  { value: "false", label: "never" },
];

const NOT_HERE = ["No visible events on this page", "Later pages may contain events that you can see."] as const;
const EMPTY = {
  none: [
    "No events yet",
    "Each change of a user, an application or a department appears here, with its deliveries.",
  ] as const,
  noMatch: ["No matching events", "Remove filters to see more."] as const,
};

/** @param events the rows */
export async function eventColumns(visit: Visit, events: readonly EventRecord[]): Promise<Column<EventRecord>[]> {
  const name = await namesOfEvents(visit, events);
  return [
    { name: "Event", cell: (event) => <EventLink visit={visit} id={event.EventId} text={titleOfEvent(event, name)} /> },
    { name: "Record", cell: (event) => <RecordCell visit={visit} event={event} name={name} /> },
    { name: "State", narrow: "beside", cell: ({ State }) => <Badge state={State ?? "No delivery"} /> },
    {
      name: "Deliveries",
      narrow: "none",
      cell: (event) => <Sentence text={event.Reason ?? deliveriesInWords(event)} />,
    },
    { name: "Happened", cell: ({ Timestamp }) => <Time at={Timestamp} /> },
  ];
}

type Titled = Pick<EventRecord, "EventRecord" | "EventType" | "RecordId" | "RecordCount">;

/** An event's title, such as `Application 1001 Updated`. @param name replaces an Id that is no number */
export function titleOfEvent({ EventRecord, EventType, RecordId, RecordCount }: Titled, name?: NameOf): string {
  if (RecordId === null) return `${RecordCount.toLocaleString("en")} ${EventRecord} records ${EventType}`;
  const known = /\D/.test(RecordId) ? name?.known({ Type: EventRecord, Id: RecordId }) : undefined;
  return `${EventRecord} ${known ?? RecordId} ${EventType}`;
}

/** Counts by state, worst first: `1 exhausted, 3 delivered`. */
export function deliveriesInWords({ Deliveries }: EventRecord): string {
  const counts = WORST_FIRST.map((state) => ({
    state,
    count: Deliveries.filter(({ State }) => State === state).length,
  }));
  return counts
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count.toLocaleString("en")} ${state.toLowerCase()}`)
    .join(", ");
}
