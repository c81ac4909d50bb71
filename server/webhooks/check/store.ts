import type { CheckStep } from "../../../workflows/contract.ts";
import type { Queries, Transaction } from "../../platform/db/sql.ts";
import { type CheckId, type ConnectionId, newId, type TenantId } from "../../platform/ids.ts";
import { connectionName } from "../connections.store.ts";
import type { CheckSample, StepResult } from "./steps.ts";

export interface ReceiverCheck {
  id: CheckId;
  sample: CheckSample;
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

/** Replaces the connection's last check. @returns undefined if that is running */
export async function insertCheck(
  tx: Transaction,
  tenantId: TenantId,
  connectionId: ConnectionId,
  sample: CheckSample,
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

/** @returns whether it is still running */
export async function recordStep(
  sql: Queries,
  tenantId: TenantId,
  id: CheckId,
  step: CheckStep,
  result: StepResult,
): Promise<boolean> {
  const rows = await sql`
    update receiver_checks set results = results || ${JSON.stringify({ [step]: result })}::text::jsonb
    where tenant_id = ${tenantId} and id = ${id} and ended_on is null
    returning id`;
  return rows.length > 0;
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
  to: string;
}

/** Running checks whose workflow may be missing. */
export function leaseChecks(sql: Queries, checkMs: number, limit: number): Promise<DueCheck[]> {
  return sql<DueCheck[]>`
    update receiver_checks set lease_until =
      case when ended_on is null then now() + ${checkMs} * interval '1 millisecond' else 'infinity' end
    where id in (
      select id from receiver_checks where lease_until < now() order by lease_until limit ${limit} for update skip locked
    )
    returning id, tenant_id as "tenantId", connection_id as "connectionId", (
      select ${connectionName(sql)} from webhook_connections k where k.id = connection_id
    ) as to`;
}
