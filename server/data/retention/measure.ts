// Measures what is kept of each tenant, for the page Data.

import { PARTITIONED } from "../../platform/db/partitions.ts";
import type { Sql } from "../../platform/db/sql.ts";
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
