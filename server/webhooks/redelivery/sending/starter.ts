// Sees to it that each bulk redelivery has its workflow, and tells it of what is wished. Runs beside the worker: the
// API writes wishes down in PostgreSQL and needs no Temporal for them.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import { REDELIVERY_CHANGED, type RedeliverInput, TASK_QUEUE } from "../../../../workflows/contract.ts";
import type { Sql } from "../../../db/connection.ts";
import { CONNECTION_ID, TENANT_ID } from "../../dispatch/search-attributes.ts";
import { redeliveryWorkflowId } from "../record.ts";
import { claimRedeliveries, type DueRedelivery, listenForRedeliveries, unclaimRedelivery } from "./store.ts";

const BATCH = 20;
/** The net under NOTIFY. */
const POLL_MS = 2_000;

export interface RedeliveryStarter {
  stop(): Promise<void>;
}

/** @param checkMs after so long a workflow is made sure of again, for Temporal's store may be wiped */
export async function startRedeliveries(
  sql: Sql,
  client: Client,
  checkMs: number,
  log: Logger,
): Promise<RedeliveryStarter> {
  let pass: Promise<void> = Promise.resolve();
  let waiting = false;
  const wake = () => {
    if (waiting) return;
    waiting = true;
    pass = pass.then(start).catch((error) => log.warn({ err: error }, "redeliveries could not be looked for"));
  };
  const stopListening = await listenForRedeliveries(sql, wake);
  const poll = setInterval(wake, POLL_MS);

  async function start(): Promise<void> {
    waiting = false;
    for (;;) {
      const due = await claimRedeliveries(sql, checkMs, BATCH);
      await Promise.all(due.map(startOrTell));
      if (due.length < BATCH) return;
    }
  }

  async function startOrTell(redelivery: DueRedelivery): Promise<void> {
    const { id, tenantId, connectionId, kind } = redelivery;
    const input: RedeliverInput = { tenantId, redeliveryId: id };
    try {
      await client.workflow.signalWithStart("redeliver", {
        taskQueue: TASK_QUEUE,
        workflowId: redeliveryWorkflowId(id),
        args: [input],
        signal: REDELIVERY_CHANGED,
        typedSearchAttributes: [
          { key: TENANT_ID, value: tenantId },
          { key: CONNECTION_ID, value: [connectionId] },
        ],
        staticSummary: `${kind} of connection ${connectionId}`,
      });
    } catch (error) {
      log.warn({ err: error, tenantId, redeliveryId: id }, "Temporal did not start a redelivery; it is tried again");
      await unclaimRedelivery(sql, tenantId, id);
    }
  }

  return {
    async stop() {
      clearInterval(poll);
      await pass;
      await stopListening().catch(() => {});
    },
  };
}
