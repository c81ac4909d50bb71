import { BadInput, NotFound } from "../platform/errors.ts";
import { exportResponse } from "../platform/http/export.ts";
import { readAsked } from "../platform/http/query.ts";
import { AUDIT_RECORD, type AuditRecord } from "../records/index.ts";
import { Badge, Code, type Column, type Fact, inRange, ListSection, phrase, Section, Text, Time } from "../ui/index.ts";
import { detailOf, detailsNamed, FIELD_CHANGE_COLUMNS, fieldChangesOf, Sentence } from "./audit-sentence.tsx";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "./page.tsx";
import { logPage } from "./records/log-page.tsx";
import { lookUpNames, type NamedRecord, type NameOf } from "./records/names.ts";
import { RecordLink } from "./records/record-link.tsx";
import { Exports, filtersOf, optionsOf, Value } from "./records/records.tsx";
import { findRequest, RequestLink } from "./requests.tsx";

type AuditFilters = ConsoleServices["auditLog"]["filters"];

export function auditLogPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  const read = ["Settings:Read"] as const;
  return [
    { path: AUDIT_LOG, area: "Audit log", GET: on(read, listPage) },
    { path: `${AUDIT_LOG}/export`, GET: on(read, exportFile) },
    { path: `${AUDIT_LOG}/:id`, shows: AUDIT_RECORD, GET: on(read, eventPage) },
  ];
}

async function exportFile({ auditLog }: ConsoleServices, visit: Visit): Promise<Response> {
  const { filters } = readAsked(auditLog.exportFilters, inRange(filtersOf(visit)));
  return exportResponse(await auditLog.export(visit.permitted("Settings:Read"), filters, filters.Format));
}

async function eventPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const event = await deps.auditLog.read(visit.permitted("Settings:Read"), visit.params.id!);
  const { Actor, Subject, ClientId, RequestKey } = event;
  const name = await lookUpNames(visit, namedIn([event]));
  const request = RequestKey ? await findRequest(deps.requests, visit, { RequestKey }) : undefined;
  const shared = { visit, name };
  const client = ClientId === null ? null : { Type: "Application", Id: ClientId };
  return {
    title: event.Kind,
    above: [{ name: "Audit log", path: AUDIT_LOG }],
    lead: (
      <p>
        <Sentence visit={visit} event={event} name={name} />
      </p>
    ),
    body: (
      <>
        <Section
          title="Action"
          facts={[
            ["Outcome", <Badge state={event.Outcome} />],
            ["When", <Time at={event.OccurredOn} />],
            ["Who", <RecordLink {...shared} one={Actor} none="unauthenticated" />],
            ["Subject", <RecordLink {...shared} one={Subject} />],
            ["By or for application", <RecordLink {...shared} one={client} />],
            ["Address", <Text text={event.Address} />],
            ["Browser or program", <Value text={event.UserAgent} />],
            request && ["Made by request", <RequestLink visit={visit} request={request} />],
            ["RequestKey", RequestKey ? <Code text={RequestKey} copy /> : <Value text="" />],
            ["Id", <Code text={event.Id} copy />],
          ]}
        />
        <Details event={event} name={name} />
      </>
    ),
  };
}

function Details({ event, name }: { event: AuditRecord; name: NameOf }): JSX.Element {
  const changes = fieldChangesOf(event, (value) => wordsOf(value, name));
  const shown = new Set(["Changed", ...changes.map(({ field }) => field)]);
  const facts = Object.keys(event.Details)
    .filter((field) => !shown.has(field))
    .map((field): Fact => [field, <Value text={wordsOfDetail(event, field, name)} />]);
  return (
    <>
      <ListSection title="Before and after" columns={FIELD_CHANGE_COLUMNS} rows={changes} />
      {facts.length > 0 && <Section title="Details" facts={facts} />}
    </>
  );
}

async function listPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  return logPage(visit, {
    title: "Audit log",
    caption: "Audit log",
    known: deps.auditLog.filters,
    filters: formOf(visit, deps.auditLog.filters),
    ranges: {},
    translate: (parameters) => withUser(deps, visit, parameters),
    read: ({ filters, paging }) => deps.auditLog.list(visit.permitted("Settings:Read"), filters, paging),
    parts: async ({ Items }) => ({ columns: await auditColumns(visit, Items) }),
    empty: {
      none: [
        "No entries to see",
        "Sign-ins and changes of credentials, roles, policies and connections are recorded here.",
      ],
      noMatch: ["No matching entries", "Remove filters to see more."],
    },
    exports: (parameters) => <Exports visit={visit} path={`${AUDIT_LOG}/export`} parameters={parameters} />,
  });
}

