// Removes data after its retention: whole partitions, and single rows only for a tenant with a shorter retention, or
// where an open delivery keeps the rest of its day.

import type { Logger } from "pino";
import type { RetentionConfig } from "../../platform/config/config.ts";
import { LOCK_NOT_AVAILABLE } from "../../platform/db/failures.ts";
import { agesOf } from "../../platform/db/partitions.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { DAY_MS } from "../../platform/durations.ts";
import {
  dropPartition,
  listClosed,
  listEnded,
  noteRemoval,
  type Old,
  type Partition,
  readNow,
  removeClosed,
} from "./partitions.store.ts";
import { listRetentions } from "./tenants.store.ts";

const TRIES = 50;
const PAUSE_MS = 100;
/** The number of events for one statement. */
const CHUNK = 1_000;

interface Removed {
  partitions: number;
  /** Partitions that were in use at each try; the next run retries them. */
  partitions_busy: number;
  /** Events whose rows were removed one by one, or their payloads. */
  closed_events: number;
}

/** @param deadline when it stops; the next run continues */
export async function removeExpiredLogs(
  sql: Sql,
  retention: RetentionConfig,
  log: Logger,
  deadline: Date,
): Promise<Removed> {
  const isOver = () => Date.now() >= deadline.getTime();
  const removed: Removed = { partitions: 0, partitions_busy: 0, closed_events: 0 };

  async function expire(parent: string, age: number): Promise<void> {
    for (const partition of await listEnded(sql, parent, age)) {
      if (isOver()) return;
      const outcome = await drop(partition);
      if (outcome === "dropped") removed.partitions++;
      if (outcome === "busy") removed.partitions_busy++;
      // In order, so the chain of the audit log misses no entry after one that it has.
      if (outcome === "busy" && parent === "audit_log") return;
      if (outcome !== "kept" || (parent !== "events" && parent !== "payloads")) continue;
      if (parent === "payloads") await noteRemoval(sql, partition);
      await removeRows(parent, partition);
    }
  }

  async function drop(partition: Partition): Promise<"dropped" | "kept" | "busy"> {
    for (let attempt = 1; attempt <= TRIES && !isOver(); attempt++) {
      try {
        return (await dropPartition(sql, partition)) ? "kept" : "dropped";
      } catch (error) {
        if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
        // Changes that wait for the lock go first.
        await Bun.sleep(PAUSE_MS * (1 + Math.random()));
      }
    }
    log.warn(partition, "an expired partition is in use; it is dropped by a later run");
    return "busy";
  }

  async function removeRows(what: "events" | "payloads", old: Old): Promise<void> {
    for (let after: string | undefined; !isOver(); ) {
      const ids = await listClosed(sql, what, old, after, CHUNK);
      if (ids.length > 0) await removeClosed(sql, ids, what);
      removed.closed_events += ids.length;
      if (ids.length < CHUNK) return;
      after = ids.at(-1);
    }
  }

  for (const [table, age] of agesOf(retention)) await expire(table, age);
  const now = await readNow(sql);
  for (const { tenantId, days } of await listRetentions(sql)) {
    await removeRows("events", { tenantId, to: new Date(now.getTime() - days * DAY_MS) });
  }
  return removed;
}
