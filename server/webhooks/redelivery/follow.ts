// Follows a bulk redelivery, which the queue sends: counts ended deliveries, and detects the end.

import type { RedeliveryProgress } from "../../../workflows/contract.ts";
import type { Sql } from "../../platform/db/sql.ts";
import type { RedeliveryId, TenantId } from "../../platform/ids.ts";
import { completeRedelivery, countEnded, countOpen, countTotal, endDraining, isAnyLeft } from "./follow.store.ts";
import { reasonToWait } from "./record.ts";
import { findRedelivery, lockRedelivery } from "./store.ts";

/** The maximum time of one call. */
const STEP_MS = 5_000;
const LOOK_MS = 250;

/**
 * Follows it until it waits, has sent everything, or STEP_MS have passed. Calls may be repeated after a crash.
 * @param shouldContinue polled; false: another caller continues
 */
export async function followRedelivery(
  sql: Sql,
  tenantId: TenantId,
  id: RedeliveryId,
  shouldContinue: () => boolean,
): Promise<RedeliveryProgress> {
  const end = performance.now() + STEP_MS;
  const redelivery = await findRedelivery(sql, tenantId, id);
  if (redelivery) await countTotal(sql, tenantId, redelivery);
  for (;;) {
    await countEnded(sql, tenantId, id);
    const isSent = await endIfSent(sql, tenantId, id);
    const progress = await progressOf(sql, tenantId, id, isSent);
    const isAtRest = progress.waitsFor !== undefined && !progress.retrying;
    const hasEnded = progress.state === "Completed" || progress.state === "Cancelled";
    if (hasEnded || isSent || isAtRest || !shouldContinue() || performance.now() > end) return progress;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** @returns whether nothing is left to send */
async function endIfSent(sql: Sql, tenantId: TenantId, id: RedeliveryId): Promise<boolean> {
  const found = await findRedelivery(sql, tenantId, id);
  if (found?.state !== "Running" || (await isAnyLeft(sql, tenantId, found))) return false;
  // A Drain's end can only be decided with its connection locked.
  return sql.begin(async (tx) => {
    const redelivery = await lockRedelivery(tx, tenantId, id, found.kind === "Drain" ? "update" : "share");
    if (redelivery?.state !== "Running" || (await isAnyLeft(tx, tenantId, redelivery))) return false;
    if (redelivery.kind === "Drain") await endDraining(tx, tenantId, redelivery.connectionId);
    await countEnded(tx, tenantId, id);
    if ((await countOpen(tx, tenantId, id)) === 0) await completeRedelivery(tx, tenantId, id);
    return true;
  }) as Promise<boolean>;
}

async function progressOf(
  sql: Sql,
  tenantId: TenantId,
  id: RedeliveryId,
  isSent: boolean,
): Promise<RedeliveryProgress> {
  const redelivery = await findRedelivery(sql, tenantId, id);
  if (!redelivery) return { state: "Cancelled", total: 0, done: 0, delivered: 0, exhausted: 0 };
  const { state, total, done, delivered, exhausted } = redelivery;
  const progress: RedeliveryProgress = { state, total, done, delivered, exhausted };
  if (state !== "Paused" && state !== "Running") return progress;
  const reason = state === "Paused" ? "a user to set it Running" : reasonToWait(redelivery);
  if (isSent || !reason) return { ...progress, retrying: isSent };
  // Deliveries already sent continue.
  return { ...progress, waitsFor: reason, retrying: (await countOpen(sql, tenantId, id)) > 0 };
}
