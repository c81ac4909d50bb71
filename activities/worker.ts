// `bun run worker`: runs workflows and activities, the dispatcher and the reconciler.

import { Client } from "@temporalio/client";
import { NativeConnection, type NativeConnectionOptions, Runtime, Worker } from "@temporalio/worker";
import type { Logger } from "pino";
import { startMaintenance, temporalBytes } from "../server/appliance/index.ts";
import { measureBacklog, startErasures } from "../server/data/index.ts";
import { createKeyRotation, createLogoutEngine, imports, mail, signing } from "../server/identity/index.ts";
import { samePortProblems } from "../server/platform/config/config.ts";
import type { TemporalConfig } from "../server/platform/config/temporal.ts";
import { connectionsOfWorker, warnIfFewConnections, workerPools } from "../server/platform/db/capacity.ts";
import { startClockWatch } from "../server/platform/db/clock.ts";
import { startWorkerHeartbeat } from "../server/platform/db/installation-parts.ts";
import { requireSchema } from "../server/platform/db/migrate.ts";
import { connect, IMPATIENT, PATIENT, refuseSharedSessions } from "../server/platform/db/sql.ts";
import { FAILURE_PAUSE_MS } from "../server/platform/durations.ts";
import { createEgress } from "../server/platform/egress/index.ts";
import { CannotStart } from "../server/platform/errors.ts";
import { createLifecycle, serveWorkerProbes } from "../server/platform/http/health.ts";
import { createLog } from "../server/platform/log.ts";
import {
  createWorkerMetrics,
  measureDatabase,
  measureWindows,
  serveMetrics,
} from "../server/platform/metrics/index.ts";
import { onceDatabaseIsThere, onStop, readProductionConfig, runEntry } from "../server/platform/process.ts";
import { explained, requireCluster } from "../server/platform/temporal/cluster.ts";
import { createTracing } from "../server/platform/tracing/index.ts";
import { createVault } from "../server/platform/vault.ts";
import { startAuditChain } from "../server/records/index.ts";
import { createDeliveryEngine } from "../server/webhooks/index.ts";
import { TASK_QUEUE } from "../workflows/contract.ts";
import { HEARTBEAT_MS } from "./heartbeat.ts";
import { createActivities } from "./index.ts";
import { temporalLogger } from "./temporal-log.ts";
import { bundleWorkflows } from "./workflow-bundle.ts";

/** The SDK's default depends on a heap limit that Bun reports wrongly. */
const CACHED_WORKFLOWS = 1_000;
/** The maximum number of concurrent posts. A hanging one costs little, and windows are the effective limit. */
const POSTS = 2_000;
/** Posts run within their workflow's task and may hang there. */
const WORKFLOW_TASKS = 500;
/** Abandons dead connections. There is no timeout for a free connection, because a busy worker may have to wait. */
const { wait_timeout: _, ...ANSWERED } = IMPATIENT;
/**
 * Maintenance is hourly, and an unused session does not notice a failover. A used one whose server is lost would never be
 * answered; an attempt of an erasure, which has large statements, may take an hour.
 */
const MAINTENANCE = { idle_timeout: 1, answer_timeout: 3_610, timeouts: { ...PATIENT, statement: 3_600_000 } };

