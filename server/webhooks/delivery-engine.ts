// The sending engine of a worker: the steps of an attempt, which activities call, and the loops that find work.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { CheckInput } from "../../workflows/contract.ts";
import type { Config, WebhookConfig } from "../platform/config/config.ts";
import { boundTo, type Sql } from "../platform/db/sql.ts";
import type { Egress } from "../platform/egress/index.ts";
import type { ConnectionId, TenantId } from "../platform/ids.ts";
import type { WorkerMetrics } from "../platform/metrics/index.ts";
import type { Vault } from "../platform/vault.ts";
import { startAlertWatch } from "./alerts/watch.ts";
import { runCheck } from "./check/run.ts";
import { endCheck } from "./check/store.ts";
import { startClearing } from "./connections/clearing.ts";
import { probe } from "./connections/probe.ts";
import { recordProof } from "./connections/secret-rotation.ts";
import { startDispatcher } from "./deliveries/dispatcher.ts";
import { requeue } from "./deliveries/queue.store.ts";
import { startReconciler } from "./deliveries/reconciler.ts";
import { createSendSigned, type SignCall } from "./deliveries/send-signed.ts";
import { createAttemptWriter } from "./deliveries/start-and-record.ts";
import { countInRate } from "./deliveries/start-attempt.store.ts";
import { createStartTroubles } from "./deliveries/start-troubles.ts";
import { createStartingWorkflows } from "./deliveries/starting.ts";
import { closeOpenDelivery, revertAttempt } from "./deliveries/store.ts";
import { createWindows, QUICK_MS } from "./deliveries/windows.ts";
import { startWindowReport } from "./figures/window-report.ts";
import { followRedelivery } from "./redelivery/follow.ts";
import { cancelRedelivery } from "./redelivery/service.ts";
import { startWorkflows } from "./starter.ts";

export interface DeliveryEngineDependencies {
  sql: Sql;
  egress: Egress;
  vault: Vault;
  config: Pick<WebhookConfig, "timeout" | "holdAfter" | "probeInterval">;
  metrics: WorkerMetrics;
  log: Logger;
  signCall: SignCall;
}

/** The worker's parts that the loops need. */
interface Loops {
  /** The pool of the outbox. */
  outbox: Sql;
  client: Client;
  config: Pick<Config, "webhooks" | "publicUrl" | "tenantLimits">;
  /** A task queue that only this worker polls: deliveries with a reserved place are posted here. */
  ownTaskQueue: string;
  /** Whether this worker is the first to check an event or a queue. */
  isFirst(key: string): boolean;
  onAlerts: Parameters<typeof startAlertWatch>[4];
}

export type DeliveryEngine = ReturnType<typeof createDeliveryEngine>;

export function createDeliveryEngine(deps: DeliveryEngineDependencies) {
  const { sql, egress, vault, config, metrics, log, signCall } = deps;
  const { timeout, holdAfter, probeInterval } = config;
  const inSql = boundTo(sql);
  const starting = createStartingWorkflows();
  const windows = createWindows();
  const attempts = createAttemptWriter(sql, log);
  const sendSigned = createSendSigned({ egress, vault, timeout, signCall });
  return {
    /** Notified when a first post begins, so the dispatcher can start more workflows. */
    starting,
    windows,
    quickMs: QUICK_MS,
    troubles: createStartTroubles(sql, log),
    /** When exhausted deliveries make a connection Held, and when it is first probed. */
    holding: { after: holdAfter, probeInterval },
    /** Whether the tenant has no free request. */
    isFull: (tenantId: TenantId) => egress.isFull(tenantId),
    startAttempt: attempts.start,
    sendSigned,
    recordAttempt: attempts.record,
    recordProof: inSql(recordProof),
    revertAttempt: inSql(revertAttempt),
    closeOpenDelivery: inSql(closeOpenDelivery),
    requeue: inSql(requeue),
    countInRate: inSql(countInRate),
    followRedelivery: inSql(followRedelivery),
    cancelRedelivery: inSql(cancelRedelivery),
    probe: (tenantId: TenantId, connectionId: ConnectionId, signal: AbortSignal) =>
      probe({ sql, sendSigned, metrics, probeInterval }, tenantId, connectionId, signal),
    runCheck: (input: CheckInput, signal: AbortSignal) => runCheck({ sql, vault, sendSigned }, input, signal),
    endCheck: inSql(endCheck),
    /** Starts the loops that find and start work. */
    run({ outbox, client, config, ownTaskQueue, isFirst, onAlerts }: Loops) {
      const { reconcileInterval } = config.webhooks;
      const shared = { client, config, starting, windows, egress, ownTaskQueue, log, metrics, isFirst };
      const loops = [
        startDispatcher({ sql: outbox, ...shared }),
        startReconciler(sql, client, reconcileInterval, log),
        startWorkflows(outbox, client, config.publicUrl, reconcileInterval, log),
        startClearing(outbox, log),
        startAlertWatch(outbox, config.webhooks.alertInterval, config.tenantLimits, log, onAlerts),
        startWindowReport(outbox, windows, log),
      ];
      return { stop: () => Promise.all(loops.map((loop) => loop.stop())) };
    },
  };
}
