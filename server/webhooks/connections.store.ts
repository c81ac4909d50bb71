import type { Queries, Transaction } from "../platform/db/sql.ts";
import { takeTurn } from "../platform/db/turns.store.ts";
import type { ConnectionId, TenantId } from "../platform/ids.ts";
import { NAME_SHOWN, type outbox, recordTable } from "../records/index.ts";
import { CONNECTION, type ConnectionRow, type ConnectionState } from "./connection.ts";

export type { ConnectionState };

type Sealed = Record<"secret" | "headers", Uint8Array | null> & { apiKey: Uint8Array };

export interface Connection extends Omit<ConnectionRow, "id" | keyof Sealed>, Sealed {
  id: ConnectionId;
  /** null: it is not Held. */
  heldOn: Date | null;
  heldReason: string | null;
  /** AuditEvent is or was among its entities, so deliveries of entries may be stored for it. */
  receivesAudit: boolean;
  /** The attributes that its filter reads; null: no filter. */
  filterReads: outbox.FilterReads | null;
}

/** A connection in the activity log; it may be deleted. */
export interface LoggedConnection extends Connection {
  deletedOn: Date | null;
  requestChangedOn: Date;
}

export const CONNECTION_TABLE = recordTable<Connection>(CONNECTION, {
  more: ["receivesAudit", "filterReads"],
  renamed: { order: "order_by" },
  computed: { heldOn: "held_on", heldReason: "held_reason" },
  written: (sql) => ({ modified_on: sql`now()` }),
  only: "deleted_on is null",
  isRaced: true,
  // A query may contain an ApiKey.
  searched: { URL: "split_part(url, '?', 1)" },
  sorted: {
    Name: "search_form(coalesce(nullif(name, ''), url))",
    State: "array_position(array['Held', 'Paused', 'Active'], state)::text",
  },
});

export const { columns: connectionColumns, list: listConnections } = CONNECTION_TABLE;

export function findConnection(sql: Queries, tenantId: TenantId, id: ConnectionId): Promise<Connection | undefined> {
  return CONNECTION_TABLE.find(sql, tenantId, { id });
}

export async function findConnections(
  sql: Queries,
  tenantId: TenantId,
  ids: ConnectionId[],
): Promise<LoggedConnection[]> {
  return sql<LoggedConnection[]>`
    select ${connectionColumns(sql)}, deleted_on as "deletedOn", request_changed_on as "requestChangedOn" from webhook_connections
    where tenant_id = ${tenantId} and id = any (${ids}::uuid[])`;
}

export function lockConnection(
  sql: Queries,
  tenantId: TenantId,
  key: { id: ConnectionId } | { name: string },
): Promise<Connection | undefined> {
  return CONNECTION_TABLE.find(sql, tenantId, key, "for update");
}

/** Keeps the row, because the activity log refers to it. Open deliveries are cancelled afterwards. */
export async function deleteConnection(sql: Queries, tenantId: TenantId, id: ConnectionId): Promise<void> {
  await sql`
    update webhook_connections set deleted_on = now(), clearing = true
    where tenant_id = ${tenantId} and id = ${id}`;
}

export async function listCleared(sql: Queries): Promise<{ tenantId: TenantId; id: ConnectionId }[]> {
  return sql<{ tenantId: TenantId; id: ConnectionId }[]>`
    select tenant_id as "tenantId", id from webhook_connections where clearing order by deleted_on`;
}

export async function endClearing(sql: Queries, tenantId: TenantId, id: ConnectionId): Promise<void> {
  await sql`
    with sent as (delete from sent_sequences where connection_id = ${id}),
    failed as (delete from failed_filters where connection_id = ${id})
    update webhook_connections set clearing = false where tenant_id = ${tenantId} and id = ${id}`;
}

/** Of a filter that was set anew. */
export async function forgetFailure(tx: Transaction, id: ConnectionId): Promise<void> {
  await tx`delete from failed_filters where connection_id = ${id}`;
}

/** The display name of connection `k`: its name, or its id. */
export const connectionName = (sql: Queries) => sql`coalesce(nullif(left(k.name, ${NAME_SHOWN}::int), ''), k.id::text)`;

/** Waits for other transactions that count them. */
export async function countOtherFilters(tx: Transaction, tenantId: TenantId, id: ConnectionId): Promise<number> {
  await takeTurn(tx, tenantId, "filters");
  const [row] = await tx<{ count: number }[]>`
    select count(*) as count from webhook_connections
    where tenant_id = ${tenantId} and deleted_on is null and filter is not null and id <> ${id}`;
  return row!.count;
}

/** The next consumer gets all events that are not acknowledged. */
export async function endPullLease(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await tx`
    update webhook_connections set leased_until = null where tenant_id = ${tenantId} and id = ${connectionId}`;
}
