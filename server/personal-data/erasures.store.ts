// Stored erasures, and the statements that execute them. Each statement may be repeated.

import type { ErasureState } from "../../workflows/contract.ts";
import type { Queries, Transaction } from "../db/sql.ts";
import { type ErasureId, newId, type TenantId } from "../ids.ts";
import { isOpen } from "../webhooks/index.ts";
import type { PersonalCounts } from "./store.ts";

export const DELIVERIES = ["Send", "Cancel"] as const;

export interface Erasure {
  id: ErasureId;
  userId: number;
  deliveries: (typeof DELIVERIES)[number];
  state: ErasureState;
  removed: PersonalCounts;
  createdOn: Date;
  createdByType: "User" | "Application";
  createdById: number;
  endedOn: Date | null;
}

export const ERASURE_CHANNEL = "gatehouse_erasure";

const columns = (sql: Queries) => sql`
  id, user_id as "userId", deliveries, state, removed, created_on as "createdOn", created_by_type as "createdByType",
  created_by_id as "createdById", ended_on as "endedOn"`;

export async function findErasure(sql: Queries, tenantId: TenantId, id: string): Promise<Erasure | undefined> {
  const [row] = await sql<Erasure[]>`select ${columns(sql)} from erasures where tenant_id = ${tenantId} and id = ${id}`;
  return row;
}

/** Newest first; one more than the limit if there are more. */
export async function listErasures(
  sql: Queries,
  tenantId: TenantId,
  limit: number,
  after: string | undefined,
): Promise<Erasure[]> {
  return sql<Erasure[]>`
    select ${columns(sql)} from erasures
    where tenant_id = ${tenantId} ${after ? sql`and id < ${after}` : sql``}
    order by id desc limit ${limit + 1}`;
}

/** Begins an erasure, or changes how a running one treats deliveries. Notifies the workers at commit. */
export async function saveErasure(
  tx: Transaction,
  tenantId: TenantId,
  { userId, deliveries, removed, createdByType, createdById }: Omit<Erasure, "id" | "state" | "createdOn" | "endedOn">,
): Promise<Erasure> {
  const [row] = await tx<Erasure[]>`
    insert into erasures (id, tenant_id, user_id, deliveries, removed, created_by_type, created_by_id)
    values (${newId<ErasureId>()}, ${tenantId}, ${userId}, ${deliveries}, ${tx.json(removed)}, ${createdByType},
      ${createdById})
    on conflict (tenant_id, user_id) where state = 'Running'
      do update set deliveries = excluded.deliveries, lease_until = '-infinity'
    returning ${columns(tx)}`;
  await tx`select pg_notify(${ERASURE_CHANNEL}, '')`;
  return row!;
}

/** Whether any data is kept about a User whose record was deleted. */
export async function hasTraces(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`
    select exists (select from personal_keys where tenant_id = ${tenantId} and user_id = ${userId}) as has`;
  return row!.has;
}

export interface DueErasure {
  id: ErasureId;
  tenantId: TenantId;
  userId: number;
}

/** Running erasures whose workflow must be checked. */
export async function claimErasures(sql: Queries, checkMs: number, limit: number): Promise<DueErasure[]> {
  return sql<DueErasure[]>`
    update erasures set lease_until = now() + ${checkMs} * interval '1 millisecond'
    where id in (
      select id from erasures where state = 'Running' and lease_until < now()
      order by lease_until limit ${limit} for update skip locked
    )
    returning id, tenant_id as "tenantId", user_id as "userId"`;
}

export async function unclaimErasure(sql: Queries, tenantId: TenantId, id: ErasureId): Promise<void> {
  await sql`
    update erasures set lease_until = now() + interval '1 second'
    where tenant_id = ${tenantId} and id = ${id} and lease_until > now()`;
}

/**
 * Finds the events with data about the person: of the User, and of records that name the User.
 * @returns false while a transaction from before the erasure may still write one
 */