const formOf = (visit: Visit, { Kind, ActorType, SubjectType, Outcome }: AuditFilters) => [
  ...(visit.may("AccessManager:Read") ? [{ name: USER, label: "Actor: user name" }] : []),
  { name: "Kind", label: "What", options: optionsOf(Kind.words), isBehind: true },
  { name: "ActorType", label: "Actor: kind", options: optionsOf(ActorType.words), isBehind: true },
  { name: "ActorId", label: "Actor: Id", isBehind: true },
  { name: "SubjectType", label: "Subject: kind", options: optionsOf(SubjectType.words), isBehind: true },
  { name: "SubjectId", label: "Subject: Id", isBehind: true },
  { name: "Outcome", label: "Outcome", options: optionsOf(Outcome.words) },
  { name: "RequestKey", label: "RequestKey", isBehind: true },
  { name: "From", label: "From", type: "datetime-local" as const, isBehind: true },
  { name: "To", label: "Before", type: "datetime-local" as const, isBehind: true },
];

/** The filter by user name; the log itself filters by Id. */
const USER = "User";

/** @throws BadInput if the user does not exist */
async function withUser(deps: ConsoleServices, visit: Visit, asked: URLSearchParams): Promise<URLSearchParams> {
  const parameters = new URLSearchParams(asked);
  const name = parameters.get(USER);
  if (name === null) return parameters;
  if (parameters.has("ActorType") || parameters.has("ActorId")) {
    throw new BadInput(`${USER}: filter by user name, or by kind and Id, not both.`);
  }
  parameters.delete(USER);
  parameters.set("ActorType", "User");
  parameters.set("ActorId", await idOfUser(deps, visit, name.trim()));
  return parameters;
}

async function idOfUser({ records }: ConsoleServices, visit: Visit, name: string): Promise<string> {
  if (name === "") throw new BadInput(`${USER} is missing.`);
  const id = `base64|${Buffer.from(name).toString("base64")}`;
  try {
    const { record } = await records.of("User").read(visit.permitted("AccessManager:Read"), id, "Username");
    return String(record.Id);
  } catch (error) {
    if (error instanceof BadInput) throw new BadInput(`${USER}: ${error.errors.join(" ")}`);
    if (!(error instanceof NotFound)) throw error;
    throw new BadInput(`${USER}: no user has this user name.`);
  }
}

/** @param events the rows */
export async function auditColumns(visit: Visit, events: readonly AuditRecord[]): Promise<Column<AuditRecord>[]> {
  const name = await lookUpNames(visit, namedIn(events));
  return [
    { name: "What", cell: (event) => <Sentence visit={visit} event={event} name={name} /> },
    {
      name: "Entry",
      cell: ({ Id, Kind, Outcome }) => (
        <>
          <a href={visit.href(`${AUDIT_LOG}/${Id}`)}>{Kind}</a> {Outcome === "Failure" && <Badge state={Outcome} />}
        </>
      ),
    },
    { name: "When", cell: ({ OccurredOn }) => <Time at={OccurredOn} /> },
    {
      name: "Details",
      narrow: "none",
      cell: (event) => (
        <small>
          <Value text={summaryOf(event, name)} />
        </small>
      ),
    },
  ];
}

export const AUDIT_LOG = "/settings/audit-log";

function namedIn(events: readonly AuditRecord[]): NamedRecord[] {
  return events.flatMap(({ Actor, Subject, ClientId, Details }) => [
    ...referencesIn(Details),
    ...detailsNamed({ Details }),
    ...(Actor ? [Actor] : []),
    ...(Subject ? [Subject] : []),
    ...(ClientId === null ? [] : [{ Type: "Application", Id: ClientId }]),
  ]);
}

/** Records in the details, by Type and Id, such as new members of a role. */
function referencesIn(value: unknown): NamedRecord[] {
  if (typeof value !== "object" || value === null) return [];
  const { Type, Id } = value as Partial<NamedRecord>;
  return Type !== undefined && Id !== undefined ? [{ Type, Id }] : Object.values(value).flatMap(referencesIn);
}

/** The maximum number of characters of details in a row. */
const SUMMARY_LIMIT = 120;

/** The details in one line; the sentence already names the fields. */
function summaryOf(event: AuditRecord, name: NameOf): string {
  const text = Object.keys(event.Details)
    .filter((field) => field !== "Changed")
    .map((field) => phrase`${field}: ${wordsOfDetail(event, field, name)}`)
    .join("; ");
  return text.length > SUMMARY_LIMIT ? `${text.slice(0, SUMMARY_LIMIT)}…` : text;
}

function wordsOfDetail(event: AuditRecord, field: string, name: NameOf): string {
  const record = detailOf(event, field);
  return record ? name(record) : wordsOf(event.Details[field], name);
}

function wordsOf(value: unknown, name: NameOf): string {
  if (Array.isArray(value)) return value.map((one) => wordsOf(one, name)).join(", ") || "none";
  if (value === null || value === "") return "none";
  if (typeof value !== "object") return String(value);
  const { Added, Removed, From, To, Type, Id, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return JSON.stringify(value);
  if (Type !== undefined) return name({ Type: String(Type), Id: String(Id) });
  if (To !== undefined) return `${wordsOf(From, name)} → ${wordsOf(To, name)}`;
  const signed = (sign: string, list: unknown) =>
    Array.isArray(list) ? list.map((one) => `${sign}${wordsOf(one, name)}`) : [];
  return [...signed("+", Added), ...signed("−", Removed)].join(", ");
}
