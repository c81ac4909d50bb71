// Stored erasures, and the statements that execute them. Each statement may be repeated.

import type { Queries, Transaction } from "../../platform/db/sql.ts";
import type { LogRow } from "../../platform/http/fields.ts";
import { type ErasureId, type EventId, newId, type TenantId } from "../../platform/ids.ts";
import { logTable } from "../../records/index.ts";
import { isOpen } from "../../webhooks/index.ts";
import { ERASURE } from "./contract.ts";
import type { PersonalCounts } from "./store.ts";

export const ERASURE_CHANNEL = "gatehouse_erasure";

interface Found {
  isSearched: boolean;
  /** All transactions from before the erasure have ended, which may have written about the person. */
  isSettled: boolean;
  /** Open deliveries of the found events, and open logouts of the User; null during the search and after the end. */
  waiting: number | null;
  /** The number of Held deliveries among the open ones. */
  held: number | null;
  createdByType: "User" | "Application";
  createdById: number;
}

export const ERASURES = logTable<typeof ERASURE.field, object, Found>(ERASURE, {
  more: {
    isSearched: null,
    isSettled: (sql) => sql`written_by <= pg_snapshot_xmin(pg_current_snapshot())`,
    waiting: (sql) => sql`
      case when state = 'Running' and is_searched then (
        select count(*) from erasure_events f join deliveries d on d.event_id = f.event_id
        where f.erasure_id = erasures.id and ${isOpen(sql)}
      ) + (
        select count(*) from logouts l
        where l.tenant_id = erasures.tenant_id and l.user_id = erasures.user_id and l.state in ('Pending', 'Retrying')
      ) end`,
    held: (sql) => sql`
      case when state = 'Running' and is_searched then (
        select count(*) from erasure_events f join deliveries d on d.event_id = f.event_id
        where f.erasure_id = erasures.id and d.state = 'Held'
      ) end`,
    createdByType: null,
    createdById: null,
  },
});

export type Erasure = LogRow<typeof ERASURE.field> & Found;

/** Begins an erasure, or changes how a running one treats deliveries. Notifies the workers at commit. */
export async function saveErasure(
  tx: Transaction,
  tenantId: TenantId,
  {
    userId,
    deliveries,
    removed,
    createdByType,
    createdById,
    names,
  }: Pick<Erasure, "userId" | "deliveries" | "removed" | "createdByType" | "createdById"> & { names: string[] | null },
): Promise<Erasure> {
  const [row] = await tx<Erasure[]>`
    insert into erasures (id, tenant_id, user_id, deliveries, removed, created_by_type, created_by_id, names)
    values (${newId<ErasureId>()}, ${tenantId}, ${userId}, ${deliveries}, ${tx.json(removed)}, ${createdByType},
      ${createdById}, ${names})
    on conflict (tenant_id, user_id) where state = 'Running'
      do update set deliveries = excluded.deliveries, lease_until = '-infinity'
    returning ${ERASURES.columns(tx)}`;
  await tx`select pg_notify(${ERASURE_CHANNEL}, '')`;
  return row!;
}

/** Names of the User in sign-ins in progress: values of the record, and subjects at identity providers. */
export async function namesOf(
  tx: Transaction,
  tenantId: TenantId,
  userId: number,
  identifiers: string[],
): Promise<string[]> {
  const linked = await tx<{ subject: string }[]>`
    select subject from upstream_identities where tenant_id = ${tenantId} and user_id = ${userId}`;
  return [...identifiers, ...linked.map(({ subject }) => subject)];
}

/** The requests or sign-ins in progress that one statement reads. Each has up to 64 KiB. */
const CLEARED_AT_ONCE = 100;

/**
 * Clears the authorization requests and sign-ins in progress that name the User, or may do so in a token. A pushed
 * request counts as used, so its request object cannot be replayed. Then the erasure forgets the names.
 */
