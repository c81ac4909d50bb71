// The audit log: who did what, narrowed down by the address, and as a file.

import { ACTOR_TYPES, AUDIT_KINDS, type AuditRecord, exportResponse, OUTCOMES, toAuditFilter } from "../audit/index.ts";
import { readAsked } from "../http/query.ts";
import {
  Badge,
  ButtonLink,
  Code,
  EmptyState,
  Facts,
  find,
  inRange,
  NotAsked,
  Pager,
  phrase,
  Ranges,
  SearchForm,
  Section,
  statusOf,
  Table,
  Text,
  Time,
} from "../ui/index.ts";
import type { Page, SettingsDependencies, View } from "./page.tsx";
import { lookUpNames, type Named, type NameOf } from "./records/names.ts";
import { filtersOf, Value } from "./records/records.tsx";
import { findRequest, RequestLink } from "./requests.tsx";
import type { Visit } from "./visit.ts";

export function auditLogPages(deps: SettingsDependencies): Page[] {
  const read = ["Settings:Read"] as const;
  return [
    { path: AUDIT_LOG, area: "Audit log", GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    { path: `${AUDIT_LOG}/export`, GET: { needs: read, answer: (visit) => exportFile(deps, visit) } },
    { path: `${AUDIT_LOG}/:id`, GET: { needs: read, answer: (visit) => eventPage(deps, visit) } },
  ];
}

async function exportFile({ auditLog }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { filters } = readAsked(auditLog.exportFilters, auditFilters(visit));
  return exportResponse(
    await auditLog.export(visit.permitted("Settings:Read"), toAuditFilter(filters), filters.Format),
  );
}

async function eventPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const event = await deps.auditLog.read(visit.permitted("Settings:Read"), visit.params.id!);
  const { Actor, Subject, ClientId, RequestKey } = event;
  const name = await lookUpNames(visit, namedIn([event]));
  const request = RequestKey ? await findRequest(deps.requests, visit, { requestKey: RequestKey }) : undefined;
  const nobody = <span class="none">nobody who has proved who they are</span>;
  const none = <span class="none">none</span>;
  const client = ClientId === null ? null : { Type: "Application", Id: ClientId };
  return {
    title: event.Kind,
    above: [{ name: "Audit log", path: AUDIT_LOG }],
    body: (
      <>
        <Section title="What was done">
          <Facts
            facts={[
              ["Outcome", <Badge state={event.Outcome} />],
              ["When", <Time at={new Date(event.OccurredOn)} />],
              ["Who", Actor ? <RecordLink visit={visit} one={Actor} name={name} /> : nobody],
              ["To what", Subject ? <RecordLink visit={visit} one={Subject} name={name} /> : none],
              ["By or for application", client ? <RecordLink visit={visit} one={client} name={name} /> : none],
              ["Address", <Text text={event.Address} />],
              ["Browser or program", <Value text={event.UserAgent} />],
              ...(request
                ? [["Made by request", <RequestLink visit={visit} request={request} />] satisfies [string, JSX.Element]]
                : []),
              ["RequestKey", RequestKey ? <Code text={RequestKey} copy /> : none],
              ["Id", <Code text={event.Id} copy />],
            ]}
          />
        </Section>
        <Details details={event.Details} />
      </>
    ),
  };
}

function Details({ details }: { details: AuditRecord["Details"] }): JSX.Element {
  if (Object.keys(details).length === 0) return "";
  return (
    <Section title="Details">
      <pre class="json">
        <code safe>{JSON.stringify(details, null, 2)}</code>
      </pre>
    </Section>
  );
}

async function listPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const parameters = auditFilters(visit);
  const filters = formOf(deps.auditLog.subjects);
  const found = await find(visit, filters, async () => {
    const { filters, paging } = readAsked(deps.auditLog.filters, parameters);
    return deps.auditLog.list(visit.permitted("Settings:Read"), toAuditFilter(filters), paging);
  });
  const { page, problems } = found;
  return {
    title: "Audit log",
    status: statusOf(found),
    actions: problems ? undefined : <Exports visit={visit} parameters={parameters} />,
    body: (
      <>
        <Ranges visit={visit} />
        <SearchForm visit={visit} filters={filters} problems={problems} />
        {page.Items.length > 0 ? (
          await tableOfAudit({ visit, caption: "Audit log", events: page.Items })
        ) : problems ? (
          <NotAsked />
        ) : (
          <EmptyState title={parameters.size > 0 ? "Nothing is like that" : "Nothing to see"}>
            <p>Sign-ins and changes of credentials, roles, policies and connections stand here, and stay here.</p>
          </EmptyState>
        )}
        <Pager visit={visit} next={page.Next} />
      </>
    ),
  };
}

interface AuditTableProps {
  visit: Visit;
  caption: string;
  events: readonly AuditRecord[];
}

export async function tableOfAudit({ visit, caption, events }: AuditTableProps): Promise<JSX.Element> {
  return <Table caption={caption} columns={columns(visit, await lookUpNames(visit, namedIn(events)))} rows={events} />;
}

const options = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }));