export async function searchEvents(sql: Queries, tenantId: TenantId, { id, userId }: Erasure): Promise<boolean> {
  const [row] = await sql<{ isSearched: boolean; isSettled: boolean }[]>`
    select is_searched as "isSearched", written_by < pg_snapshot_xmin(pg_current_snapshot()) as "isSettled"
    from erasures where tenant_id = ${tenantId} and id = ${id}`;
  if (row!.isSearched) return true;
  if (!row!.isSettled) return false;
  // A foreign key in a payload, as server/db/migrations/001-schema.sql "actor_reference" writes it.
  const reference = `"Id":${userId},"ExternalId":"([^"\\\\]|\\\\.)*","Name":"([^"\\\\]|\\\\.)*","Type":"User"`;
  await sql`
    insert into erasure_events (erasure_id, event_id)
    select ${id}, e.id from events e left join payloads p on p.event_id = e.id
    where e.tenant_id = ${tenantId} and (
      (e.event_record = 'User' and string_to_array(e.record_id, ',') @> ${[String(userId)]}::text[])
      or (p.payload like ${`%"Id":${userId},%`} and p.payload ~ ${reference})
    )
    on conflict do nothing`;
  await sql`update erasures set is_searched = true where tenant_id = ${tenantId} and id = ${id}`;
  return true;
}

/** Cancels deliveries of these events without an attempt in flight. The erasure's own events are sent, unless Held. */
export async function cancelErased(sql: Queries, tenantId: TenantId, id: ErasureId): Promise<void> {
  await sql`
    update deliveries d set state = 'Cancelled', changed_on = now()
    where d.tenant_id = ${tenantId} and ${isOpen(sql)} and d.attempt_started_on is null
      and d.event_id in (
        select f.event_id from erasure_events f join events e on e.id = f.event_id join erasures r on r.id = f.erasure_id
        where f.erasure_id = ${id} and (e.written_by <> r.written_by or d.state = 'Held'))`;
}

/** Open deliveries of these events, and open logouts of the User. */
export async function countOpen(sql: Queries, tenantId: TenantId, { id, userId }: Erasure): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (
      select count(*) from deliveries d
      where d.tenant_id = ${tenantId} and ${isOpen(sql)}
        and d.event_id in (select event_id from erasure_events where erasure_id = ${id})
    ) + (
      select count(*) from logouts
      where tenant_id = ${tenantId} and user_id = ${userId} and state in ('Pending', 'Retrying')
    ) as count`;
  return row!.count;
}

/** Removes the remaining data, and ends the erasure. @returns undefined if it had ended */
export async function completeErasure(
  tx: Transaction,
  tenantId: TenantId,
  { id, userId, removed }: Erasure,
): Promise<Erasure | undefined> {
  const events = tx`select event_id from erasure_events where erasure_id = ${id}`;
  const responses = await tx`delete from responses where event_id in (${events})`;
  const payloads = await tx`delete from payloads where event_id in (${events})`;
  const logouts = await tx`delete from logouts where tenant_id = ${tenantId} and user_id = ${userId}`;
  const [sealed] = await tx<{ count: number }[]>`
    select count(*) as count from audit_log
    where tenant_id = ${tenantId} and sealed is not null
      and ((actor_type = 'User' and actor_id = ${userId})
        or (actor_type is null and subject_type = 'User' and subject_id = ${String(userId)}))`;
  await tx`delete from personal_keys where tenant_id = ${tenantId} and user_id = ${userId}`;
  await tx`delete from erasure_events where erasure_id = ${id}`;
  const counts: PersonalCounts = {
    ...removed,
    Payloads: payloads.count,
    Responses: responses.count,
    Logouts: logouts.count,
    AuditEvents: sealed!.count,
  };
  const [ended] = await tx<Erasure[]>`
    update erasures set state = 'Completed', ended_on = now(), removed = ${tx.json(counts)}, lease_until = 'infinity'
    where tenant_id = ${tenantId} and id = ${id} and state = 'Running' returning ${columns(tx)}`;
  return ended;
}
