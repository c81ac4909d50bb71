import { ACTOR_TYPES, AUDIT_KINDS, type AuditRecord, SUBJECT_TYPES } from "../../audit/index.ts";
import { BadInput } from "../../errors.ts";
import type { Page } from "../../http/paging.ts";
import { Badge, ButtonLink, EmptyState, Pager, SearchForm, Table, Time } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { lookUpNames, type NameOf } from "../records/names.ts";
import { filtersOf } from "../records/records.ts";
import { Value } from "../records/value.tsx";
import type { Visit } from "../visit.ts";
import { AUDIT_LOG, KindName, namedIn, RecordLink, summaryOf } from "./row.tsx";

export async function listPage(deps: SettingsDependencies, visit: Visit): Promise<View> {
  const parameters = filtersOf(visit);
  const { page, problems } = await listed(() => deps.auditLog.list(visit.caller, parameters));
  const name = await lookUpNames(deps, visit, namedIn(page.Items));
  return {
    title: "Audit log",
    status: problems.length > 0 ? 400 : 200,
    actions: problems.length > 0 ? undefined : <Exports visit={visit} parameters={parameters} />,
    body: (
      <>
        <SearchForm visit={visit} filters={FILTERS} />
        {problems.map((problem) => (
          <p class="problem" role="alert" safe>
            {problem}
          </p>
        ))}
        {page.Items.length > 0 ? (
          <Table caption="Audit log" columns={columns(visit, name)} rows={page.Items} />
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
  { name: "From", label: "From (UTC)", type: "date" as const },
  { name: "To", label: "Before (UTC)", type: "date" as const },
];

/** A filter that is wrong is said above the list, with the filters as they were typed. */
async function listed(
  list: () => Promise<Page<AuditRecord>>,
): Promise<{ page: Page<AuditRecord>; problems: string[] }> {
  try {
    return { page: await list(), problems: [] };
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return { page: { Items: [], Next: null }, problems: error.errors.map(inLabels) };
  }
}

/** The service calls its filters as the API does, and the page by their labels. */
function inLabels(problem: string): string {
  return FILTERS.reduce((text, { name, label }) => text.replace(new RegExp(`\\b${name}\\b`), `“${label}”`), problem);
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
