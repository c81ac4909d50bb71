// Tells how much of a tenant is kept in each table, and until when, as maintenance has measured it.

import type { RetentionConfig } from "../../platform/config/config.ts";
import { BODY_TABLES } from "../../platform/db/partitions.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { DAY_MS } from "../../platform/durations.ts";
import type { Permitted } from "../../records/index.ts";
import { isAlone, type KeptTotal, listKeptDays, listKeptTotals } from "./kept.store.ts";
import { createMeasureNow, MEASURED, type MeasureNow } from "./measure.ts";
import { findRetentionDays } from "./tenants.store.ts";

export interface KeptTable {
  name: (typeof MEASURED)[number] | "temporal";
  /** undefined: nothing removes it by its age. */
  limit:
    | {
        setting: "RETENTION" | "RetentionDays" | "PAYLOAD_RETENTION" | "AUDIT_RETENTION" | "TEMPORAL_RETENTION";
        ms: number;
      }
    | undefined;
  /** Days with rows, the oldest first; each with the end of its partition, which is dropped whole. */
  days: { from: Date; to: Date; rows: number; bytes: number }[];
  /** The bytes at the last measurement of each day, oldest first. */
  growth: { day: Date; bytes: number }[];
}

export interface Kept {
  /** When it was measured; undefined: not yet. */
  asOf: Date | undefined;
  /** Bytes are those on disk, because there is no other tenant; otherwise they are of the rows alone. */
  isOnDisk: boolean;
  /** Without tables with rows that the caller may not see, because counts would reveal them. */
  tables: KeptTable[];
}

export type ReadKept = (caller: Permitted<"Settings:Read">) => Promise<Kept>;

/** @param temporalMs TEMPORAL_RETENTION */
export function createKept(
  sql: Sql,
  retention: RetentionConfig,
  temporalMs: number,
): { readKept: ReadKept; measureNow: MeasureNow } {
  return { readKept: createReadKept(sql, retention, temporalMs), measureNow: createMeasureNow(sql) };
}

function createReadKept(sql: Sql, retention: RetentionConfig, temporalMs: number): ReadKept {
  return async ({ tenantId, gate, scopes }) => {
    const isLogSeen = scopes.has("Webhooks:Read") && gate.seesAll("WebhookEvent");
    const isAuditSeen = gate.seesAll("AuditEvent");
    const [ownDays, isOnDisk, days, totals] = await Promise.all([
      findRetentionDays(sql, tenantId),
      isAlone(sql, tenantId),
      listKeptDays(sql, tenantId),
      listKeptTotals(sql, tenantId),
    ]);
    const bytesOf = ({ bytes, bytesOnDisk }: KeptTotal) => (isOnDisk ? bytesOnDisk : bytes);
    const names = [...MEASURED, "temporal"] as const;
    const tables = names
      .filter((name) => (name === "audit_log" ? isAuditSeen : isLogSeen))
      .map((name): KeptTable => {
        const growth = totals.filter((total) => total.name === name);
        const last = growth.at(-1);
        const factor = isOnDisk && last && last.bytes > 0 ? last.bytesOnDisk / last.bytes : 1;
        return {
          name,
          limit: limitOf(name, retention, { ownMs: (ownDays ?? Number.POSITIVE_INFINITY) * DAY_MS, temporalMs }),
          days: days
            .filter((one) => one.name === name)
            .map(({ day, rows, bytes }) => ({ from: day, to: endOf(name, day), rows, bytes: bytes * factor })),
          growth: growth.map((total) => ({ day: total.day, bytes: bytesOf(total) })),
        };
      });
    return { asOf: totals.at(-1)?.measuredOn, isOnDisk, tables };
  };
}

/** As partition_end in the schema. */
function endOf(name: string, day: Date): Date {
  if (name !== "audit_log") return new Date(day.getTime() + DAY_MS);
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1));
}

function limitOf(
  name: KeptTable["name"],
  { log, payloads, audit }: RetentionConfig,
  { ownMs, temporalMs }: { ownMs: number; temporalMs: number },
): KeptTable["limit"] {
  if (name === "deliveries_open") return undefined;
  if (name === "temporal") return { setting: "TEMPORAL_RETENTION", ms: temporalMs };
  if (name === "audit_log") return { setting: "AUDIT_RETENTION", ms: audit };
  if (BODY_TABLES.includes(name) && payloads <= ownMs) return { setting: "PAYLOAD_RETENTION", ms: payloads };
  return ownMs < log ? { setting: "RetentionDays", ms: ownMs } : { setting: "RETENTION", ms: log };
}
