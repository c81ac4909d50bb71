import { LOGGED_EVENT_TYPES, PING_RECORD } from "../../events/index.ts";
import { firstPage, isUuid, MAX_LIMIT, readAsked } from "../../http/query.ts";
import type { ConnectionId } from "../../ids.ts";
import {
  Badge,
  EmptyState,
  find,
  inRange,
  Live,
  NotAsked,
  Pager,
  Ranges,
  Refreshing,
  SearchForm,
  Sentence,
  statusOf,
  Table,
  Time,
} from "../../ui/index.ts";
import {
  ASKED_STATES,
  type EventRecord,
  eventFilters,
  PAST_STATES,
  toEventFilter,
  WORST_FIRST,
} from "../../webhooks/index.ts";
import type { ConsoleServices, View } from "../page.tsx";
import type { NameOf } from "../records/names.ts";
import { titleOfConnection } from "../records/names.ts";
import { filtersOf, isFiltered } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { titleOfLogged } from "./delivery.tsx";
import { namesOfEvents, RecordCell } from "./record.tsx";

const REFRESH_SECONDS = 5;

export async function listPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { entities } = deps;
  const { caller, url } = visit;
  const filters = [
    { name: "State", label: "State", options: words(ASKED_STATES) },
    { name: "Was", label: "At some time", options: PAST_STATES.map((value) => ({ value, label: WAS[value] })) },
    { name: "SentAgain", label: "Sent again", options: SENT_AGAIN },
    { name: "EventRecord", label: "Entity", options: words([...entities, PING_RECORD]) },
    { name: "RecordId", label: "Record's Id" },
    { name: "EventType", label: "Event", options: words(LOGGED_EVENT_TYPES) },
    { name: "ConnectionId", label: "Connection", options: await connectionOptions(deps, visit) },
    { name: "Reason", label: "Answer of an attempt" },
    { name: "From", label: "From", type: "datetime-local" as const },
    { name: "To", label: "Before", type: "datetime-local" as const },
    { name: "OutcomeFrom", label: "Outcome from", type: "datetime-local" as const },
    { name: "OutcomeTo", label: "Outcome before", type: "datetime-local" as const },
  ];
  const found = await find(visit, filters, async () => {
    const asked = readAsked(eventFilters(entities), inRange(url.searchParams));
    return deps.eventLog.list(caller, toEventFilter(asked.filters), asked.paging);
  });
  const { Items, Next } = found.page;
  const list =
    Items.length > 0 ? (
      await tableOfEvents({ visit, events: Items })
    ) : found.problems ? (
      <NotAsked />
    ) : (
      <NothingThere isFiltered={isFiltered(filtersOf(visit))} isMore={Next !== null} />
    );
  return {
    title: "Activity",
    status: statusOf(found),
    body: (
      <>
        {found.problems || url.searchParams.has("Cursor") ? "" : <Refreshing visit={visit} seconds={REFRESH_SECONDS} />}
        <Ranges visit={visit} />
        <SearchForm visit={visit} filters={filters} problems={found.problems} />
        {/* Later pages show the past, so they do not refresh. */}
        {found.problems || url.searchParams.has("Cursor") ? (
          list
        ) : (
          <Live visit={visit} id="events" seconds={REFRESH_SECONDS}>
            <Newest events={Items} />
            {list}
          </Live>
        )}
        <Pager visit={visit} next={Next} />
      </>
    ),
  };
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

export async function tableOfEvents({ visit, events }: { visit: Visit; events: readonly EventRecord[] }) {
  const name = await namesOfEvents(visit, events);
  return <Table caption="Events, newest first" columns={columns(visit, name)} rows={events} />;
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

const WAS: Record<(typeof PAST_STATES)[number], string> = {
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

const words = (all: readonly string[]) => all.map((value) => ({ value, label: value }));

function NothingThere({ isFiltered, isMore }: { isFiltered: boolean; isMore: boolean }): JSX.Element {
  if (isMore) {
    return (
      <EmptyState title="No visible events on this page">
        <p>Later pages may contain events that you can see.</p>
      </EmptyState>
    );
  }
  return isFiltered ? (
    <EmptyState title="No matching events">
      <p>Remove filters to see more.</p>
    </EmptyState>
  ) : (
    <EmptyState title="No events yet">
      <p>Each change of a user, an application or a department appears here, with its deliveries.</p>
    </EmptyState>
  );
}

function columns(visit: Visit, name: NameOf) {
  return [
    {
      name: "Event",
      cell: (event: EventRecord) => (
        <a href={visit.href(`/settings/activity/${event.EventId}`)} safe>
          {titleOfEvent(event)}
        </a>
      ),
    },
    { name: "Record", cell: (event: EventRecord) => <RecordCell visit={visit} event={event} name={name} /> },
    {
      name: "State",
      cell: ({ State }: EventRecord) => <Badge state={State ?? "No delivery"} />,
    },
    {
      name: "Deliveries",
      cell: (event: EventRecord) => <Sentence text={event.Reason ?? deliveriesInWords(event)} />,
    },
    {
      name: "Happened",
      cell: ({ Timestamp }: EventRecord) => <Time at={new Date(Timestamp)} />,
    },
  ];
}

type Titled = Pick<EventRecord, "EventRecord" | "EventType" | "RecordId" | "RecordCount">;

/** An event's title, such as `Application 1001 Updated`. */
export function titleOfEvent({ EventRecord, EventType, RecordId, RecordCount }: Titled): string {
  const records = RecordId === null ? `${RecordCount.toLocaleString("en")} ${EventRecord} records` : undefined;
  return `${records ?? `${EventRecord} ${RecordId}`} ${EventType}`;
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
