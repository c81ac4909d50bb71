import type { ImportProgress, ImportState } from "../../../../../workflows/contract.ts";
import type { Queries, Sql, Transaction } from "../../../../platform/db/sql.ts";
import { takeTurn } from "../../../../platform/db/turns.store.ts";
import type { TenantId } from "../../../../platform/ids.ts";
import { type Actor, logTable } from "../../../../records/index.ts";
import { IMPORT, type ImportFilter, type ImportRow, MAX_REPORTED } from "./contract.ts";

export const IMPORT_CHANNEL = "gatehouse_invitation_import";
/** Days for which an ended import is kept. */
const KEPT_DAYS = 30;

export const IMPORTS = logTable<typeof IMPORT.field, ImportFilter, Pick<ImportRow, "skipped">>(IMPORT, {
  more: {
    skipped: (sql) => sql`
      coalesce((
        select json_agg(json_build_object('Row', number, 'Reason', reason) order by number) from (
          select number, reason from invitation_import_rows
          where import_id = invitation_imports.id and reason is not null order by number limit ${MAX_REPORTED}
        ) skipped
      ), '[]')`,
  },
  matching: (sql, { State }) => (State ? sql`and state = ${State}` : sql``),
});

/** A person to invite. */
export interface Invitee {
  number: number;
  email: string;
  name: string;
  roles: string[];
  departmentId: number | null;
}

/** Imports that have not ended. Others that count wait until the transaction ends. */
export async function countOpenImports(tx: Transaction, tenantId: TenantId): Promise<number> {
  await takeTurn(tx, tenantId, "invitation imports");
  const [row] = await tx<{ count: number }[]>`
    select count(*) from invitation_imports where tenant_id = ${tenantId} and state in ('Running', 'Paused')`;
  return row!.count;
}

export async function insertImport(
  tx: Transaction,
  tenantId: TenantId,
  id: string,
  by: { clientId: number; actor: Actor },
  people: Invitee[],
): Promise<void> {
  await tx`
    insert into invitation_imports (id, tenant_id, total, client_id, created_by_type, created_by_id)
    values (${id}, ${tenantId}, ${people.length}, ${by.clientId}, ${by.actor.type}, ${by.actor.id})`;
  await tx`
    insert into invitation_import_rows (import_id, number, email, name, roles, department_id)
    select ${id}, number, email, name, roles, "departmentId"
    from jsonb_to_recordset(${tx.json(people as never)}) as p (number integer, email text, name text, roles text[], "departmentId" bigint)`;
  await tx`select pg_notify(${IMPORT_CHANNEL}, '')`;
}

/** @returns the former state; undefined if there is none */
export async function lockImport(tx: Transaction, tenantId: TenantId, id: string): Promise<ImportState | undefined> {
  const [row] = await tx<{ state: ImportState }[]>`
    select state from invitation_imports where tenant_id = ${tenantId} and id = ${id} for update`;
  return row?.state;
}

export async function setImportState(tx: Transaction, tenantId: TenantId, id: string, state: ImportState) {
  await tx`
    update invitation_imports set state = ${state}, lease_until = '-infinity',
      ended_on = case when ${state} in ('Cancelled', 'Completed') then now() end
    where tenant_id = ${tenantId} and id = ${id}`;
  await tx`select pg_notify(${IMPORT_CHANNEL}, '')`;
}

export interface RunningImport extends ImportProgress {
  clientId: number;
  actor: Actor;
  isCreatorActive: boolean;
}

/** Locked. Undefined if it was removed. */
export async function lockRunning(tx: Transaction, tenantId: TenantId, id: string): Promise<RunningImport | undefined> {
  const [row] = await tx<RunningImport[]>`
    select state, total, done, invited, client_id as "clientId",
      json_build_object('type', created_by_type, 'id', created_by_id) as actor,
      case i.created_by_type
        when 'User' then exists (
          select from users u where u.tenant_id = i.tenant_id and u.id = i.created_by_id and u.is_active)
        else exists (
          select from applications a where a.tenant_id = i.tenant_id and a.id = i.created_by_id and a.is_active)
      end as "isCreatorActive"
    from invitation_imports i where tenant_id = ${tenantId} and id = ${id} for update`;
  return row;
}

export async function nextInvitees(sql: Queries, tenantId: TenantId, id: string, limit: number): Promise<Invitee[]> {
  return sql<Invitee[]>`
    select r.number, r.email, r.name, r.roles, r.department_id as "departmentId"
    from invitation_imports i join invitation_import_rows r on r.import_id = i.id
    where i.tenant_id = ${tenantId} and i.id = ${id} and r.reason is null order by r.number limit ${limit}`;
}

/** @param skipped with the reasons; the others are invited */
export async function recordInvitees(
  sql: Queries,
  tenantId: TenantId,
  id: string,
  people: Invitee[],
  skipped: Map<number, string>,
): Promise<void> {
  const numbers = people.map(({ number }) => number);
  const reasons = numbers.map((number) => skipped.get(number) ?? null);
  const each = sql`unnest(${numbers}::integer[], ${reasons}::text[]) as e (number, reason)`;
  await sql`
    with invited as (
      delete from invitation_import_rows r using ${each}
      where r.import_id = ${id} and r.number = e.number and e.reason is null
    ), skipped as (
      update invitation_import_rows r set reason = e.reason from ${each}
      where r.import_id = ${id} and r.number = e.number and e.reason is not null
    )
    update invitation_imports set done = done + ${people.length}, invited = invited + ${people.length - skipped.size}
    where tenant_id = ${tenantId} and id = ${id}`;
}

export async function countSkipped(sql: Queries, tenantId: TenantId, id: string, max: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from (
      select from invitation_imports i join invitation_import_rows r on r.import_id = i.id
      where i.tenant_id = ${tenantId} and i.id = ${id} and r.reason is not null limit ${max}
    ) skipped`;
  return row!.count;
}

/** @param after the line of the last one before */
export async function listSkipped(
  sql: Queries,
  tenantId: TenantId,
  id: string,
  after: number,
  limit: number,
): Promise<ImportRow["skipped"]> {
  return sql<ImportRow["skipped"]>`
    select r.number as "Row", r.reason as "Reason"
    from invitation_imports i join invitation_import_rows r on r.import_id = i.id
    where i.tenant_id = ${tenantId} and i.id = ${id} and r.reason is not null and r.number > ${after}
    order by r.number limit ${limit}`;
}

export async function leaseImports(
  sql: Queries,
  checkMs: number,
  limit: number,
): Promise<{ id: string; tenantId: TenantId }[]> {
  return sql<{ id: string; tenantId: TenantId }[]>`
    with due as (
      select id from invitation_imports where state = 'Running' and lease_until < now()
      order by id limit ${limit} for update skip locked
    )
    update invitation_imports i set lease_until = now() + ${checkMs} * interval '1 millisecond'
    from due where i.id = due.id returning i.id, i.tenant_id as "tenantId"`;
}

export async function removeOldImports(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from invitation_imports where ended_on < now() - make_interval(days => ${KEPT_DAYS})`;
  return count;
}
