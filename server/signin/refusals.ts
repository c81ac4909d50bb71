// What the audit log has of attempts that are not taken, together with what they count.

import { type AuditEntry, type Origin, recordAudit } from "../audit/index.ts";
import type { Sql } from "../db/connection.ts";
import { type Attempt, countFailure, isFirstRefusal } from "./throttle.ts";

/** @param who it was tried on, if that is known */
export async function noteThrottled(sql: Sql, attempt: Attempt, origin: Origin, who: AuditEntry["subject"]) {
  await sql.beginFor(attempt.tenantId, async (tx) => {
    if (await isFirstRefusal(tx, attempt))
      await recordAudit(tx, attempt.tenantId, origin, { kind: "SignIn.Throttled", subject: who });
  });
}

export async function noteFailure(sql: Sql, attempt: Attempt, origin: Origin, entry: AuditEntry) {
  await sql.beginFor(attempt.tenantId, async (tx) => {
    await recordAudit(tx, attempt.tenantId, origin, entry);
    await countFailure(tx, attempt);
  });
}
