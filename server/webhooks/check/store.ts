import type { Queries, Transaction } from "../../platform/db/sql.ts";
import { takeTurn } from "../../platform/db/turns.store.ts";
import { type CheckId, type ConnectionId, newId, type TenantId } from "../../platform/ids.ts";
import type { EventType, outbox } from "../../records/index.ts";
import { connectionName } from "../connections.store.ts";
import type { CheckStep, StepResult } from "./steps.ts";

export interface ReceiverCheck {
  id: CheckId;
  sample: { eventRecord: string; eventType: EventType; data: Record<string, unknown> };
  results: Partial<Record<CheckStep, StepResult>>;
  startedOn: Date;
  endedOn: Date | null;
}

const columns = (sql: Queries) => sql`id, sample, results, started_on as "startedOn", ended_on as "endedOn"`;

export async function findCheck(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<ReceiverCheck | undefined> {
  const [row] = await sql<ReceiverCheck[]>`
    select ${columns(sql)} from receiver_checks where tenant_id = ${tenantId} and connection_id = ${connectionId}`;
  return row;
}

/** Waits for other transactions that count them. */
export async function countRunning(tx: Transaction, tenantId: TenantId): Promise<number> {
  await takeTurn(tx, tenantId, "checks");
  const [row] = await tx<{ count: number }[]>`
    select count(*) as count from receiver_checks where tenant_id = ${tenantId} and ended_on is null`;
  return row!.count;
}

/** As of the connection's deliveries. */
export async function findForm(
  sql: Queries,
  tenantId: TenantId,
  connectionId: ConnectionId,
): Promise<outbox.DeliveryForm | null> {
  const [row] = await sql<{ form: outbox.DeliveryForm | null }[]>`
    select delivery_form(c) as form from webhook_connections c where tenant_id = ${tenantId} and id = ${connectionId}`;
  return row?.form ?? null;
}

/** Replaces the connection's last check. @returns undefined if that is running */
export async function insertCheck(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  sample: ReceiverCheck["sample"],
): Promise<ReceiverCheck | undefined> {
  const [row] = await tx<ReceiverCheck[]>`
    insert into receiver_checks as c (id, tenant_id, connection_id, sample)
    values (${newId<CheckId>()}, ${tenantId}, ${connectionId}, ${JSON.stringify(sample)}::text::json)
    on conflict (connection_id) do update set id = excluded.id, sample = excluded.sample, results = '{}',
      started_on = now(), ended_on = null, lease_until = '-infinity'
    where c.ended_on is not null
    returning ${columns(tx)}`;
  return row;
}

export async function recordStep(
  sql: Queries,
  tenantId: TenantId,
  id: CheckId,
  step: CheckStep,
  result: StepResult,
): Promise<void> {
  await sql`
    update receiver_checks set results = results || ${JSON.stringify({ [step]: result })}::text::jsonb
    where tenant_id = ${tenantId} and id = ${id} and ended_on is null`;
}

export async function endCheck(sql: Queries, tenantId: TenantId, id: CheckId): Promise<void> {
  await sql`
    update receiver_checks set ended_on = now(), lease_until = 'infinity'
    where tenant_id = ${tenantId} and id = ${id} and ended_on is null`;
}

export interface DueCheck {
  id: CheckId;
  tenantId: TenantId;
  connectionId: ConnectionId;
  /** The connection's name, or its id if it has no name. */
  to: string;
}

/** Running checks whose workflow may be missing. */
export function leaseChecks(sql: Queries, checkMs: number, limit: number): Promise<DueCheck[]> {
  return sql<DueCheck[]>`
    update receiver_checks c set lease_until = now() + ${checkMs} * interval '1 millisecond'
    from webhook_connections k
    where k.id = c.connection_id and c.id in (
      select id from receiver_checks where lease_until < now() order by lease_until limit ${limit} for update skip locked
    )
    returning c.id, c.tenant_id as "tenantId", c.connection_id as "connectionId", ${connectionName(sql)} as to`;
}