export async function clearUnfinished(sql: Queries, tenantId: TenantId, id: ErasureId): Promise<void> {
  const [row] = await sql<{ names: string[] | null }[]>`
    select names from erasures where tenant_id = ${tenantId} and id = ${id}`;
  if (!row?.names) return;
  const forms = row.names.flatMap(formsOf);
  // As a whole word, because a short name is a part of many other words. Only a text that has the form is tested so.
  const isNamed = sql`(text like '%id_token_hint=%' or exists (
    select from (select lower(text) as lowered offset 0) as l, unnest(${forms}::text[]) as known (form)
    where strpos(lowered, lower(form)) > 0
      and lowered ~ ('(^|[^[:alnum:]]|%[0-9a-f]{2}|\\\\[a-z])'
        || regexp_replace(lower(form), '([^[:alnum:]])', '\\\\\\1', 'g') || '($|[^[:alnum:]])')))`;
  const nextOf = (table: string, text: ReturnType<Queries>, after: Buffer | undefined) => sql`
    select digest, ${text} as text from ${sql(table)}
    where tenant_id = ${tenantId} ${after ? sql`and digest > ${after}` : sql``}
    order by digest limit ${CLEARED_AT_ONCE}`;
  // Once for each text: a join could test all texts of a batch for every row of the table.
  const named = sql`named as materialized (select digest from read where ${isNamed})`;
  await inBatches(
    (after) => sql<{ digest: Buffer }[]>`
      with read as (${nextOf("pushed_requests", sql`parameters`, after)}), ${named}, cleared as (
        update pushed_requests set parameters = '', used_on = coalesce(used_on, now())
        where tenant_id = ${tenantId} and digest in (select digest from named)
      )
      select digest from read order by digest desc limit 1`,
  );
  await inBatches(
    (after) => sql<{ digest: Buffer }[]>`
      with read as (${nextOf("upstream_attempts", sql`target || coalesce(identity::text, '')`, after)}), ${named},
      cleared as (
        delete from upstream_attempts where tenant_id = ${tenantId} and digest in (select digest from named)
      )
      select digest from read order by digest desc limit 1`,
  );
  // Such as invitations, which were sent before the person had a User.
  await sql`
    delete from mails where tenant_id = ${tenantId} and lower(recipient) = any (
      select lower(name) from unnest(${row.names}::text[]) as known (name))`;
  await sql`update erasures set names = null where tenant_id = ${tenantId} and id = ${id}`;
}

async function inBatches(clear: (after: Buffer | undefined) => PromiseLike<{ digest: Buffer }[]>): Promise<void> {
  let after: Buffer | undefined;
  do after = (await clear(after))[0]?.digest;
  while (after);
}

/** A value as itself, in a query, in a form, and in JSON. */
function formsOf(value: string): string[] {
  const form = new URLSearchParams([["", value]]).toString().slice(1);
  return [...new Set([value, encodeURIComponent(value), form, JSON.stringify(value).slice(1, -1)])];
}

/** Whether any data is kept about a User whose record was deleted, and the Running erasure of it. */
export async function findTraces(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
): Promise<{ areKept: boolean; runningId: ErasureId | null }> {
  const [row] = await sql<{ areKept: boolean; runningId: ErasureId | null }[]>`
    select exists (select from personal_keys where tenant_id = ${tenantId} and user_id = ${userId}) as "areKept",
      (select id from erasures where tenant_id = ${tenantId} and user_id = ${userId} and state = 'Running') as "runningId"`;
  return row!;
}

export interface DueErasure {
  id: ErasureId;
  tenantId: TenantId;
  userId: number;
}

/** Running erasures whose workflow must be checked. */
export async function leaseErasures(sql: Queries, checkMs: number, limit: number): Promise<DueErasure[]> {
  return sql<DueErasure[]>`
    update erasures set lease_until = now() + ${checkMs} * interval '1 millisecond'
    where id in (
      select id from erasures where state = 'Running' and lease_until < now()
      order by lease_until limit ${limit} for update skip locked
    )
    returning id, tenant_id as "tenantId", user_id as "userId"`;
}

/** The events that one statement of a search reads. */
const SEARCHED_AT_ONCE = 2_000;

