import { BODY_TABLES } from "../db/partitions.ts";
import type { Queries, Sql } from "../db/sql.ts";
import { isOpen } from "../webhooks/index.ts";

export interface Partition {
  parent: string;
  from: Date;
  to: Date;
}

/** All of a table's partitions up to a time, the oldest first. */
export function listEnded(sql: Queries, parent: string, until: Date): Promise<Partition[]> {
  return sql<Partition[]>`
    select ${parent} as parent, starts_on as "from", partition_end(${parent}, starts_on) as "to"
    from pg_inherits join pg_class c on c.oid = inhrelid, lateral (
      select to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' as starts_on
    ) named
    where inhparent = to_regclass(${parent}) and partition_end(${parent}, starts_on) <= ${until}
    order by starts_on`;
}

/** Whether it had open deliveries and was kept. @throws lock_not_available */
export async function dropPartition(sql: Queries, { parent, from }: Partition): Promise<boolean> {
  const [row] = await sql<{ kept: boolean }[]>`select drop_partition(${parent}, ${from}) as kept`;
  return row!.kept;
}

/** Closed events of a time: none of their deliveries is open. Oldest first. */
export async function listClosed(
  sql: Queries,
  table: "events" | "payloads",
  { from, to, tenantId }: { from: Date | undefined; to: Date; tenantId?: string },
  limit: number,
): Promise<string[]> {
  const id = table === "events" ? sql`e.id` : sql`e.event_id`;
  const rows = await sql<{ id: string }[]>`
    select ${id} as id from ${sql(table)} e
    where ${id} < lowest_id(${to}) ${from ? sql`and ${id} >= lowest_id(${from})` : sql``}
      ${tenantId ? sql`and e.tenant_id = ${tenantId}` : sql``}
      and not exists (
        select from deliveries d where d.event_id = ${id} and ${isOpen(sql)})
    order by ${id} limit ${limit}`;
  return rows.map((row) => row.id);
}

/** A redelivery locks its deliveries: one that begins meanwhile finds them gone, one that has begun keeps the event. */
export function removeClosed(sql: Sql, ids: string[], what: "events" | "payloads"): Promise<void> {
  return sql.begin(async (tx) => {
    await tx`select from deliveries where event_id = any (${ids}::uuid[]) for update`;
    const open = await tx<{ id: string }[]>`
      select d.event_id as id from deliveries d where d.event_id = any (${ids}::uuid[]) and ${isOpen(tx)}`;
    const kept = new Set(open.map(({ id }) => id));
    const gone = ids.filter((id) => !kept.has(id));
    const tables = what === "payloads" ? BODY_TABLES : [...BODY_TABLES, ...REST];
    for (const table of tables) await tx`delete from ${tx(table)} where event_id = any (${gone}::uuid[])`;
    if (what === "events") await tx`delete from events where id = any (${gone}::uuid[])`;
  }) as Promise<void>;
}

/** Records that the payloads of a kept partition were removed. */
export async function noteRemoval(sql: Queries, { parent, from }: Partition): Promise<void> {
  await sql`insert into removals (parent, starts_on) values (${parent}, ${from}) on conflict do nothing`;
}

const REST = ["attempts", "former_outcomes", "deliveries"];
