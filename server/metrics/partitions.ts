import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import type { Sql } from "../db/sql.ts";

/** Maintenance makes partitions ahead, so a missed one means that it has not run for days. */
export function reportMissedPartitions(sql: Sql, registry: Registry, log: Logger): void {
  const missed = new Counter({
    name: "gatehouse_partitions_missed_total",
    help: "Partitions that a change had to make, because maintenance had not run.",
    registers: [registry],
  });
  sql.onPartitionMissed = (partition) => {
    missed.inc();
    log.warn({ partition }, "a partition was missing and has been made; check why maintenance has not made it");
  };
}
