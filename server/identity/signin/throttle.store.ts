import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

/** Hours until a failure is forgotten. */
const FAILURE_HOURS = 24;
/** Seconds to wait after the first failure that is not free. */
const FIRST_WAIT = 10;

/** After `free` failures each further one doubles the wait, from FIRST_WAIT up to `max` seconds. */
export interface FailureRule {
  free: number;
  max: number;
}

/** Counts an attempt as failed. @returns false, and counts nothing, if `key` or one of `others` is blocked */
export async function takeAttempt(
  sql: Queries,
  tenantId: TenantId,
  key: string,
  rule: FailureRule,
  others: string[],
): Promise<boolean> {
  const taken = await sql`
    insert into signin_failures as f (tenant_id, key, failures, last_on, blocked_until)
    select ${tenantId}, ${key}, 1, now(), '-infinity'
    where not exists (
      select from signin_failures where tenant_id = ${tenantId} and key = any(${others}::text[]) and blocked_until > now())
    on conflict (tenant_id, key) do update set ${oneMore(sql, rule)} where f.blocked_until <= now()
    returning f.key`;
  return taken.length > 0;
}

export async function addFailure(sql: Queries, tenantId: TenantId, key: string, rule: FailureRule): Promise<void> {
  await sql`
    insert into signin_failures as f (tenant_id, key, failures, last_on, blocked_until)
    values (${tenantId}, ${key}, 1, now(), '-infinity')
    on conflict (tenant_id, key) do update set ${oneMore(sql, rule)}`;
}

function oneMore(sql: Queries, { free, max }: FailureRule) {
  const failures = sql`case when f.last_on < now() - make_interval(hours => ${FAILURE_HOURS}) then 1 else f.failures + 1 end`;
  // The exponent is capped, because a power of a large count would overflow.
  const wait = sql`least(${FIRST_WAIT} * power(2, least(${failures} - ${free} - 1, 20)), ${max})`;
  // '-infinity' and not now(), which is in the future for a transaction that began a moment earlier.
  const until = sql`case when ${failures} > ${free} then now() + make_interval(secs => ${wait}) else '-infinity' end`;
  return sql`failures = ${failures}, last_on = now(), blocked_until = ${until}`;
}

export async function secondsBlocked(sql: Queries, tenantId: TenantId, keys: string[]): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(ceil(extract(epoch from max(blocked_until) - now())), 0)::int as seconds
    from signin_failures where tenant_id = ${tenantId} and key = any(${keys}::text[]) and blocked_until > now()`;
  return row!.seconds;
}

/** @param keys locked in this order, as in all other code @returns false if all of them were already marked */
export async function markBlocked(sql: Queries, tenantId: TenantId, keys: string[]): Promise<boolean> {
  const marked = await sql`
    with blocked as (
      select key from signin_failures
      where tenant_id = ${tenantId} and key = any(${keys}::text[]) and blocked_until > now()
        and audited_until is distinct from blocked_until
      order by array_position(${keys}::text[], key) for update
    )
    update signin_failures f set audited_until = blocked_until from blocked
    where f.tenant_id = ${tenantId} and f.key = blocked.key returning f.key`;
  return marked.length > 0;
}

/** Takes back an attempt that takeAttempt counted. A block caused by earlier failures stays. */
export async function forgiveAttempt(
  sql: Queries,
  tenantId: TenantId,
  key: string,
  { free }: FailureRule,
): Promise<void> {
  await sql`
    update signin_failures set failures = greatest(failures - 1, 0),
      blocked_until = case when failures - 1 <= ${free} then '-infinity' else blocked_until end
    where tenant_id = ${tenantId} and key = ${key}`;
}

export async function forgetFailures(sql: Queries, tenantId: TenantId, key: string): Promise<void> {
  await sql`delete from signin_failures where tenant_id = ${tenantId} and key = ${key}`;
}

export async function removeOldFailures(sql: Sql): Promise<number> {
  return (await sql`delete from signin_failures where last_on < now() - make_interval(hours => ${FAILURE_HOURS})`)
    .count;
}
