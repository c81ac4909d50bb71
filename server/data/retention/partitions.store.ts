import { BODY_TABLES, namedPartitions } from "../../platform/db/partitions.ts";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { isOpen } from "../../webhooks/index.ts";

export interface Partition {
  parent: string;
  from: Date;
  to: Date;
}

/** Partitions that ended before an age, the oldest first. */
export function listEnded(sql: Queries, parent: string, ageMs: number): Promise<Partition[]> {
  return sql<Partition[]>`
    select parent, starts_on as "from", partition_end(parent, starts_on) as "to"
    from (${namedPartitions(sql, sql`${parent}::text`)}) p
    where partition_end(parent, starts_on) <= now() - ${ageMs} * interval '1 millisecond'
    order by starts_on`;
}

/** Whether it had open deliveries and was kept. @throws lock_not_available */
export async function dropPartition(sql: Queries, { parent, from }: Partition): Promise<boolean> {
  const [row] = await sql<{ kept: boolean }[]>`select drop_partition(${parent}, ${from}) as kept`;
  return row!.kept;
}

/** PostgreSQL's clock, because a worker's may differ. */
export async function readNow(sql: Queries): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select now()`;
  return row!.now;
}

/** Events before a time. */
export interface Old {
  to: Date;
  from?: Date;
  tenantId?: TenantId;
}

/** Closed events of a time: none of their deliveries is open. Oldest first. @param after the last id of those before */
export async function listClosed(
  sql: Queries,
  table: "events" | "payloads",
  { from, to, tenantId }: Old,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const id = table === "events" ? sql`e.id` : sql`e.event_id`;
  const rows = await sql<{ id: string }[]>`
    select ${id} as id from ${sql(table)} e
    where ${id} < lowest_id(${to}) ${from ? sql`and ${id} >= lowest_id(${from})` : sql``}
      ${after ? sql`and ${id} > ${after}` : sql``}
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

/** Records that payloads of a kept partition are removed one by one. */
export async function noteRemoval(sql: Queries, { parent, from }: Partition): Promise<void> {
  await sql`insert into removals (parent, starts_on) values (${parent}, ${from}) on conflict do nothing`;
}

const REST = ["attempts", "former_outcomes", "deliveries"];
