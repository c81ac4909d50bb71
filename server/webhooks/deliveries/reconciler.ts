// Finds open deliveries without a running workflow (Temporal's store was wiped, a workflow was terminated) or with a
// stuck one, and queues them.

import type { Client } from "@temporalio/client";
import { defineSearchAttributeKey, WorkflowNotFoundError } from "@temporalio/common";
import type { Logger } from "pino";
import { workflowId } from "../../../workflows/contract.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { type Passes, startEvery } from "../../platform/db/watch.ts";
import { createOutageLog } from "../../platform/log.ts";
import { PAGE } from "./candidates.store.ts";
import { findInactiveDeliveries, type InactiveDelivery } from "./dispatch.store.ts";
import { requeue } from "./queue.store.ts";

/** Set by Temporal after a workflow's task has failed several times. */
const REPORTED_PROBLEMS = defineSearchAttributeKey("TemporalReportedProblems", "KEYWORD_LIST");
const CANNOT_BE_REPLAYED = "cause=WorkflowTaskFailedCauseNonDeterministicError";

/** @param interval milliseconds between passes, and the minimum time without activity of a delivery */
export function startReconciler(sql: Sql, client: Client, interval: number, log: Logger): Passes {
  const failed = createOutageLog(log);

  async function reconcile(): Promise<void> {
    for (;;) {
      const inactive = await findInactiveDeliveries(sql, interval, PAGE);
      await Promise.all(inactive.map(restartIfLost));
      if (inactive.length < PAGE) return;
    }
  }

  async function restartIfLost(inactive: InactiveDelivery): Promise<void> {
    const { tenantId, eventId, deliveryIds } = inactive;
    if (await isRunning(inactive)) return;
    await requeue(sql, tenantId, deliveryIds, 0);
    log.warn({ tenantId, eventId, deliveryIds }, "a delivery lost its workflow; a new run is started");
  }

  async function isRunning(inactive: InactiveDelivery): Promise<boolean> {
    const id = workflowId(inactive, inactive.part);
    const { tenantId, eventId } = inactive;
    try {
      const handle = client.workflow.getHandle(id);
      const { status, runId, typedSearchAttributes } = await handle.describe();
      if (status.name !== "RUNNING") return false;
      if (!typedSearchAttributes.get(REPORTED_PROBLEMS)?.includes(CANNOT_BE_REPLAYED)) return true;
      // It can never continue, and all state is in PostgreSQL.
      await client.workflow.getHandle(id, runId).terminate("its history cannot be replayed");
      log.error(
        { tenantId, eventId, workflowId: id, runId },
        "a workflow's history cannot be replayed; terminating it",
      );
      return false;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  return startEvery(interval, reconcile, (error) => failed({ err: error }, "deliveries could not be reconciled"));
}