/** Of the User, and of records that name it. @param after the last searched event @returns the last one now, if any */
export async function searchEvents(
  sql: Queries,
  tenantId: TenantId,
  { id, userId }: Erasure,
  after: EventId | undefined,
): Promise<EventId | undefined> {
  // A foreign key in a payload, as server/platform/db/migrations/001-schema.sql "actor_reference" writes it.
  const reference = `"Id":${userId},"ExternalId":"([^"\\\\]|\\\\.)*","Name":"([^"\\\\]|\\\\.)*","Type":"User"`;
  const [last] = await sql<{ id: EventId }[]>`
    with searched as (
      select id, event_record, record_id from events
      where tenant_id = ${tenantId} ${after ? sql`and id > ${after}` : sql``}
      order by id limit ${SEARCHED_AT_ONCE}
    ), found as (
      insert into erasure_events (erasure_id, event_id)
      select ${id}, s.id from searched s left join payloads p on p.event_id = s.id
      where (s.event_record = 'User' and string_to_array(s.record_id, ',') @> ${[String(userId)]}::text[])
        or (s.event_record = 'Invitation' and exists (
          select from invitations i where i.tenant_id = ${tenantId} and i.user_id = ${userId} and i.id::text = s.record_id))
        or (p.payload like ${`%"Id":${userId},%`} and p.payload ~ ${reference})
        or (p.previous like ${`%"Id":${userId},%`} and p.previous ~ ${reference})
      on conflict do nothing
    )
    select id from searched order by id desc limit 1`;
  return last?.id;
}

export async function markSearched(sql: Queries, tenantId: TenantId, id: ErasureId): Promise<void> {
  await sql`update erasures set is_searched = true where tenant_id = ${tenantId} and id = ${id}`;
}

/** Cancels deliveries of these events without an attempt in flight. The erasure's own events are always sent. */
export async function cancelErased(sql: Queries, tenantId: TenantId, id: ErasureId): Promise<void> {
  await sql`
    update deliveries d set state = 'Cancelled', changed_on = now()
    where d.tenant_id = ${tenantId} and ${isOpen(sql)} and d.attempt_started_on is null
      and d.event_id in (
        select f.event_id from erasure_events f join events e on e.id = f.event_id join erasures r on r.id = f.erasure_id
        where f.erasure_id = ${id} and e.written_by <> r.written_by)`;
}

/** Removes the remaining data, and ends the erasure. @returns undefined if it waits again, or had ended */
export async function completeErasure(
  tx: Transaction,
  tenantId: TenantId,
  { id, userId, removed }: Erasure,
): Promise<Erasure | undefined> {
  const events = tx`select event_id from erasure_events where erasure_id = ${id}`;
  // A redelivery locks them, too: it has made one open again, or it will find no payload.
  await tx`select from deliveries where event_id in (${events}) order by event_id, id for update`;
  await tx`select from logouts where tenant_id = ${tenantId} and user_id = ${userId} order by id for update`;
  if ((await ERASURES.find(tx, tenantId, id))?.waiting !== 0) return undefined;
  const responses = await tx`delete from responses where event_id in (${events})`;
  const payloads = await tx`delete from payloads where event_id in (${events})`;
  await tx`update events set payload_erased_on = now() where id in (${events}) and payload_erased_on is null`;
  const logouts = await tx`delete from logouts where tenant_id = ${tenantId} and user_id = ${userId}`;
  await tx`delete from invitations where tenant_id = ${tenantId} and user_id = ${userId}`;
  const mails = await tx`delete from mails where tenant_id = ${tenantId} and user_id = ${userId}`;
  const [sealed] = await tx<{ count: number }[]>`
    select count(*) as count from audit_log
    where tenant_id = ${tenantId} and sealed is not null
      -- For the indexes.
      and ((actor_type = 'User' and actor_id = ${userId}) or (subject_type = 'User' and subject_id = ${String(userId)}))
      and person_of(actor_type, actor_id, subject_type, subject_id) = ${userId}`;
  await tx`delete from personal_keys where tenant_id = ${tenantId} and user_id = ${userId}`;
  await tx`delete from erasure_events where erasure_id = ${id}`;
  const counts: PersonalCounts = {
    ...removed,
    Payloads: payloads.count,
    Responses: responses.count,
    Logouts: logouts.count,
    Mails: mails.count,
    AuditEvents: sealed!.count,
  };
  const [ended] = await tx<Erasure[]>`
    update erasures set state = 'Completed', ended_on = now(), removed = ${tx.json(counts)}, lease_until = 'infinity'
    where tenant_id = ${tenantId} and id = ${id} and state = 'Running' returning ${ERASURES.columns(tx)}`;
  return ended;
}
