// Recent client requests: look-up of a RequestKey, and failures.

import type { RecordOf } from "../platform/http/fields.ts";
import { firstPage } from "../platform/http/query.ts";
import type { REQUEST, Shown } from "../records/index.ts";
import { Badge, type Column, Text, Time } from "../ui/index.ts";
import type { ConsolePage, ConsoleServices, View, Visit } from "./page.tsx";
import { logPage } from "./records/log-page.tsx";
import { lookUpNames, type NamedRecord, type NameOf } from "./records/names.ts";
import { RecordLink } from "./records/record-link.tsx";
import { optionsOf } from "./records/records.tsx";

type Requests = ConsoleServices["requests"];
export type RequestRecord = RecordOf<typeof REQUEST.field>;

export const REQUESTS = "/settings/requests";

export function requestPages(deps: ConsoleServices): ConsolePage[] {
  return [
    { path: REQUESTS, area: "Requests", GET: { needs: ["Settings:Read"], answer: (visit) => listPage(deps, visit) } },
  ];
}

/** The request with this key, if it is still stored and the visitor may read it. */
export async function findRequest(
  requests: Requests,
  visit: Visit,
  wanted: { RequestKey: string } | { TraceParent: string },
): Promise<Shown<RequestRecord> | undefined> {
  if (!visit.may("Settings:Read")) return undefined;
  const { Items } = await requests.list(visit.permitted("Settings:Read"), wanted, firstPage(1));
  return Items[0];
}

export const pathOfRequests = (RequestKey: string) => `${REQUESTS}?${new URLSearchParams({ RequestKey })}`;

export function RequestLink({ visit, request }: { visit: Visit; request: RequestRecord }): JSX.Element {
  return (
    <a href={visit.href(`${REQUESTS}/${request.Id}`)}>
      <code safe>{titleOfRequest(request)}</code>
    </a>
  );
}

export const titleOfRequest = ({ Method, Route }: RequestRecord) => `${Method} ${Route}`;

async function listPage({ requests }: ConsoleServices, visit: Visit): Promise<View> {
  return logPage(visit, {
    title: "Requests",
    lead: <span>Requests of clients in the last 24 hours.</span>,
    caption: "Requests, newest first",
    known: requests.filters,
    filters: listFilters(requests.filters),
    ranges: { longest: "24h" },
    read: ({ filters, paging }) => requests.list(visit.permitted("Settings:Read"), filters, paging),
    parts: async ({ Items }) => ({ columns: columns(visit, await lookUpNames(visit, Items.map(clientOf))) }),
    empty: {
      none: [
        "No requests yet",
        "A request is listed from a second after its answer, for 24 hours. Unauthenticated requests are only in the service's log.",
      ],
      noMatch: ["No matching requests", "Remove filters to see more."],
    },
  });
}

const listFilters = ({ Status, Method }: Requests["filters"]) => [
  { name: "Method", label: "Method", options: optionsOf(Method.words), isBehind: true },
  { name: "Route", label: "Search routes" },
  { name: "Status", label: "Status", options: optionsOf(Status.words) },
  { name: "ClientId", label: "Client's Id", isBehind: true },
  { name: "RequestKey", label: "RequestKey", isBehind: true },
  { name: "From", label: "From", type: "datetime-local" as const, isBehind: true },
  { name: "To", label: "Before", type: "datetime-local" as const, isBehind: true },
];

export const clientOf = ({ ClientId }: RequestRecord): NamedRecord => ({ Type: "Application", Id: ClientId });

function columns(visit: Visit, name: NameOf): Column<RequestRecord>[] {
  return [
    { name: "Request", cell: (request) => <RequestLink visit={visit} request={request} /> },
    { name: "Status", narrow: "beside", cell: ({ Status }) => <Badge state={String(Status)} tone={toneOf(Status)} /> },
    { name: "When", cell: ({ OccurredOn }) => <Time at={OccurredOn} /> },
    { name: "ms", numeric: true, cell: ({ DurationMs }) => <Text text={millisecondsInWords(DurationMs)} /> },
    { name: "Client", cell: (request) => <RecordLink visit={visit} one={clientOf(request)} name={name} /> },
  ];
}

export function toneOf(status: number) {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

export const millisecondsInWords = (milliseconds: number) =>
  milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds).toLocaleString("en");
