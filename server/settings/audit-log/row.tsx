import type { AuditRecord } from "../../audit/index.ts";
import { Text } from "../components/index.ts";
import { type Named, type NameOf, pathOfRecord } from "../records/names.ts";
import type { Visit } from "../visit.ts";

export const AUDIT_LOG = "/settings/audit-log";

/** The records that some rows speak of. */
export function namedIn(events: readonly AuditRecord[]): Named[] {
  return events.flatMap(({ Actor, Subject, ClientId }) => [
    ...(Actor ? [Actor] : []),
    ...(Subject ? [Subject] : []),
    ...(ClientId === null ? [] : [{ Type: "Application", Id: ClientId }]),
  ]);
}

/** What a row speaks of, and the way to its page, if there is one; it may be gone by now. */
export function RecordLink({ visit, one, name }: { visit: Visit; one: Named; name: NameOf }): JSX.Element {
  const path = pathOfRecord(one);
  if (path === undefined) return <Text text={name(one)} />;
  return (
    <a href={visit.href(path)} safe>
      {name(one)}
    </a>
  );
}

/** Characters of the details that a row shows. */
const SUMMARY_LIMIT = 120;

/** The details in one line. */
export function summaryOf(details: AuditRecord["Details"]): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${wordsOf(value)}`)
    .join("; ");
  return text.length > SUMMARY_LIMIT ? `${text.slice(0, SUMMARY_LIMIT)}…` : text;
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(", ") || "none";
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
