import type { Queries } from "../db/sql.ts";
import { contextOf } from "../http/context.ts";
import { userAgentOf } from "../http/request.ts";
import type { TenantId } from "../ids.ts";
import { type AuditKind, STRANGERS_FAILURES } from "./kinds.ts";
import type { AuditEntry, Origin } from "./store.ts";
import { countLately, insertAuditEvent } from "./store.ts";

/** The limit per hour and tenant on entries that strangers can cause, so guessing cannot fill the disk. */
export const FAILURES_PER_HOUR = 1_000;

/** Above FAILURES_PER_HOUR, strangers' failures become one Failures.Omitted. @param tx of the audited change */
export async function recordAudit(tx: Queries, tenantId: TenantId, origin: Origin, given: AuditEntry): Promise<void> {
  const { actedBy } = origin;
  const entry = actedBy === undefined ? given : { ...given, details: { ...given.details, ActedBy: actedBy } };
  if (!STRANGERS_FAILURES.includes(entry.kind)) return insertAuditEvent(tx, tenantId, origin, entry);
  const isFull = async (kinds: readonly AuditKind[], max: number) =>
    (await countLately(tx, tenantId, kinds, max)) >= max;
  if (!(await isFull(STRANGERS_FAILURES, FAILURES_PER_HOUR))) return insertAuditEvent(tx, tenantId, origin, entry);
  if (await isFull(["Failures.Omitted"], 1)) return;
  await insertAuditEvent(tx, tenantId, origin, {
    kind: "Failures.Omitted",
    details: { MostPerHour: FAILURES_PER_HOUR },
  });
}

export function originOf(request: Request, who: Pick<Origin, "actor" | "clientId">): Origin {
  return {
    ...who,
    address: contextOf(request).address,
    userAgent: userAgentOf(request),
    requestKey: contextOf(request).key,
  };
}
