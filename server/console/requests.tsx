// Recent client requests: look-up of a RequestKey, and failures.

import type { RecordOf } from "../platform/http/fields.ts";
import { firstPage, readAsked } from "../platform/http/query.ts";
import type { REQUEST, Shown } from "../records/index.ts";
import { Badge, Code, type Column, EmptyState, find, inRange, List, statusOf, Time } from "../ui/index.ts";
import type { ConsolePage, ConsoleServices, View } from "./page.tsx";
import { lookUpNames, type NamedRecord, type NameOf } from "./records/names.ts";
import { filtersOf, optionsOf } from "./records/records.tsx";
import type { Visit } from "./visit.ts";

type Requests = ConsoleServices["requests"];
type RequestRecord = RecordOf<typeof REQUEST.field>;

const REQUESTS = "/settings/requests";

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
    <a href={visit.href(pathOfRequests(request.RequestKey))} safe>
      {titleOfRequest(request)}
    </a>
  );
}

export const titleOfRequest = ({ Method, Route }: RequestRecord) => `${Method} ${Route}`;

async function listPage({ requests }: ConsoleServices, visit: Visit): Promise<View> {
  const parameters = inRange(filtersOf(visit));
  const filters = listFilters(requests.filters);
  const found = await find(visit, filters, async () => {
    const asked = readAsked(requests.filters, parameters);
    return requests.list(visit.permitted("Settings:Read"), asked.filters, asked.paging);
  });
  const name = await lookUpNames(visit, found.page.Items.map(clientOf));
  return {
    title: "Requests",
    lead: <span>Requests of clients in the last 24 hours.</span>,
    status: statusOf(found),
    body: (
      <List
        visit={visit}
        caption="Requests, newest first"
        filters={filters}
        ranges={{ longest: "24h" }}
        found={found}
        columns={columns(visit, name)}
        empty={
          <EmptyState title={parameters.size > 0 ? "No matching requests" : "No requests yet"}>
            <p>
              A request is listed from a second after its answer, for 24 hours. Unauthenticated requests are only in the
              service's log.
            </p>
          </EmptyState>
        }
      />
    ),
  };
}

const listFilters = ({ Status, Method }: Requests["filters"]) => [
  { name: "Status", label: "Status", options: optionsOf(Status.words) },
  { name: "Method", label: "Method", options: optionsOf(Method.words) },
  { name: "Route", label: "Route" },
  { name: "ClientId", label: "Client's Id" },
  { name: "RequestKey", label: "RequestKey" },
  { name: "From", label: "From", type: "datetime-local" as const },
  { name: "To", label: "Before", type: "datetime-local" as const },
];

const clientOf = ({ ClientId }: RequestRecord): NamedRecord => ({ Type: "Application", Id: ClientId });

function columns(visit: Visit, name: NameOf): Column<RequestRecord>[] {
  return [
    {
      name: "Request",
      cell: (request) => (
        <>
          <Path title={titleOfRequest(request)} />
          {request.Omitted > 0 ? (
            <small
              safe
            >{`${request.Omitted.toLocaleString("en")} earlier requests were dropped because of the limit.`}</small>
          ) : (
            ""
          )}
        </>
      ),
    },
    { name: "When", cell: ({ OccurredOn }) => <Time at={new Date(OccurredOn)} /> },
    { name: "Status", cell: ({ Status }) => <Badge state={String(Status)} tone={toneOf(Status)} /> },
    { name: "ms", numeric: true, cell: ({ DurationMs }) => <span safe>{inWords(DurationMs)}</span> },
    {
      name: "Client",
      cell: (request) => (
        <a href={visit.href(visit.pathOf(clientOf(request))!)} safe>
          {name(clientOf(request))}
        </a>
      ),
    },
    {
      name: "RequestKey",
      cell: ({ Method, RequestKey }) => (
        <div>
          <Code text={RequestKey} copy />
          {Method === "GET" ? (
            ""
          ) : (
            <small>
              <a href={visit.href(`/settings/audit-log?${new URLSearchParams({ RequestKey })}`)}>Effects</a>
            </small>
          )}
        </div>
      ),
    },
  ];
}

/** A long path may break after a slash. */
function Path({ title }: { title: string }): JSX.Element {
  return (
    <code>
      {title.split(/(?<=\/)/).map((part) => (
        <>
          <span safe>{part}</span>
          <wbr />
        </>
      ))}
    </code>
  );
}

function toneOf(status: number) {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

const inWords = (milliseconds: number) =>
  milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds).toLocaleString("en");
