import type { AuditRecord } from "../../audit/index.ts";
import { phrase, Text } from "../components/index.ts";
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

/** A long one goes on in a new line at its dot. */
export function KindName({ kind }: { kind: AuditRecord["Kind"] }): JSX.Element {
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
export function summaryOf(details: AuditRecord["Details"]): string {
  const { Changed, ...values } = details;
  // What has changed to what says as well that it has changed.
  const others = Array.isArray(Changed) ? Changed.filter((name) => !Object.hasOwn(values, String(name))) : [];
  const text = [...(others.length > 0 ? [["Changed", others] as const] : []), ...Object.entries(values)]
    .map(([name, value]) => phrase`${name}: ${wordsOf(value)}`)
    .join("; ");
  return text.length > SUMMARY_LIMIT ? `${text.slice(0, SUMMARY_LIMIT)}…` : text;
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(", ") || "none";
  if (typeof value !== "object" || value === null) return String(value);
  const { Added, Removed, From, To, Type, Id, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return JSON.stringify(value);
  if (Type !== undefined) return `${Type} ${Id}`;
  if (To !== undefined) return `${wordsOf(From)} → ${wordsOf(To)}`;
  const signed = (sign: string, list: unknown) =>
    Array.isArray(list) ? list.map((one) => `${sign}${wordsOf(one)}`) : [];
  return [...signed("+", Added), ...signed("−", Removed)].join(", ");
}
