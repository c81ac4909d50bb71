// The chain of hashes over the entries of all tenants (docs/audit.md "The chain").

import type { Fragment } from "postgres";
import { namedPartitions } from "../../platform/db/partitions.ts";
import type { Queries, Transaction } from "../../platform/db/sql.ts";

/** The columns of an entry as text, in the order in which they are hashed. */
const VALUES = (sql: Queries) => sql`json_build_array(
  l.tenant_id::text, l.id::text, (extract(epoch from l.occurred_on) * 1000000)::bigint::text, l.kind, l.outcome,
  l.actor_type, l.actor_id::text, l.client_id::text, l.address, l.user_agent, encode(l.sealed, 'hex'), l.subject_type,
  l.subject_id, l.details::text, l.request_key)`;

export type EntryValues = (string | null)[];

export interface EntryId {
  tenantId: string;
  id: string;
}

export interface Link extends EntryId {
  position: number;
  hash: Uint8Array;
}

/** An arbitrary constant, unique among our advisory locks: one worker writes the chain. */
const CHAIN_LOCK = 7_203_441;
const LOWEST = "00000000-0000-0000-0000-000000000000";

/** Locks the chain until the end of the transaction. @returns false if another worker has locked it */
export async function lockChain(tx: Transaction): Promise<boolean> {
  const [turn] = await tx<{ isMine: boolean }[]>`select pg_try_advisory_xact_lock(${CHAIN_LOCK}) as "isMine"`;
  return turn!.isMine;
}

const columns = (sql: Queries) => sql`c.tenant_id as "tenantId", c.entry_id as id, c.position, c.hash`;

/** The last link; undefined: no entry is chained. */
export async function readHead(sql: Queries): Promise<Link | undefined> {
  const [head] = await sql<Link[]>`select ${columns(sql)} from audit_chain c order by entry_id desc limit 1`;
  return head;
}

/** A moment of PostgreSQL's clock, and the transactions that had written entries and not ended then. */
export interface Horizon {
  at: Date;
  writers: string[];
}

/** The lock of INSERT is taken before the entry gets its id, and released after the entry is visible. */
const writers = (sql: Queries) => sql`
  select virtualtransaction from pg_locks
  where locktype = 'relation' and relation = 'audit_log'::regclass and mode = 'RowExclusiveLock' and granted
    and database = (select oid from pg_database where datname = current_database())`;

export async function readHorizon(sql: Queries): Promise<Horizon> {
  // Two statements: the time is before the transactions are read.
  const [time] = await sql<{ at: Date }[]>`select clock_timestamp() as at`;
  const [row] = await sql<{ writers: string[] }[]>`select array(${writers(sql)}) as writers`;
  return { ...time!, ...row! };
}

/** Whether all of them have ended, so no further entry of that time can appear. */
export async function isSettled(sql: Queries, horizon: Horizon): Promise<boolean> {
  const [row] = await sql<{ settled: boolean }[]>`
    select not exists (
      select from (${writers(sql)}) w where w.virtualtransaction = any (${horizon.writers}::text[])
    ) as settled`;
  return row!.settled;
}

/** For a statement: the first entries of each tenant under a condition on `l`. The index begins with the tenant. */
const ofEachTenant = (sql: Queries, columns: Fragment, condition: Fragment, limit: number) => sql`
  select l.* from tenants t cross join lateral (
    select ${columns} from audit_log l where l.tenant_id = t.id and ${condition} order by l.id limit ${limit}
  ) l`;

const idOfEntry = (sql: Queries) => sql`l.tenant_id as "tenantId", l.id`;

/** Entries after an id and before a time, in the order of the chain. */
export function listUnchained(
  sql: Queries,
  after: string = LOWEST,
  before: Date,
  limit: number,
): Promise<(EntryId & { fields: EntryValues })[]> {
  const columns = sql`${idOfEntry(sql)}, ${VALUES(sql)} as fields`;
  const between = sql`l.id > ${after} and l.id < lowest_id(${before})`;
  return sql<(EntryId & { fields: EntryValues })[]>`
    ${ofEachTenant(sql, columns, between, limit)} order by l.id, l."tenantId" limit ${limit}`;
}

