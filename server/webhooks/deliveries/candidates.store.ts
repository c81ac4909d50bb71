// Candidates to send next, from a connection's queue or a redelivery. At most one page is read, however many wait.

import type { PendingQuery, Row } from "postgres";
import { type Transaction, uuids } from "../../platform/db/sql.ts";
import type { ConnectionId, DeliveryId, EventId, TenantId } from "../../platform/ids.ts";
import { outbox } from "../../records/index.ts";
import { matching, type Redelivery } from "../redelivery/store.ts";
import { isOpen } from "../states.store.ts";
import { isQueued, isUnderWay } from "./start-attempt.store.ts";

/** The maximum number of rows read or held at a time. */
export const PAGE = 100;

export interface Candidate {
  id: DeliveryId;
  eventId: EventId;
  position: number;
  /** The next attempt is a retry, which waits in its workflow. */
  isRetry: boolean;
  dueInMs: number;
  /** Keys of the records, as in the column deliveries.record. */
  records: string[];
  /** Another delivery of one of its records is in progress, or queued while a Drain has priority. */
  isBusy: boolean;
}

export type CandidateSource = "queue" | "Drain";

type Condition = PendingQuery<Row[]>;

/** The oldest in the queue, including those that wait for another delivery of their record. */
export async function listQueued(
  tx: Transaction,
  connectionId: ConnectionId,
  inOrder: boolean,
  holdsQueue: boolean,
): Promise<Candidate[]> {
  const where = tx`d.connection_id = ${connectionId} and ${isQueued(tx)}
    and (not ${holdsQueue}::boolean or d.due_on > now() or d.is_ping)`;
  return listOldest(tx, where, inOrder ? await busyFor(tx, connectionId, "queue") : undefined);
}

/** The next deliveries of a redelivery, including those that wait for another delivery of their record. */
export async function listSelected(tx: Transaction, tenantId: TenantId, redelivery: Redelivery): Promise<Candidate[]> {
  const { kind, connectionId } = redelivery;
  if (kind === "Drain") return listHeld(tx, tenantId, connectionId);
  const oldest = await tx<Oldest[]>`
    select ${columns(tx)}, d.record ${matching(tx, tenantId, redelivery)} order by d.position limit ${PAGE}`;
  return withBusy(tx, oldest, await busyFor(tx, connectionId, "queue"));
}

/** The oldest Held ones, including those that wait for another delivery of their record. */
export async function listHeld(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<Candidate[]> {
  const where = tx`d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Held'`;
  return listOldest(tx, where, await busyFor(tx, connectionId, "Drain"));
}

/** Without the records of events with several. */
type Oldest = Omit<Candidate, "records" | "isBusy"> & { record: string | null };

async function listOldest(tx: Transaction, where: Condition, busy?: Busy): Promise<Candidate[]> {
  const oldest = await tx<Oldest[]>`
    select ${columns(tx)}, d.record from deliveries d where ${where} order by d.position limit ${PAGE}`;
  return withBusy(tx, oldest, busy);
}

async function withBusy(tx: Transaction, oldest: Oldest[], busy: Busy | undefined): Promise<Candidate[]> {
  const several = oldest.filter(({ record }) => record === null).map(({ eventId }) => eventId);
  const keys = await outbox.listRecordKeys(tx, several);
  const candidates = oldest.map(({ record, ...one }) => ({
    ...one,
    records: record === null ? (keys.get(one.eventId) ?? []) : [record],
    isBusy: false,
  }));
  if (!busy || candidates.length === 0) return candidates;
  const records = [...new Set(candidates.flatMap((one) => one.records))];
  const found = await tx<{ record: string }[]>`
    select asked.key as record from unnest(${uuids(tx, records)}) as asked (key)
    where (select ${busy.isBusy(tx`asked.key`)})`;
  const taken = new Set(found.map(({ record }) => record));
  return candidates.map((one) => ({ ...one, isBusy: one.records.some((record) => taken.has(record)) }));
}

const FIRST = "00000000-0000-0000-0000-000000000000";
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Beyond the first page: the oldest of each record that is not busy, so a long queue of one record blocks no others.
 * Deliveries behind an event of several records wait for it.
 * @param seen the page's last position, and the records that must wait for it
 */
export async function listBeyond(
  tx: Transaction,
  connectionId: ConnectionId,
  source: CandidateSource,
  seen: { position: number; records: string[] },
): Promise<Candidate[]> {
  const middle = crypto.randomUUID();
  const found = await listHeads(tx, connectionId, source, seen, middle, LAST);
  return found.length === PAGE
    ? found
    : [...found, ...(await listHeads(tx, connectionId, source, seen, FIRST, middle))];
}

async function listHeads(
  tx: Transaction,
  connectionId: ConnectionId,
  source: CandidateSource,
  { position, records }: { position: number; records: string[] },
  from: string,
  to: string,
): Promise<Candidate[]> {
  const { isBusy } = await busyFor(tx, connectionId, source);
  const where = tx`d.connection_id = ${connectionId} and ${source === "queue" ? isQueued(tx) : tx`d.state = 'Held'`}`;
  const firstAfter = (record: Condition) => tx`
    select d.id, d.record, d.position from deliveries d
    where ${where} and d.record > ${record} and d.record <= ${to} order by d.record, d.position limit 1`;
  return tx<Candidate[]>`
    with recursive heads (id, record, position) as (
      (${firstAfter(tx`${from}::uuid`)})
      union all
      select next.* from heads, lateral (${firstAfter(tx`heads.record`)}) as next
    ), free as (
      select id, record from (select * from heads where record <> all (${records}::uuid[]) limit ${PAGE}) as heads
      where (select not (${isBusy(tx`heads.record`)})) and position < coalesce((
        select d.position from deliveries d where ${where} and d.record is null and d.position > ${position}
        order by d.record, d.position limit 1
      ), ${Number.MAX_SAFE_INTEGER})
    )
    select ${columns(tx)}, array[d.record] as records, false as "isBusy"
    from free join deliveries d on d.id = free.id and ${isOpen(tx)} order by d.position`;
}

const columns = (tx: Transaction) => tx`
  d.id, d.event_id as "eventId", d.position, d.state = 'Retrying' as "isRetry",
  case when d.state in ('Pending', 'Retrying') then greatest(0, 1000 * extract(epoch from d.due_on - now())) else 0 end::float8 as "dueInMs"`;

interface Busy {
  isBusy: (record: Condition) => Condition;
}

/** Queued precede Held ones. With more than a page of events of several records, all records count as busy. */
async function busyFor(tx: Transaction, connectionId: ConnectionId, source: CandidateSource): Promise<Busy> {
  const before = source === "queue" ? [isUnderWay(tx)] : [isUnderWay(tx), isQueued(tx)];
  const oldest = (condition: Condition) => tx`(
    select d.event_id as id from deliveries d where d.connection_id = ${connectionId} and d.record is null and ${condition}
    order by d.record limit ${PAGE})`;
  const several = await tx<
    { id: EventId }[]
  >`${before.map(oldest).reduce((all, each) => tx`${all} union all ${each}`)}`;
  const keys = await outbox.listRecordKeys(
    tx,
    several.map(({ id }) => id),
  );
  const records = [...keys.values()].flat();
  return {
    isBusy: (record) =>
      before.reduce(
        (all, condition) => tx`${all} or exists (
          select from deliveries d where d.connection_id = ${connectionId} and d.record = ${record} and ${condition})`,
        tx`${several.length >= PAGE}::boolean or ${record} = any (${records}::uuid[])`,
      ),
  };
}
