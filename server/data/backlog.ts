// Gauges read from PostgreSQL on each scrape. All processes return the same values.

import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";
import type { RetentionConfig } from "../platform/config/config.ts";
import type { Sql } from "../platform/db/sql.ts";
import { createOutageLog } from "../platform/log.ts";
import { type Backlog, readBacklog } from "./backlog.store.ts";

/** More frequent scrapes get the cached values. */
const FRESH_MS = 5_000;
const PATIENCE_MS = 2_000;

/** Without PostgreSQL the gauges have no value, and `gatehouse_postgresql_up` is 0. */
export function measureBacklog(sql: Sql, registry: Registry, retention: RetentionConfig, log: Logger): void {
  const failed = createOutageLog(log);
  const read = onceWithin(FRESH_MS, () =>
    answerWithin(PATIENCE_MS, readBacklog(sql, retention)).catch((err) => {
      failed({ err }, "the metrics of PostgreSQL could not be read");
      return undefined;
    }),
  );

  gauge("gatehouse_postgresql_up", "Whether PostgreSQL answers this process.", undefined, (backlog) => [
    [undefined, backlog ? 1 : 0],
  ]);
  gauge("gatehouse_webhook_backlog", "Unfinished deliveries, up to 100000.", "state", (backlog) => [
    ["Pending", backlog?.pending],
    ["Retrying", backlog?.retrying],
    ["Held", backlog?.held],
  ]);
  gauge(
    "gatehouse_webhook_overdue",
    "Unfinished deliveries of events older than RETENTION, which stay until they are finished; up to 100000.",
    undefined,
    (backlog) => [[undefined, backlog?.overdue]],
  );
  gauge(
    "gatehouse_webhook_oldest_undelivered_seconds",
    "Age of the oldest event with an unfinished delivery; 0 if there is none.",
    "state",
    (backlog) => [
      ["Pending", backlog && (backlog.oldestPending ?? 0)],
      ["Retrying", backlog && (backlog.oldestRetrying ?? 0)],
    ],
  );
  gauge(
    "gatehouse_webhook_dispatches_waiting",
    "Workflows waiting to be started, up to 100000.",
    undefined,
    (backlog) => [[undefined, backlog?.dispatches]],
  );
  gauge(
    "gatehouse_webhook_oldest_dispatch_seconds",
    "Time for which the oldest event has waited for its workflow to be started; 0 if none waits.",
    undefined,
    (backlog) => [[undefined, backlog && (backlog.oldestDispatch ?? 0)]],
  );
  gauge("gatehouse_workers", "Workers that send their heartbeat.", undefined, (backlog) => [
    [undefined, backlog?.workers],
  ]);
  gauge("gatehouse_clock_offset_seconds", "How far this clock is ahead of PostgreSQL's.", undefined, (backlog) => [
    [undefined, backlog && sql.clockOffset / 1_000],
  ]);
  gauge("gatehouse_postgresql_disk_full", "Whether PostgreSQL's disk is full.", undefined, (backlog) => [
    [undefined, backlog && Number(backlog.diskFull)],
  ]);
  gauge(
    "gatehouse_retention_overdue",
    "Expired partitions that maintenance has not removed, without those of unfinished deliveries.",
    undefined,
    (backlog) => [[undefined, backlog?.overduePartitions]],
  );
  gauge(
    "gatehouse_audit_unchained",
    "Entries of the audit log that are not chained yet, up to 100000.",
    undefined,
    (backlog) => [[undefined, backlog?.unchained.count]],
  );
  gauge(
    "gatehouse_audit_oldest_unchained_seconds",
    "Age of the oldest of them; 0 if there is none.",
    undefined,
    (backlog) => [[undefined, backlog && (backlog.unchained.oldestSeconds ?? 0)]],
  );
  gauge(
    "gatehouse_signing_key_age_seconds",
    "Age of the newest signing key of each algorithm, since it signs; negative before.",
    "alg",
    (backlog) => Object.entries(backlog?.signingKeys ?? {}),
  );
  gauge("gatehouse_logout_backlog", "Unfinished logouts, up to 100000.", "state", (backlog) => [
    ["Pending", backlog?.pendingLogouts],
    ["Retrying", backlog?.retryingLogouts],
  ]);
  gauge(
    "gatehouse_logout_oldest_undelivered_seconds",
    "Age of the oldest unfinished logout; 0 if there is none.",
    undefined,
    (backlog) => [[undefined, backlog && (backlog.oldestLogout ?? 0)]],
  );
  gauge("gatehouse_devices_waiting", "Devices waiting for their users, up to 100000.", undefined, (backlog) => [
    [undefined, backlog?.waitingDevices],
  ]);
  gauge("gatehouse_webhook_connections", "Connections that are paused or held.", "state", (backlog) => [
    ["Held", backlog?.heldConnections],
    ["Paused", backlog?.pausedConnections],
  ]);
  gauge("gatehouse_tenants_near_limit", "Tenants that use 80 % of one of their limits.", undefined, (backlog) => [
    [undefined, backlog?.tenantsNearLimit],
  ]);

  function gauge(
    name: string,
    help: string,
    label: string | undefined,
    values: (backlog: Backlog | undefined) => [value: string | undefined, measured: number | undefined][],
  ): void {
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [registry],
      async collect() {
        const backlog = await read();
        this.reset();
        for (const [value, measured] of values(backlog)) {
          const labels: Record<string, string> = label && value ? { [label]: value } : {};
          if (measured === undefined) this.remove(labels);
          else this.set(labels, measured);
        }
      },
    });
  }
}

function onceWithin<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (!answer || performance.now() - askedAt >= milliseconds) {
      askedAt = performance.now();
      answer = ask();
    }
    return answer;
  };
}

function answerWithin<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}
