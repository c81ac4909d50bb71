// Measures what is kept of each tenant, for the page Data.

import { PARTITIONED } from "../../platform/db/partitions.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { measureCounts } from "../../platform/limits/index.ts";
import { ENTITY_TABLES, type Permitted } from "../../records/index.ts";
import { listKeptTotals } from "./kept.store.ts";
import { listChanged, measureOpen, measurePartition, recordTotals } from "./measure.store.ts";

export const MEASURED = [...PARTITIONED, "deliveries_open"] as const;

/**
 * @param deadline when it stops reading partitions; the next run continues
 * @param temporalBytes the size of the Temporal store of `start`
 * @returns the number of partitions
 */
export async function measureKept(sql: Sql, deadline: Date, temporalBytes?: number): Promise<number> {
  const changed = await listChanged(sql, PARTITIONED);
  let measured = 0;
  for (const partition of changed) {
    if (Date.now() > deadline.getTime()) break;
    await measurePartition(sql, partition);
    measured++;
  }
  await measureOpen(sql);
  await recordTotals(sql, MEASURED, temporalBytes);
  return measured;
}

/** For everyone, because partitions have rows of all tenants. A large installation is measured in several turns. */
const MAX_TURN_MS = 5_000;
const MEASURE_INTERVAL_MS = 60_000;

/** @returns false if it was measured within the last minute */
export type MeasureNow = (caller: Permitted<"Settings:Update">) => Promise<boolean>;

export function createMeasureNow(sql: Sql): MeasureNow {
  return async ({ tenantId }) => {
    const last = (await listKeptTotals(sql, tenantId)).at(-1)?.measuredOn;
    if (last && Date.now() - last.getTime() < MEASURE_INTERVAL_MS) return false;
    await measureKept(sql, new Date(Date.now() + MAX_TURN_MS));
    await measureCounts(sql, ENTITY_TABLES);
    return true;
  };
}