export async function insertLinks(tx: Transaction, links: readonly Link[]): Promise<void> {
  const hashes = links.map(({ hash }) => Buffer.from(hash).toString("hex"));
  await tx`
    insert into audit_chain (entry_id, tenant_id, position, hash)
    select entry_id, tenant_id, position, decode(hash, 'hex')
    from unnest(${links.map(({ id }) => id)}::uuid[], ${links.map(({ tenantId }) => tenantId)}::uuid[],
      ${links.map(({ position }) => position)}::bigint[], ${hashes}::text[]) as link (entry_id, tenant_id, position, hash)`;
}

export interface CheckedLink extends Link {
  /** Null: there is no such entry. */
  fields: EntryValues | null;
  /** Retention has dropped the entry's partition. */
  isExpired: boolean;
}

/** Links with their entries. @param until the position of the last one */
export function listLinks(sql: Queries, after: string = LOWEST, until: number, limit: number): Promise<CheckedLink[]> {
  return sql<CheckedLink[]>`
    select ${columns(sql)}, case when l.id is not null then ${VALUES(sql)} end as fields,
      l.id is null and coalesce((
        select to_regclass('audit_log' || to_char(r.starts_on at time zone 'UTC', '_YYYYMMDD')) is null from removals r
        where r.parent = 'audit_log' and r.starts_on = partition_start('audit_log', uuid_extract_timestamp(c.entry_id))
      ), false) as "isExpired"
    from (
      select * from audit_chain c where entry_id > ${after} and position <= ${until} order by entry_id limit ${limit}
    ) c left join audit_log l on l.tenant_id = c.tenant_id and l.id = c.entry_id
    order by c.entry_id`;
}

const isUnchained = (sql: Queries) => sql`not exists (
  select from audit_chain c where c.entry_id = l.id and c.tenant_id = l.tenant_id)`;

/** Entries that are missing in the chain, although it has reached the id `until`. */
export function listAdded(sql: Queries, after: string = LOWEST, until: string, limit: number): Promise<EntryId[]> {
  const added = sql`l.id > ${after} and l.id <= ${until} and ${isUnchained(sql)}`;
  return sql<EntryId[]>`${ofEachTenant(sql, idOfEntry(sql), added, limit)} order by l.id limit ${limit}`;
}

/** The entries of tenants that do not exist any more. Reads the whole log. */
export function listAddedToNoTenant(sql: Queries, limit: number): Promise<EntryId[]> {
  return sql<EntryId[]>`
    select ${idOfEntry(sql)} from audit_log l
    where not exists (select from tenants t where t.id = l.tenant_id) and ${isUnchained(sql)}
    order by l.id limit ${limit}`;
}

const lastId = (sql: Queries) => sql`select entry_id from audit_chain order by entry_id desc limit 1`;

/** For a statement: entries that are not chained yet. */
const waiting = (sql: Queries, limit: number) => sql`
  ${ofEachTenant(sql, sql`l.id`, sql`l.id > coalesce((${lastId(sql)}), ${LOWEST}::uuid)`, limit)} limit ${limit}`;

export interface Unchained {
  /** Up to the limit. */
  count: number;
  /** Seconds since the oldest was written; null: there is none. */
  oldestSeconds: number | null;
}

export async function countUnchained(sql: Queries, limit: number): Promise<Unchained> {
  const [row] = await sql<Unchained[]>`
    select count(*) as count, extract(epoch from now() - min(uuid_extract_timestamp(id)))::float8 as "oldestSeconds"
    from (${waiting(sql, limit)}) waiting`;
  return row!;
}

const REMOVED_AT_ONCE = 10_000;

/** Removes links of dropped partitions. The last one stays: the chain continues from its hash. */
export async function removeOldLinks(sql: Queries): Promise<number> {
  for (let removed = 0; ; ) {
    const { count } = await sql`
      with kept as (
        select entry_id as id from audit_chain where entry_id < (
          select lowest_id(min(starts_on)) from (${namedPartitions(sql, sql`'audit_log'::text`)}) p)
        order by entry_id desc limit 1
      )
      delete from audit_chain where entry_id in (
        select c.entry_id from kept, audit_chain c where c.entry_id < kept.id order by c.entry_id limit ${REMOVED_AT_ONCE})`;
    removed += count;
    if (count < REMOVED_AT_ONCE) return removed;
  }
}
