// The hourly work on outcomes by the hour.

import type { Sql } from "../../platform/db/sql.ts";
import { countHours, listBusyTenants, removeOldHours } from "./hours.store.ts";

/** The next run continues, and pages count the rest themselves. */
const MAX_COUNTING_MS = 30_000;

/** Removes expired counts, then counts the finished hours of busy tenants. @returns the number of removed counts */
export async function countFinishedHours(sql: Sql): Promise<number> {
  const deadline = Date.now() + MAX_COUNTING_MS;
  const removed = await removeOldHours(sql);
  for (const tenantId of await listBusyTenants(sql)) {
    if (Date.now() >= deadline) break;
    await countHours(sql, tenantId);
  }
  return removed;
}