await runEntry("worker", async () => {
  const config = readProductionConfig(process.env, samePortProblems(process.env, "WORKER_PORT"));
  const log = createLog(config.logLevel, "worker", undefined, config.levelFormat);
  Runtime.install({
    shutdownSignals: [],
    logger: temporalLogger(log),
    // Without forwarding, the SDK's native part writes to the console.
    telemetryOptions: { logging: { filter: { core: "WARN", other: "ERROR" }, forward: {} } },
  });

  const pools = workerPools(config.pools.worker);
  const sql = connect(config.databaseUrl, "gatehouse worker", pools.deliveries, ANSWERED);
  const patientSql = connect(config.databaseUrl, "gatehouse maintenance", 1, MAINTENANCE);
  const vault = createVault(config.masterKey, config.masterKeyPrevious);
  const keyRotation = createKeyRotation(sql, vault);
  const lifecycle = createLifecycle();
  // From here on the process can be stopped, even while PostgreSQL or Temporal is unavailable.
  const stops: (() => Promise<unknown>)[] = [
    () => Promise.all([sql, patientSql].map((pool) => pool.end({ timeout: 1 }))),
  ];
  onStop(async () => {
    lifecycle.stop();
    for (const stop of stops.toReversed()) await stop();
  });
  const probes = serveWorkerProbes(config.workerProbes, sql, config.temporal.address, lifecycle);
  stops.push(() => probes.stop());
  const metrics = createWorkerMetrics();
  measureBacklog(sql, metrics.registry, config.retention, log);
  const addPool = measureDatabase(metrics.registry, log);
  addPool("worker", sql);
  addPool("maintenance", patientSql);
  const tracing = await createTracing(config.tracing, "worker", log);
  stops.push(() => tracing.stop());
  const metricsServer = serveMetrics(config.metrics, metrics.registry);
  stops.push(() => metricsServer.stop());
  await onceDatabaseIsThere(config.databaseUrl, log, async () => {
    await refuseSharedSessions(config.databaseUrl);
    await requireSchema(sql);
    // Without the key, deliveries would use up their attempts.
    await keyRotation.requireOpen();
    await warnIfFewConnections(sql, connectionsOfWorker(config.pools.worker), "DATABASE_POOL_WORKER", log);
  });
  const clock = await startClockWatch(sql, log);
  stops.push(() => clock.stop());
  const workflowBundle = await bundleWorkflows(temporalLogger(log));
  const connection = await connectToTemporal(config.temporal, log);
  const egress = createEgress(config.egress);
  const { publicUrl, webhooks } = config;
  const engine = createDeliveryEngine({
    ...{ sql, egress, vault, config: webhooks, metrics, log },
    signCall: signing.createCallSigner(sql, vault, publicUrl),
  });
  const logouts = createLogoutEngine({ sql, egress, vault, publicUrl, timeoutMs: webhooks.timeout });
  const mails = mail.createMailEngine({ sql, egress, vault, mail: config.mail, probeInterval: webhooks.probeInterval });
  measureWindows(metrics.registry, engine.windows.seen);
  const mailer = mail.createMailer(vault, config.mail, log);
  const invitations = imports.createInvitationEngine({ sql, mailer, publicUrl });
  const activities = createActivities({
    patientSql,
    engine,
    logouts,
    mails,
    invitations,
    keyRotation,
    retention: config.retention,
    temporalBytes: () => temporalBytes(config.dataDir),
    log,
    metrics,
    tracing,
  });
  const common = {
    connection,
    namespace: config.temporal.namespace,
    shutdownGraceTime: "3s",
    maxConcurrentActivityTaskExecutions: POSTS,
    maxHeartbeatThrottleInterval: HEARTBEAT_MS,
  } as const;
  const worker = await Worker.create({
    ...common,
    taskQueue: TASK_QUEUE,
    workflowBundle,
    activities,
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
    maxConcurrentLocalActivityExecutions: POSTS,
    reuseV8Context: true,
    workflowThreadPoolSize: 1,
  });
  const ownTaskQueue = `${TASK_QUEUE}/${Bun.randomUUIDv7()}`;
  const { postWebhook } = activities;
  const ownWorker = await Worker.create({ ...common, taskQueue: ownTaskQueue, activities: { postWebhook } });
  const running = Promise.all([worker.run(), ownWorker.run()]);
  stops.push(async () => {
    for (const each of [worker, ownWorker]) if (each.getState() === "RUNNING") each.shutdown();
    await running.catch(() => {});
  });
  const { troubles } = engine;
  stops.push(() => troubles.stop());
  sql.onRejected = troubles.rejected;
  const interceptors = { workflow: [troubles.interceptor] };
  const client = new Client({ connection, namespace: config.temporal.namespace, interceptors });
  const outbox = connect(config.databaseUrl, "gatehouse outbox", pools.outbox, ANSWERED);
  outbox.onRejected = troubles.rejected;
  addPool("outbox", outbox);
  stops.push(() => outbox.end({ timeout: 1 }));
  const heartbeat = startWorkerHeartbeat(config.databaseUrl);
  const onAlerts = mail.createMailAlerts(mailer, publicUrl);
  const parts = [
    engine.run({ outbox, client, config, ownTaskQueue, isFirst: heartbeat.isFirst, onAlerts }),
    logouts.run(outbox, client, config, log),
    mails.run(outbox, client, config, log),
    invitations.run(outbox, client, webhooks.reconcileInterval, log),
    startErasures(outbox, client, webhooks.reconcileInterval, log),
    startMaintenance(client, log),
    startAuditChain(outbox, heartbeat.isFirst, log),
    heartbeat,
  ];
  stops.push(() => Promise.all(parts.map((part) => part.stop())));
  lifecycle.serve();
  log.info({ namespace: config.temporal.namespace, taskQueue: TASK_QUEUE }, "worker ready");

  // A worker ends by itself only after a fatal error; the supervisor restarts it.
  await running;
});

/** Compression is not worth its CPU on one machine. */
function temporalOptions({ address, connection }: TemporalConfig): NativeConnectionOptions {
  const local = /^(localhost|127\.|\[::1\])/.test(address);
  return { ...connection, ...(local ? { grpcCompression: { codec: "none" } } : {}) };
}

/** Waits until Temporal is available; changes are safe in PostgreSQL meanwhile. */
async function connectToTemporal(config: TemporalConfig, log: Logger): Promise<NativeConnection> {
  for (let attempt = 1; ; attempt++) {
    let connection: NativeConnection | undefined;
    try {
      connection = await NativeConnection.connect(temporalOptions(config)).catch((error) => {
        throw explained(error, config);
      });
      log.info(await requireCluster(connection, config), "connected to Temporal");
      return connection;
    } catch (error) {
      await connection?.close();
      if (error instanceof CannotStart) throw error;
      if (attempt % 20 === 1) log.warn({ err: error }, "Temporal does not answer; retrying");
      await Bun.sleep(FAILURE_PAUSE_MS);
    }
  }
}