const formOf = (subjects: readonly string[]) => [
  { name: "Kind", label: "What", options: options(AUDIT_KINDS) },
  { name: "ActorType", label: "Who: kind", options: options(ACTOR_TYPES) },
  { name: "ActorId", label: "Who: Id" },
  { name: "SubjectType", label: "To what: kind", options: options(subjects) },
  { name: "SubjectId", label: "To what: Id" },
  { name: "Outcome", label: "Outcome", options: options(OUTCOMES) },
  { name: "RequestKey", label: "RequestKey" },
  { name: "From", label: "From", type: "datetime-local" as const },
  { name: "To", label: "Before", type: "datetime-local" as const },
];

/** What is asked of the log, or of its file. */
function auditFilters(visit: Visit): URLSearchParams {
  return inRange(filtersOf(visit));
}

/** What the filters let through, as a file. */
function Exports({ visit, parameters }: { visit: Visit; parameters: URLSearchParams }): JSX.Element {
  const href = (format: string) => {
    const query = new URLSearchParams([...parameters].filter(([name]) => name !== "Cursor" && name !== "Limit"));
    query.set("Format", format);
    return visit.href(`${AUDIT_LOG}/export?${query}`);
  };
  return (
    <>
      <ButtonLink href={href("CSV")}>Export CSV</ButtonLink>
      <ButtonLink href={href("NDJSON")}>Export JSON lines</ButtonLink>
    </>
  );
}

function columns(visit: Visit, name: NameOf) {
  return [
    {
      name: "What",
      cell: ({ Id, Kind, Outcome }: AuditRecord) => (
        <>
          <a href={visit.href(`${AUDIT_LOG}/${Id}`)}>
            <KindName kind={Kind} />
          </a>{" "}
          {Outcome === "Failure" ? <Badge state={Outcome} /> : ""}
        </>
      ),
    },
    { name: "When", cell: ({ OccurredOn }: AuditRecord) => <Time at={new Date(OccurredOn)} /> },
    {
      name: "Who",
      cell: ({ Actor, Address }: AuditRecord) => (
        <div>
          {Actor ? <RecordLink visit={visit} one={Actor} name={name} /> : <span class="none">nobody known</span>}
          <small class="address" safe>
            {Address}
          </small>
        </div>
      ),
    },
    {
      name: "To what",
      cell: ({ Subject }: AuditRecord) =>
        Subject ? <RecordLink visit={visit} one={Subject} name={name} /> : <Value text="" />,
    },
    {
      name: "Details",
      cell: ({ Details }: AuditRecord) => (
        <small>
          <Value text={summaryOf(Details, name)} />
        </small>
      ),
    },
  ];
}

export const AUDIT_LOG = "/settings/audit-log";

/** The records that some rows speak of. */
function namedIn(events: readonly AuditRecord[]): Named[] {
  return events.flatMap(({ Actor, Subject, ClientId, Details }) => [
    ...referencesIn(Details),
    ...(Actor ? [Actor] : []),
    ...(Subject ? [Subject] : []),
    ...(ClientId === null ? [] : [{ Type: "Application", Id: ClientId }]),
  ]);
}

/** What stands in the details by its Type and Id, such as who came into a role. */
function referencesIn(value: unknown): Named[] {
  if (typeof value !== "object" || value === null) return [];
  const { Type, Id } = value as Partial<Named>;
  return Type !== undefined && Id !== undefined ? [{ Type, Id }] : Object.values(value).flatMap(referencesIn);
}

/** What a row speaks of, and the way to its page, if there is one; it may be gone by now. */
function RecordLink({ visit, one, name }: { visit: Visit; one: Named; name: NameOf }): JSX.Element {
  const path = visit.pathOf(one);
  if (path === undefined) return <Text text={name(one)} />;
  return (
    <a href={visit.href(path)} safe>
      {name(one)}
    </a>
  );
}

/** A long one goes on in a new line at its dot. */
function KindName({ kind }: { kind: AuditRecord["Kind"] }): JSX.Element {
  const [head = "", tail] = kind.split(".");
  return (
    <>
      <span safe>{tail === undefined ? head : `${head}.`}</span>
      <wbr />
      <span safe>{tail ?? ""}</span>
    </>
  );
}

/** Characters of the details that a row shows. */
const SUMMARY_LIMIT = 120;

/** The details in one line. */
function summaryOf(details: AuditRecord["Details"], name: NameOf): string {
  const { Changed, ...values } = details;
  // What has changed to what says as well that it has changed.
  const others = Array.isArray(Changed) ? Changed.filter((field) => !Object.hasOwn(values, String(field))) : [];
  const text = [...(others.length > 0 ? [["Changed", others] as const] : []), ...Object.entries(values)]
    .map(([field, value]) => phrase`${field}: ${wordsOf(value, name)}`)
    .join("; ");
  return text.length > SUMMARY_LIMIT ? `${text.slice(0, SUMMARY_LIMIT)}…` : text;
}

function wordsOf(value: unknown, name: NameOf): string {
  if (Array.isArray(value)) return value.map((one) => wordsOf(one, name)).join(", ") || "none";
  if (typeof value !== "object" || value === null) return String(value);
  const { Added, Removed, From, To, Type, Id, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return JSON.stringify(value);
  if (Type !== undefined) return name({ Type: String(Type), Id: String(Id) });
  if (To !== undefined) return `${wordsOf(From, name)} → ${wordsOf(To, name)}`;
  const signed = (sign: string, list: unknown) =>
    Array.isArray(list) ? list.map((one) => `${sign}${wordsOf(one, name)}`) : [];
  return [...signed("+", Added), ...signed("−", Removed)].join(", ");
}
