// Starts and signals the workflows of erasures. Runs beside the worker: the API only stores requests in PostgreSQL.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import { ERASURE_CHANGED, type EraseInput, TASK_QUEUE } from "../../workflows/contract.ts";
import type { Sql } from "../db/sql.ts";
import { type Passes, startPasses } from "../db/watch.ts";
import { createOutageLog } from "../log.ts";
import { TENANT_ID } from "../webhooks/index.ts";
import { claimErasures, type DueErasure, ERASURE_CHANNEL, unclaimErasure } from "./erasures.store.ts";

const BATCH = 20;

/** @param checkMs interval for checking that each workflow exists, because Temporal's store may be wiped */
export function startErasures(sql: Sql, client: Client, checkMs: number, log: Logger): Passes {
  const [notLookedFor, notStarted] = [createOutageLog(log), createOutageLog(log)];

  async function start({ id, tenantId, userId }: DueErasure): Promise<void> {
    const input: EraseInput = { tenantId, erasureId: id };
    try {
      await client.workflow.signalWithStart("erasePerson", {
        taskQueue: TASK_QUEUE,
        workflowId: `User/${userId}/Erase/${id}`,
        args: [input],
        signal: ERASURE_CHANGED,
        typedSearchAttributes: [{ key: TENANT_ID, value: tenantId }],
        staticSummary: `Erases everything about User ${userId}`,
      });
    } catch (error) {
      notStarted({ err: error, tenantId, erasureId: id }, "Temporal did not start an erasure; retrying");
      await unclaimErasure(sql, tenantId, id);
    }
  }

  return startPasses(
    sql,
    ERASURE_CHANNEL,
    async () => {
      await Promise.all((await claimErasures(sql, checkMs, BATCH)).map(start));
    },
    (error) => notLookedFor({ err: error }, "the check for erasures failed"),
  );
}
