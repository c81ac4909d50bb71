import type { KeyedRequest } from "../../platform/db/keyed.store.ts";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

export const KEPT_HOURS = 24;

export interface StoredRequest {
  fingerprint: Buffer;
  isInProgress: boolean;
  isDone: boolean;
  recordIds: (string | number)[] | null;
  answer: Buffer | null;
}

const where = (sql: Sql, { tenantId, caller, digest }: KeyedRequest) =>
  sql`tenant_id = ${tenantId} and caller = ${caller} and digest = ${digest}`;

const whereOwn = (sql: Sql, request: KeyedRequest) =>
  sql`${where(sql, request)} and reservation = ${request.reservation}`;

/** @returns undefined: the request is new, or its process ended before its change, so it is to be carried out */
export async function reserve(
  sql: Sql,
  request: KeyedRequest,
  fingerprint: Buffer,
  leaseMs: number,
): Promise<StoredRequest | undefined> {
  const { tenantId, caller, digest, reservation } = request;
  const [own] = await sql<{ isOwn: true }[]>`
    insert into idempotency_keys as k (tenant_id, caller, digest, fingerprint, reservation, lease_until)
    values (${tenantId}, ${caller}, ${digest}, ${fingerprint}, ${reservation}, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (tenant_id, caller, digest) do update
      set fingerprint = excluded.fingerprint, reservation = excluded.reservation, lease_until = excluded.lease_until, started_on = now(), done_on = null,
        record_ids = null, answer = null
      where k.started_on < now() - make_interval(hours => ${KEPT_HOURS})
        or (k.done_on is null and k.lease_until < now() and k.fingerprint = excluded.fingerprint)
    returning true as "isOwn"`;
  if (own) return undefined;
  const [stored] = await sql<StoredRequest[]>`
    select fingerprint, lease_until > now() as "isInProgress", done_on is not null as "isDone",
      record_ids as "recordIds", answer
    from idempotency_keys where ${where(sql, request)}`;
  // Withdrawn meanwhile.
  return stored ?? reserve(sql, request, fingerprint, leaseMs);
}

export async function extendLease(sql: Sql, request: KeyedRequest, leaseMs: number): Promise<void> {
  await sql`
    update idempotency_keys set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where ${whereOwn(sql, request)} and lease_until > now()`;
}

export async function storeAnswer(sql: Sql, request: KeyedRequest, answer: Buffer | null): Promise<void> {
  await sql`
    update idempotency_keys set answer = ${answer}, done_on = coalesce(done_on, now()), lease_until = now()
    where ${whereOwn(sql, request)}`;
}

/** After an error: the key can be used again, unless something was changed. */
export async function withdraw(sql: Sql, request: KeyedRequest): Promise<void> {
  await sql`
    with gone as (delete from idempotency_keys where ${whereOwn(sql, request)} and done_on is null)
    update idempotency_keys set lease_until = now() where ${whereOwn(sql, request)} and done_on is not null`;
}

/** Of requests that have changed an erased User's record. Those in progress will store no answer. */
export async function forgetAnswers(tx: Transaction, tenantId: TenantId, id: number): Promise<void> {
  await tx`
    update idempotency_keys set answer = null, reservation = gen_random_uuid()
    where tenant_id = ${tenantId} and record_ids @> ${tx.json([id])}::jsonb`;
}

export async function removeOldKeys(sql: Sql): Promise<number> {
  const removed = await sql`
    delete from idempotency_keys where started_on < now() - make_interval(hours => ${KEPT_HOURS})`;
  return removed.count;
}
