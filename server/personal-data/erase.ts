// Executes an erasure step by step; each call continues where the last one ended.

import type { ErasureProgress } from "../../workflows/contract.ts";
import { recordAudit } from "../audit/index.ts";
import type { Sql } from "../db/sql.ts";
import type { ErasureId, TenantId } from "../ids.ts";
import { cancelErased, completeErasure, countOpen, findErasure, searchEvents } from "./erasures.store.ts";

/** @param sql for statements that may take minutes */
export async function continueErasure(sql: Sql, tenantId: TenantId, id: ErasureId): Promise<ErasureProgress> {
  const erasure = await findErasure(sql, tenantId, id);
  if (!erasure || erasure.state === "Completed") return { state: "Completed", open: 0 };
  if (!(await searchEvents(sql, tenantId, erasure))) return { state: "Running", open: 0 };
  if (erasure.deliveries === "Cancel") await cancelErased(sql, tenantId, id);
  const open = await countOpen(sql, tenantId, erasure);
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
  return { state: "Completed", open: 0 };
}
