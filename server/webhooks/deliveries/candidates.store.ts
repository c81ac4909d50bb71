// What of a connection may be next: the oldest in its queue, and the oldest that a redelivery selects.

import type { PendingQuery, Row } from "postgres";
import type { Transaction } from "../../db/connection.ts";
import { matching, type Redelivery } from "../redelivery/store.ts";
import { isUnderWay } from "./opening.store.ts";
import { isWaiting } from "./queue.store.ts";

/** One that is in the queue, or that a redelivery selects. */
export interface Candidate {
  id: string;
  eventId: string;
  /** Its next attempt is a retry, and waits in its workflow. */
  isRetry: boolean;
  dueInMs: number;
  /** Each a kind and an id. */
  records: string[];
  /** Another delivery of one of its records is under way. */
  isBusy: boolean;
}

/** What is asked for of the candidates, the oldest first. */
interface Wish {
  /** Of the records that were seen before. */
  busy: string[];
  limit: number;
}

/** What is in the queue. @param inOrder leaves out what has to wait for another of its record */
export function listQueued(
  tx: Transaction,
  connectionId: string,
  inOrder: boolean,
  isHeldBack: boolean,
  wish: Wish,
): Promise<Candidate[]> {
  const where = tx`d.connection_id = ${connectionId} and ${isWaiting(tx)}
    and (not ${isHeldBack}::boolean or d.due_on > now() or e.event_type = 'Ping')`;
  return listCandidates(tx, connectionId, where, tx`d.position`, inOrder, !inOrder, wish);
}

/** What a redelivery has next; a Drain leaves out what has to wait for another of its record. */
export function listSelected(
  tx: Transaction,
  tenantId: string,
  redelivery: Redelivery,
  wish: Wish,
): Promise<Candidate[]> {
  const { kind, connectionId } = redelivery;
  if (kind === "Drain") {
    const where = tx`d.tenant_id = ${tenantId} and d.connection_id = ${connectionId} and d.state = 'Held'`;
    return listCandidates(tx, connectionId, where, tx`d.position`, true, false, wish);
  }
  const selected = tx`select d.id ${matching(tx, tenantId, redelivery)} order by d.event_id limit ${wish.limit}`;
  return listCandidates(tx, connectionId, tx`d.id = any (array(${selected}))`, tx`d.event_id`, true, true, wish);
}

/** Not paged: what has to wait is passed over here, however much that is. */
function listCandidates(
  tx: Transaction,
  connectionId: string,
  where: PendingQuery<Row[]>,
  order: PendingQuery<Row[]>,
  inOrder: boolean,
  withBusy: boolean,
  { busy, limit }: Wish,
): Promise<Candidate[]> {
  return tx<Candidate[]>`
    with busy as materialized (
      select e.event_record || ' ' || one as record
      from deliveries d join events e on e.id = d.event_id, unnest(string_to_array(e.record_id, ',')) as one
      where ${inOrder}::boolean and d.connection_id = ${connectionId} and ${isUnderWay(tx)}
      union
      select unnest(${busy}::text[])
    )
    select d.id, d.event_id as "eventId", d.state = 'Retrying' as "isRetry", r.records, r.busy as "isBusy",
      case when d.state in ('Pending', 'Retrying') then greatest(0, 1000 * extract(epoch from d.due_on - now())) else 0 end::float8 as "dueInMs"
    from deliveries d join events e on e.id = d.event_id, lateral (
      select array_agg(record) as records, bool_or(record in (select record from busy)) as busy
      from (select e.event_record || ' ' || one as record from unnest(string_to_array(e.record_id, ',')) as one) as each
    ) as r
    where ${where} and (${withBusy}::boolean or not r.busy)
    order by ${order} limit ${limit}`;
}
