// Measurements by maintenance of one tenant. They come from its own rows, so they reveal nothing of other tenants.

import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

export interface KeptDay {
  name: string;
  day: Date;
  rows: number;
  bytes: number;
}

export interface KeptTotal {
  name: string;
  day: Date;
  bytes: number;
  bytesOnDisk: number;
  measuredOn: Date;
}

/** The days with kept data of a tenant, oldest first. */
export function listKeptDays(sql: Queries, tenantId: TenantId): Promise<KeptDay[]> {
  return sql<KeptDay[]>`
    select name, day::timestamp at time zone 'UTC' as day, rows, bytes from kept_days
    where tenant_id = ${tenantId} order by kept_days.day`;
}

/** The oldest first. */
export function listKeptTotals(sql: Queries, tenantId: TenantId): Promise<KeptTotal[]> {
  return sql<KeptTotal[]>`
    select name, day::timestamp at time zone 'UTC' as day, bytes, bytes_on_disk as "bytesOnDisk",
      measured_on as "measuredOn"
    from kept_totals where tenant_id = ${tenantId} order by kept_totals.day`;
}

/** Whether this is the only tenant. */
export async function isAlone(sql: Queries, tenantId: TenantId): Promise<boolean> {
  const [row] = await sql<{ alone: boolean }[]>`
    select not exists (select from tenants where id <> ${tenantId}) as alone`;
  return row!.alone;
}
