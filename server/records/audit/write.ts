import { noteChange } from "../../platform/db/keyed.store.ts";
import type { Queries, Transaction } from "../../platform/db/sql.ts";
import { contextOf } from "../../platform/http/context.ts";
import { userAgentOf } from "../../platform/http/request.ts";
import type { TenantId } from "../../platform/ids.ts";
import { type AuditKind, STRANGERS_FAILURES } from "./entry-kinds.ts";
import type { AuditEntry, Origin } from "./store.ts";
import { countLately, insertAuditEvent, insertConsequence } from "./store.ts";
import { announce } from "./stream.ts";

/** The limit per hour and tenant on entries that strangers can cause, so guessing cannot fill the disk. */
export const FAILURES_PER_HOUR = 1_000;

/** Above FAILURES_PER_HOUR, strangers' failures become one Failures.Omitted. @param tx of the audited change */
export async function recordAudit(tx: Queries, tenantId: TenantId, origin: Origin, given: AuditEntry): Promise<void> {
  const { actedBy } = origin;
  const entry = actedBy === undefined ? given : { ...given, details: { ...given.details, ActedBy: actedBy } };
  if (!STRANGERS_FAILURES.includes(entry.kind)) return writeEntry(tx, tenantId, origin, entry);
  const isFull = async (kinds: readonly AuditKind[], max: number) =>
    (await countLately(tx, tenantId, kinds, max)) >= max;
  if (!(await isFull(STRANGERS_FAILURES, FAILURES_PER_HOUR))) return writeEntry(tx, tenantId, origin, entry);
  if (await isFull(["Failures.Omitted"], 1)) return;
  await writeEntry(tx, tenantId, origin, {
    kind: "Failures.Omitted",
    details: { MostPerHour: FAILURES_PER_HOUR },
  });
}

/** The entry, and its event if a connection subscribes to audit events, in one transaction. */
async function writeEntry(sql: Queries, tenantId: TenantId, origin: Origin, entry: AuditEntry): Promise<void> {
  if (!("isTransaction" in sql)) {
    // One statement is enough without an event.
    if (await insertAuditEvent(sql, tenantId, origin, entry, true)) return;
    return sql.beginFor(tenantId, (tx) => writeEntry(tx, tenantId, origin, entry));
  }
  noteChange(sql);
  await announce(sql, tenantId, await insertAuditEvent(sql, tenantId, origin, entry, false), origin.traceParent);
}

/** Adds an entry for the consequence of an earlier one, with the same actor and source. @param cause as insertConsequence */
export async function recordConsequence(
  tx: Transaction,
  tenantId: TenantId,
  cause: Required<AuditEntry>,
  kind: AuditKind,
): Promise<void> {
  await announce(tx, tenantId, await insertConsequence(tx, tenantId, cause, kind));
}

export function originOf(request: Request, who: Pick<Origin, "actor" | "clientId">): Origin {
  return {
    ...who,
    address: contextOf(request).address,
    userAgent: userAgentOf(request),
    requestKey: contextOf(request).key,
    traceParent: contextOf(request).traceParent,
  };
}
