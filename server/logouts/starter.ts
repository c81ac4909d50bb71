// Starts a workflow for each logout. Runs beside the worker, so ending a session does not need Temporal.

import type { Client } from "@temporalio/client";
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from "@temporalio/common";
import type { Logger } from "pino";
import { type DeliverLogoutInput, TASK_QUEUE } from "../../workflows/contract.ts";
import type { Config } from "../config.ts";
import type { Sql } from "../db/sql.ts";
import { type Passes, startPasses } from "../db/watch.ts";
import { createOutageLog } from "../log.ts";
import { detailsLink, inBytes, policyInWords, retryPolicy, TENANT_ID } from "../webhooks/index.ts";
import { claimLogouts, type DueLogout, LOGOUT_CHANNEL, unclaimLogout } from "./store.ts";

const BATCH = 50;

/** The workflow of a logout's run; each redelivery starts a new one. @example "Application/7/Logout/5b0d…" */
export function logoutWorkflowId({ id, clientId, run }: Pick<DueLogout, "id" | "clientId" | "run">): string {
  return [`Application/${clientId}/Logout/${id}`, ...(run === 1 ? [] : [run])].join("/");
}

/** Checks each workflow repeatedly until its logout has ended, because Temporal's store may be wiped. */
export function startLogouts(
  sql: Sql,
  client: Client,
  { publicUrl, webhooks }: Pick<Config, "publicUrl" | "webhooks">,
  log: Logger,
): Passes {
  const [notLookedFor, notStarted] = [createOutageLog(log), createOutageLog(log)];
  const { timeout } = webhooks;
  const retry = retryPolicy(webhooks);

  async function pass(): Promise<void> {
    for (;;) {
      const due = await claimLogouts(sql, webhooks.reconcileInterval, BATCH);
      await Promise.all(due.map(start));
      if (due.length < BATCH) return;
    }
  }

  async function start(logout: DueLogout): Promise<void> {
    const { id, tenantId, clientId, userId, to } = logout;
    const input: DeliverLogoutInput = { tenantId, logoutId: id, clientId, retry, timeout };
    try {
      await client.workflow.start("deliverLogout", {
        taskQueue: TASK_QUEUE,
        workflowId: logoutWorkflowId(logout),
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        args: [input],
        typedSearchAttributes: [{ key: TENANT_ID, value: tenantId }],
        staticSummary: inBytes(`Logout of User ${userId} → ${to}`),
        staticDetails: `${detailsLink("The application", publicUrl, `applications/${clientId}`)}. ${policyInWords(retry)}.`,
      });
    } catch (error) {
      notStarted({ err: error, tenantId, logoutId: id }, "Temporal did not start a logout; retrying");
      await unclaimLogout(sql, tenantId, id);
    }
  }

  return startPasses(sql, LOGOUT_CHANNEL, pass, (error) =>
    notLookedFor({ err: error }, "the check for logouts failed"),
  );
}
