// Executes an erasure step by step; each call continues where the last one ended.

import type { ErasureProgress } from "../../../workflows/contract.ts";
import type { Sql } from "../../platform/db/sql.ts";
import type { ErasureId, EventId, TenantId } from "../../platform/ids.ts";
import { recordAudit } from "../../records/index.ts";
import {
  cancelErased,
  clearUnfinished,
  completeErasure,
  ERASURES,
  markSearched,
  searchEvents,
} from "./erasures.store.ts";

/** The last event that was searched, if the search has not ended. */
export interface SearchProgress {
  after?: EventId;
}

/** @param sql for statements that may take minutes @param progress of an earlier call that was cut off; is updated */
export async function continueErasure(
  sql: Sql,
  tenantId: TenantId,
  id: ErasureId,
  progress: SearchProgress,
): Promise<ErasureProgress> {
  const erasure = await ERASURES.find(sql, tenantId, id);
  if (!erasure || erasure.state === "Completed") return { state: "Completed", open: 0 };
  if (!erasure.isSearched) {
    if (!erasure.isSettled) return { state: "Running", open: 0 };
    await clearUnfinished(sql, tenantId, id);
    do progress.after = await searchEvents(sql, tenantId, erasure, progress.after);
    while (progress.after);
    await markSearched(sql, tenantId, id);
  }
  if (erasure.deliveries === "Cancel") await cancelErased(sql, tenantId, id);
  const open = (await ERASURES.find(sql, tenantId, id))!.waiting!;
  if (open > 0) return { state: "Running", open };
  await sql.beginFor(tenantId, async (tx) => {
    const ended = await completeErasure(tx, tenantId, erasure);
    if (!ended) return;
    const { createdByType: type, createdById, userId } = ended;
    const origin = { actor: { type, id: createdById }, address: "", userAgent: "", requestKey: Bun.randomUUIDv7() };
    await recordAudit(tx, tenantId, origin, {
      kind: "User.Erased",
      subject: { type: "User", id: userId },
      details: { ErasureId: id },
    });
  });
  // A redelivery may have made one open again.
  const { state, waiting } = (await ERASURES.find(sql, tenantId, id))!;
  return { state, open: waiting ?? 0 };
}
