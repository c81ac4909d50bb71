// How this process uses PostgreSQL: connections, waits for them, notifications, missed partitions.

import type { Logger } from "pino";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Sql } from "../db/sql.ts";

/** The upper bounds of the histogram of waits, in seconds. */
const WAIT_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** @returns a function that adds a pool; until then it is not measured */
export function measureDatabase(registry: Registry, log: Logger): (pool: string, sql: Sql) => void {
  const registers = [registry];
  const pools = new Map<string, Sql>();
  const readsPools = (name: string, help: string, states: readonly string[], values: (sql: Sql) => number[]) =>
    new Gauge({
      name,
      help,
      labelNames: states.length > 0 ? ["pool", "state"] : ["pool"],
      registers,
      collect() {
        for (const [pool, sql] of pools) {
          for (const [at, value] of values(sql).entries()) {
            const state = states[at];
            this.set(state ? { pool, state } : { pool }, value);
          }
        }
      },
    });
  readsPools(
    "gatehouse_postgresql_connections",
    "Connections of a pool in use, and idle ones.",
    ["Active", "Idle"],
    (sql) => [sql.pool().active, sql.pool().idle],
  );
  readsPools("gatehouse_postgresql_connections_max", "Maximum of connections of a pool.", [], (sql) => [sql.max]);
  readsPools("gatehouse_postgresql_waiting", "Statements that wait for a connection of a full pool.", [], (sql) => [
    sql.pool().waiting,
  ]);
  const waits = new Histogram({
    name: "gatehouse_postgresql_wait_duration_seconds",
    help: "Time for which statements waited for a connection of a full pool, including those that got none.",
    labelNames: ["pool"],
    buckets: WAIT_BUCKETS,
    registers,
  });
  const notifications = new Counter({
    name: "gatehouse_postgresql_notifications_total",
    help: "Notifications of PostgreSQL to this process.",
    labelNames: ["channel"],
    registers,
  });
  // Maintenance makes partitions ahead, so a missed one means that it has not run for days.
  const missed = new Counter({
    name: "gatehouse_partitions_missed_total",
    help: "Partitions that a change had to make, because maintenance had not run.",
    registers,
  });
  return (pool, sql) => {
    pools.set(pool, sql);
    waits.zero({ pool });
    sql.onWait = (milliseconds) => waits.observe({ pool }, milliseconds / 1_000);
    sql.onNotification = (channel) => notifications.inc({ channel });
    sql.onPartitionMissed = (partition) => {
      missed.inc();
      log.warn({ partition }, "a partition was missing and has been made; check why maintenance has not made it");
    };
  };
}
