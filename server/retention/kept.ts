// Tells how much of a tenant is kept in each table, and until when.

import type { Permitted } from "../access/index.ts";
import type { RetentionConfig } from "../config.ts";
import { BODY_TABLES, LOG_TABLES } from "../db/partitions.ts";
import { readWithin, type Sql } from "../db/sql.ts";
import { ServiceBusy } from "../errors.ts";
import { timeOfId } from "../ids.ts";
import { countByDay, listNewest, listRemovedDays, listSizes, MEASURED, measure, type Source } from "./kept.store.ts";
import { findRetentionDays } from "./tenants.store.ts";

const DAY_MS = 86_400_000;
/** For each statement. */
const PATIENCE_MS = 5_000;

export interface KeptTable {
  name: (typeof LOG_TABLES)[number] | "audit_log";
  setting: "RETENTION" | "RetentionDays" | "PAYLOAD_RETENTION" | "AUDIT_RETENTION";
  keptMs: number;
  /** Days with rows, the oldest first; each with the end of its partition, which is dropped whole. */
  days: { from: Date; to: Date; rows: number; bytes: number }[];
  /** Counted; otherwise estimated. */
  isExact: boolean;
  /** Bytes are those on disk, because there is no other tenant; otherwise they are of the rows alone. */
  isOnDisk: boolean;
}

/** Omits tables with rows that the caller may not see, because counts would reveal them. @throws ServiceBusy */
export type ReadKept = (caller: Permitted<"Settings:Read">) => Promise<KeptTable[]>;

export function createReadKept(sql: Sql, retention: RetentionConfig): ReadKept {
  return async ({ tenantId, gate, scopes }) => {
    const isLogSeen = scopes.has("Webhooks:Read") && gate.seesAll("WebhookEvent");
    const tables = await readWithin(sql, tenantId, PATIENCE_MS, async (tx) => {
      const ownMs = ((await findRetentionDays(tx, tenantId)) ?? Number.POSITIVE_INFINITY) * DAY_MS;
      const sizes = await listSizes(tx, tenantId);
      const removed = await listRemovedDays(tx);
      const log = isLogSeen ? await read("events", LOG_TABLES) : [];
      return [...log, ...(gate.seesAll("AuditEvent") ? await read("audit_log", ["audit_log"]) : [])];

      async function read(source: Source, names: readonly KeptTable["name"][]): Promise<KeptTable[]> {
        const all = await countByDay(tx, tenantId, source);
        const newest = await listNewest(tx, tenantId, source);
        const tables: KeptTable[] = [];
        for (const name of names) {
          const isThere = (at: Date) => !BODY_TABLES.includes(name) || !removed.includes(dayOf(at));
          const days = all.days.filter(({ day }) => isThere(day));
          const sample = await measure(tx, name, name === source ? "id" : "event_id", newest);
          const each = sample.rows / Math.max(1, newest.filter((id) => isThere(timeOfId(id))).length);
          const rows = each * days.reduce((sum, { count }) => sum + count, 0);
          const rowBytes = sizes.has(name) ? sizes.get(name)! / rows : sample.bytes / sample.rows;
          tables.push({
            name,
            ...limitOf(name, retention, ownMs),
            days: (each > 0 ? days : []).map(({ day, count }) => {
              return { from: day, to: endOf(name, day), rows: count * each, bytes: count * each * rowBytes };
            }),
            isExact: name === source ? all.isExact : newest.length < MEASURED && days.length === all.days.length,
            isOnDisk: sizes.size > 0,
          });
        }
        return tables;
      }
    });
    if (!tables) throw new ServiceBusy();
    return tables;
  };
}

const dayOf = (at: Date) => Math.floor(at.getTime() / DAY_MS) * DAY_MS;

/** As partition_end in the schema. */
function endOf(name: string, day: Date): Date {
  if (name !== "audit_log") return new Date(day.getTime() + DAY_MS);
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1));
}

function limitOf(name: string, { log, payloads, audit }: RetentionConfig, ownMs: number) {
  const of = (setting: KeptTable["setting"], keptMs: number) => ({ setting, keptMs });
  if (name === "audit_log") return of("AUDIT_RETENTION", audit);
  if (BODY_TABLES.includes(name) && payloads <= ownMs) return of("PAYLOAD_RETENTION", payloads);
  return ownMs < log ? of("RetentionDays", ownMs) : of("RETENTION", log);
}
