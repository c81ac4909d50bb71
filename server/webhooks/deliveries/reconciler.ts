// Finds deliveries that are not final though no workflow runs for them any more (Temporal's store was wiped, a
// workflow was terminated) or that cannot go on, and puts them into the queue.

import type { Client } from "@temporalio/client";
import { defineSearchAttributeKey, WorkflowNotFoundError } from "@temporalio/common";
import type { Logger } from "pino";
import { workflowId } from "../../../workflows/contract.ts";
import type { Sql } from "../../db/sql.ts";
import { type Passes, startEvery } from "../../db/watch.ts";
import { createOutageLog } from "../../log.ts";
import { PAGE } from "./candidates.store.ts";
import { findStaleDeliveries, type StaleDelivery } from "./dispatch.store.ts";
import { putBack } from "./queue.store.ts";

/** Temporal's own word, once a workflow's task has failed some times in a row. */
const REPORTED_PROBLEMS = defineSearchAttributeKey("TemporalReportedProblems", "KEYWORD_LIST");
const CANNOT_BE_REPLAYED = "cause=WorkflowTaskFailedCauseNonDeterministicError";

/** @param interval milliseconds between two passes, and how long a delivery must be untouched to be looked at */
export function startReconciler(sql: Sql, client: Client, interval: number, log: Logger): Passes {
  const failed = createOutageLog(log);

  async function reconcile(): Promise<void> {
    for (;;) {
      const stale = await findStaleDeliveries(sql, interval, PAGE);
      await Promise.all(stale.map(restartIfLost));
      if (stale.length < PAGE) return;
    }
  }

  async function restartIfLost(stale: StaleDelivery): Promise<void> {
    const { tenantId, eventId, deliveryIds } = stale;
    if (await isRunning(workflowId(stale, stale.part))) return;
    await putBack(sql, tenantId, deliveryIds, 0);
    log.warn({ tenantId, eventId, deliveryIds }, "a delivery had lost its workflow; it gets a new run");
  }

  async function isRunning(id: string): Promise<boolean> {
    try {
      const handle = client.workflow.getHandle(id);
      const { status, runId, typedSearchAttributes } = await handle.describe();
      if (status.name !== "RUNNING") return false;
      if (!typedSearchAttributes.get(REPORTED_PROBLEMS)?.includes(CANNOT_BE_REPLAYED)) return true;
      // It would fail for good, and what counts stands in PostgreSQL.
      await client.workflow.getHandle(id, runId).terminate("its history cannot be replayed");
      log.error({ workflowId: id, runId }, "a workflow's history cannot be replayed; it is terminated");
      return false;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  return startEvery(interval, reconcile, (error) => failed({ err: error }, "deliveries could not be reconciled"));
}
