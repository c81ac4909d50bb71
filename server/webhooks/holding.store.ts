// Held connections, which failures of the receiver have stopped, and their probes.

import type { Queries, Transaction } from "../platform/db/sql.ts";
import type { ConnectionId, TenantId } from "../platform/ids.ts";
import { connectionName } from "./connections.store.ts";

/** Ends the Held state and notifies a running probe. */
export async function endHold(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`
    update webhook_connections set held_on = null, held_reason = null, exhausted_run = 0, probes = 0,
      next_probe_on = null, probe_lease_until = '-infinity'
    where tenant_id = ${tenantId} and id = ${connectionId}`;
}

export async function setActive(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`
    update webhook_connections set state = 'Active', modified_on = now()
    where tenant_id = ${tenantId} and id = ${connectionId}`;
}

/** Probes a Held connection at once, because a change may have fixed it. */
export async function probeAtOnce(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`
    update webhook_connections set next_probe_on = now(), probe_lease_until = '-infinity'
    where tenant_id = ${tenantId} and id = ${connectionId} and state = 'Held'`;
}

export interface HeldConnection {
  reason: string;
  probes: number;
  /** Changes with every update of the connection. */
  version: string;
  /** Milliseconds until the next probe; 0 or less if it is due. */
  wait: number;
}

/** @returns undefined if it is not Held */
export async function findHeld(
  sql: Queries,
  tenantId: TenantId,
  id: ConnectionId,
): Promise<HeldConnection | undefined> {
  const [row] = await sql<HeldConnection[]>`
    select held_reason as reason, probes, modified_on::text as version, 
      1000 * extract(epoch from next_probe_on - now())::float8 as wait
    from webhook_connections
    where tenant_id = ${tenantId} and id = ${id} and state = 'Held' and deleted_on is null`;
  return row;
}

/** @returns its version, or undefined if it is no longer Held */
export async function lockHeld(tx: Transaction, tenantId: TenantId, id: ConnectionId): Promise<string | undefined> {
  const [row] = await tx<{ version: string }[]>`
    select modified_on::text as version from webhook_connections
    where tenant_id = ${tenantId} and id = ${id} and state = 'Held' and deleted_on is null for update`;
  return row?.version;
}

/** @param probes number of probes since it was Held */
export async function scheduleProbe(
  sql: Queries,
  tenantId: TenantId,
  id: ConnectionId,
  probes: number,
  inMs: number,
): Promise<void> {
  await sql`
    update webhook_connections set probes = ${probes}, next_probe_on = now() + ${inMs} * interval '1 millisecond'
    where tenant_id = ${tenantId} and id = ${id} and state = 'Held'`;
}

/** A connection with a probing workflow that must be started, or notified that probing has ended. */
export interface ProbedConnection {
  id: ConnectionId;
  tenantId: TenantId;
  /** Its name, or its id if it has no name. */
  to: string;
  /** False: it is no longer Held. */
  held: boolean;
  /** Its workflow has not been checked since the last change. */
  unchecked: boolean;
  /** The next probe is due, regardless of its workflow's timer. */
  due: boolean;
  reason: string | null;
}

/** Leases connections that were newly held or resumed, and those with a workflow not checked recently. */
export async function leaseProbes(sql: Queries, checkMs: number, limit: number): Promise<ProbedConnection[]> {
  return sql<ProbedConnection[]>`
    with due as (
      select id, probe_lease_until = '-infinity' as unchecked from webhook_connections
      where probe_lease_until < now() order by probe_lease_until limit ${limit} for update skip locked
    )
    update webhook_connections k set probe_lease_until =
      case when state = 'Held' and deleted_on is null then now() + ${checkMs} * interval '1 millisecond'
        else 'infinity' end
    from due where k.id = due.id
    returning k.id, k.tenant_id as "tenantId", ${connectionName(sql)} as to,
      k.state = 'Held' and k.deleted_on is null as held, due.unchecked, coalesce(k.next_probe_on <= now(), false) as due,
      k.held_reason as reason`;
}
