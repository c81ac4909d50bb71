// Rotation of a connection's secret: staged, verified by a ping, active, with an overlap for the former secret.

import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { ConnectionId, DeliveryId, EventId, TenantId } from "../../platform/ids.ts";

export interface SecretRotation {
  signed: boolean;
  /** When the secret was staged; null: none is. */
  stagedOn: Date | null;
  overlapSeconds: number | null;
  /** The ping that verifies the staged secret; null if none was sent. */
  proof: { eventId: EventId; state: DeliveryState; word: string | null } | null;
  /** When the former secret stops signing; null: it has already, or there is none. */
  formerUntil: Date | null;
}

export async function findRotation(
  sql: Queries,
  tenantId: TenantId,
  id: ConnectionId,
): Promise<SecretRotation | undefined> {
  const [row] = await sql<(Omit<SecretRotation, "proof"> & ProofRow)[]>`
    select c.secret is not null as signed, c.staged_on as "stagedOn", c.staged_overlap_seconds as "overlapSeconds",
      case when c.former_until > now() then c.former_until end as "formerUntil",
      d.event_id as "eventId", d.state, coalesce(a.failure, a.status_code::text) as word
    from webhook_connections c
    left join deliveries d on d.event_id = c.staged_event_id and d.connection_id = c.id
    left join lateral (select * from attempts where event_id = d.event_id and delivery_id = d.id order by number desc limit 1) a on true
    where c.tenant_id = ${tenantId} and c.id = ${id} and c.deleted_on is null`;
  if (!row) return undefined;
  const { eventId, state, word, ...rotation } = row;
  return { ...rotation, proof: eventId === null ? null : { eventId, state, word } };
}

type ProofRow = { eventId: EventId | null; state: DeliveryState; word: string | null };

/** Replaces a secret that was staged before. */
export async function stageSecret(
  sql: Queries,
  tenantId: TenantId,
  id: ConnectionId,
  secret: Uint8Array,
  overlapSeconds: number,
): Promise<void> {
  await sql`
    update webhook_connections set staged_secret = ${secret as Buffer}, staged_on = now(),
      staged_overlap_seconds = ${overlapSeconds}, staged_event_id = null
    where tenant_id = ${tenantId} and id = ${id}`;
}

/** @returns whether there is a staged secret to verify */
export async function beginProof(
  sql: Queries,
  tenantId: TenantId,
  id: ConnectionId,
  eventId: EventId,
): Promise<boolean> {
  const { count } = await sql`
    update webhook_connections set staged_event_id = ${eventId}
    where tenant_id = ${tenantId} and id = ${id} and staged_secret is not null`;
  return count === 1;
}

export interface ProvedSecret {
  connectionId: ConnectionId;
  eventId: EventId;
}

/** Activates the staged secret if this delivery verifies it. @returns undefined if it was superseded */
export async function takeStagedSecret(
  sql: Queries,
  tenantId: TenantId,
  eventId: EventId,
  deliveryId: DeliveryId,
): Promise<ProvedSecret | undefined> {
  const [row] = await sql<ProvedSecret[]>`
    update webhook_connections c set secret = staged_secret, staged_secret = null, staged_on = null,
      staged_overlap_seconds = null, staged_event_id = null, modified_on = now(),
      former_secret = case when staged_overlap_seconds > 0 then secret end,
      former_until = case when staged_overlap_seconds > 0 and secret is not null
        then now() + staged_overlap_seconds * interval '1 second' end
    from deliveries d
    where d.event_id = ${eventId} and d.id = ${deliveryId} and d.tenant_id = ${tenantId} and c.tenant_id = ${tenantId} and c.id = d.connection_id
      and c.staged_event_id = d.event_id
    returning c.id as "connectionId", d.event_id as "eventId"`;
  return row;
}

/** Drops the staged secret and the former one. */
export async function endRotation(sql: Queries, tenantId: TenantId, id: ConnectionId): Promise<void> {
  await sql`
    update webhook_connections set staged_secret = null, staged_on = null, staged_overlap_seconds = null,
      staged_event_id = null, former_secret = null, former_until = null
    where tenant_id = ${tenantId} and id = ${id}`;
}

export async function removeFormerSecrets(sql: Sql): Promise<number> {
  const { count } = await sql`
    update webhook_connections set former_secret = null, former_until = null where former_until < now()`;
  return count;
}
