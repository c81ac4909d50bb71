// Starts and signals the workflows of erasures. Runs beside the worker: the API only stores requests in PostgreSQL.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import { ERASURE_CHANGED, type EraseInput, TASK_QUEUE } from "../../../workflows/contract.ts";
import { startDue } from "../../platform/db/leases.store.ts";
import type { Sql } from "../../platform/db/sql.ts";
import type { Passes } from "../../platform/db/watch.ts";
import { TENANT_ID } from "../../platform/temporal/search-attributes.ts";
import { ERASURE_CHANNEL, leaseErasures } from "./erasures.store.ts";

/** @param checkMs interval for checking that each workflow exists */
export function startErasures(sql: Sql, client: Client, checkMs: number, log: Logger): Passes {
  return startDue(sql, log, {
    lease: { table: "erasures" },
    channel: ERASURE_CHANNEL,
    nouns: ["an erasure", "erasures"],
    idName: "erasureId",
    batch: 20,
    leaseDue: (queries, limit) => leaseErasures(queries, checkMs, limit),
    async start({ id, tenantId, userId }) {
      const input: EraseInput = { tenantId, erasureId: id };
      await client.workflow.signalWithStart("erasePerson", {
        taskQueue: TASK_QUEUE,
        workflowId: `User/${userId}/Erase/${id}`,
        args: [input],
        signal: ERASURE_CHANGED,
        typedSearchAttributes: [{ key: TENANT_ID, value: tenantId }],
        staticSummary: `Erases all data about User ${userId}`,
      });
    },
  });
}
