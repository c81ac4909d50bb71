// Starts and signals the workflows of bulk redeliveries, Held connections and receiver checks. Runs beside the worker:
// the API only stores requests in PostgreSQL, so it does not need Temporal.

import type { Client } from "@temporalio/client";
import { type SearchAttributePair, WorkflowNotFoundError } from "@temporalio/common";
import type { Logger } from "pino";
import {
  type CheckInput,
  PROBE_CHANGED,
  type ProbeInput,
  REDELIVERY_CHANGED,
  type RedeliverInput,
  TASK_QUEUE,
} from "../../workflows/contract.ts";
import { startDue } from "../platform/db/leases.store.ts";
import type { Sql } from "../platform/db/sql.ts";
import type { Passes } from "../platform/db/watch.ts";
import type { ConnectionId, TenantId } from "../platform/ids.ts";
import { CONNECTION_ID, TENANT_ID } from "../platform/temporal/search-attributes.ts";
import { detailsLink } from "../platform/temporal/ui-texts.ts";
import { type DueCheck, leaseChecks } from "./check/store.ts";
import { leaseProbes, type ProbedConnection } from "./holding.store.ts";
import { type DueRedelivery, leaseRedeliveries } from "./redelivery/follow.store.ts";
import { redeliveryWorkflowId } from "./redelivery/record.ts";
import { REDELIVERY_CHANNEL } from "./redelivery/store.ts";

const BATCH = 20;

/** @param checkMs interval for checking that each workflow exists */
export function startWorkflows(sql: Sql, client: Client, publicUrl: string, checkMs: number, log: Logger): Passes {
  const shared = { channel: REDELIVERY_CHANNEL, batch: BATCH };
  const passes = [
    startDue(sql, log, {
      ...shared,
      lease: { table: "redeliveries" },
      nouns: ["a redelivery", "redeliveries"],
      idName: "redeliveryId",
      leaseDue: (queries, limit) => leaseRedeliveries(queries, checkMs, limit),
      start: startOrSignal,
    }),
    startDue(sql, log, {
      ...shared,
      lease: { table: "webhook_connections", column: "probe_lease_until" },
      nouns: ["a probe", "probes"],
      idName: "connectionId",
      leaseDue: (queries, limit) => leaseProbes(queries, checkMs, limit),
      start: startOrEndProbes,
    }),
    startDue(sql, log, {
      ...shared,
      lease: { table: "receiver_checks" },
      nouns: ["a receiver check", "receiver checks"],
      idName: "checkId",
      leaseDue: (queries, limit) => leaseChecks(queries, checkMs, limit),
      start: startCheck,
    }),
  ];

  async function startCheck({ id, tenantId, connectionId, to }: DueCheck): Promise<void> {
    const input: CheckInput = { tenantId, connectionId, checkId: id };
    await client.workflow.start("checkReceiver", {
      taskQueue: TASK_QUEUE,
      workflowId: `WebhookConnection/${connectionId}/Check/${id}`,
      workflowIdConflictPolicy: "USE_EXISTING",
      args: [input],
      ...visible(tenantId, connectionId),
      staticSummary: `Checks the receiver of ${to}`,
      staticDetails: detailsLink("The result", publicUrl, `webhooks/${connectionId}/verify`),
    });
  }

  async function startOrSignal(redelivery: DueRedelivery): Promise<void> {
    const { id, tenantId, connectionId, kind, to } = redelivery;
    const input: RedeliverInput = { tenantId, redeliveryId: id };
    await client.workflow.signalWithStart("redeliver", {
      taskQueue: TASK_QUEUE,
      workflowId: redeliveryWorkflowId(redelivery),
      args: [input],
      signal: REDELIVERY_CHANGED,
      ...visible(tenantId, connectionId),
      staticSummary: `${kind} of ${to}`,
      staticDetails: detailsLink("The redelivery", publicUrl, `redeliveries/${id}`),
    });
  }

  async function startOrEndProbes({ id, tenantId, to, held, unchecked, due, reason }: ProbedConnection): Promise<void> {
    const workflowId = `WebhookConnection/${id}/Probe`;
    const input: ProbeInput = { tenantId, connectionId: id };
    if (held && unchecked) {
      log.warn({ tenantId, connectionId: id, connection: to, reason }, "a connection was held; it will be probed");
    }
    if (!held) return signalIfRunning(workflowId, PROBE_CHANGED);
    await client.workflow.start("probeConnection", {
      taskQueue: TASK_QUEUE,
      workflowId,
      workflowIdConflictPolicy: "USE_EXISTING",
      args: [input],
      ...visible(tenantId, id),
      staticSummary: `${to} is Held: ${reason}`,
      staticDetails: detailsLink("The connection", publicUrl, `webhooks/${id}`),
    });
    // The workflow may be waiting for an outdated time.
    if (due) await signalIfRunning(workflowId, PROBE_CHANGED);
  }

  async function signalIfRunning(workflowId: string, signal: string): Promise<void> {
    try {
      await client.workflow.getHandle(workflowId).signal(signal);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  return {
    async stop() {
      await Promise.all(passes.map((one) => one.stop()));
    },
  };
}

function visible(tenantId: TenantId, connectionId: ConnectionId) {
  return {
    typedSearchAttributes: [
      { key: TENANT_ID, value: tenantId },
      { key: CONNECTION_ID, value: [connectionId] },
    ] satisfies SearchAttributePair[],
  };
}
