// Starts a workflow for each logout. Runs beside the worker, so ending a session does not need Temporal.

import type { Client } from "@temporalio/client";
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from "@temporalio/common";
import type { Logger } from "pino";
import { type DeliverLogoutInput, TASK_QUEUE } from "../../../workflows/contract.ts";
import type { Config } from "../../platform/config/config.ts";
import { startDue } from "../../platform/db/leases.store.ts";
import type { Sql } from "../../platform/db/sql.ts";
import type { Passes } from "../../platform/db/watch.ts";
import { policyInWords, retryPolicy } from "../../platform/temporal/retry-policy.ts";
import { TENANT_ID } from "../../platform/temporal/search-attributes.ts";
import { detailsLink, inBytes } from "../../platform/temporal/ui-texts.ts";
import { type DueLogout, LOGOUT_CHANNEL, LOGOUT_LEASE, leaseLogouts } from "./store.ts";

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
  const { timeout } = webhooks;
  const retry = retryPolicy(webhooks);
  return startDue(sql, log, {
    lease: LOGOUT_LEASE,
    channel: LOGOUT_CHANNEL,
    nouns: ["a logout", "logouts"],
    idName: "logoutId",
    batch: 50,
    leaseDue: (queries, limit) => leaseLogouts(queries, webhooks.reconcileInterval, limit),
    async start(logout) {
      const { id, tenantId, clientId, userId, to } = logout;
      const input: DeliverLogoutInput = { tenantId, logoutId: id, clientId, retry, timeout };
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
    },
  });
}
