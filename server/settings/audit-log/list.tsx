import {
  ACTOR_TYPES,
  AUDIT_FILTERS,
  AUDIT_KINDS,
  type AuditRecord,
  SUBJECT_TYPES,
  toAuditFilter,
} from "../../audit/index.ts";
import { readAsked } from "../../http/inputs.ts";
import {
  Badge,
  ButtonLink,
  EmptyState,
  find,
  inUtc,
  NotAsked,
  Pager,
  SearchForm,
  statusOf,
  Table,
  Time,
} from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { lookUpNames, type NameOf } from "../records/names.ts";
import { filtersOf } from "../records/records.ts";
import { Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { AUDIT_LOG, KindName, namedIn, RecordLink, summaryOf } from "./row.tsx";

export async function listPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const parameters = auditFilters(visit);
  const found = await find(visit, FILTERS, async () => {
    const { filters, paging } = readAsked(AUDIT_FILTERS, parameters);
    return deps.auditLog.list(visit.permitted("Settings:Read"), toAuditFilter(filters), paging);
  });
  const { page, problems } = found;
  const name = await lookUpNames(deps, visit, namedIn(page.Items));
  return {
    title: "Audit log",
    status: statusOf(found),
    actions: problems ? undefined : <Exports visit={visit} parameters={parameters} />,
    body: (
      <>
        <SearchForm visit={visit} filters={FILTERS} problems={problems} />
        {page.Items.length > 0 ? (
          <Table caption="Audit log" columns={columns(visit, name)} rows={page.Items} />
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

const options = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }));

const FILTERS = [
  { name: "Kind", label: "What", options: options(AUDIT_KINDS) },
  { name: "ActorType", label: "Who: kind", options: options(ACTOR_TYPES) },
  { name: "ActorId", label: "Who: Id" },
  { name: "SubjectType", label: "To what: kind", options: options(SUBJECT_TYPES) },
  { name: "SubjectId", label: "To what: Id" },
  { name: "From", label: "From", type: "datetime-local" as const },
  { name: "To", label: "Before", type: "datetime-local" as const },
];

/** What is asked of the log, or of its file. */
export function auditFilters(visit: Visit): URLSearchParams {
  return inUtc(filtersOf(visit), ["From", "To"]);
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
          <Value text={summaryOf(Details)} />
        </small>
      ),
    },
  ];
}
