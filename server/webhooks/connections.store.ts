import type { Queries } from "../db/sql.ts";
import type { ConnectionId, TenantId } from "../ids.ts";

export const CONNECTION_STATES = ["Active", "Held", "Paused"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** Record: deliveries of the same record are sent one at a time, in commit order. */
export const ORDERS = ["None", "Record"] as const;
export type Order = (typeof ORDERS)[number];

export interface Connection {
  id: ConnectionId;
  name: string | null;
  description: string | null;
  url: string;
  entities: string[];
  events: string[];
  secret: Uint8Array | null;
  apiKey: Uint8Array;
  /** Sealed; null: none. */
  headers: Uint8Array | null;
  /** null: WEBHOOK_TIMEOUT. */
  timeoutMs: number | null;
  order: Order;
  /** The maximum posts started per second; null: unlimited. */
  ratePerSecond: number | null;
  /** The maximum concurrent posts of all workers; null: the window decides. */
  maxInFlight: number | null;
  /** Consecutive exhausted deliveries until it is Held; null: WEBHOOK_HOLD_AFTER. */
  holdAfter: number | null;
  state: ConnectionState;
  /** null: it is not Held. */
  heldOn: Date | null;
  heldReason: string | null;
}

/** A connection in the activity log; it may be deleted. */
export interface LoggedConnection extends Connection {
  deletedOn: Date | null;
  requestChangedOn: Date;
}

export interface ConnectionFilter {
  id?: string;
  /** "" matches connections without a name. */
  name?: string;
  state?: ConnectionState;
}

export const connectionColumns = (sql: Queries) => sql`
  id, name, description, url, entities, events, secret, api_key as "apiKey", headers, timeout_ms as "timeoutMs", order_by as "order",
  rate_per_second as "ratePerSecond", max_in_flight as "maxInFlight", hold_after as "holdAfter", state,
  held_on as "heldOn", held_reason as "heldReason"`;

export async function findConnection(
  sql: Queries,
  tenantId: TenantId,
  id: ConnectionId,
): Promise<Connection | undefined> {
  const [row] = await sql<Connection[]>`
    select ${connectionColumns(sql)} from webhook_connections
    where tenant_id = ${tenantId} and id = ${id} and deleted_on is null`;
  return row;
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

export async function lockConnection(
  sql: Queries,
  tenantId: TenantId,
  key: { id: ConnectionId } | { name: string },
): Promise<Connection | undefined> {
  const match = "id" in key ? sql`id = ${key.id}` : sql`name = ${key.name}`;
  const [row] = await sql<Connection[]>`
    select ${connectionColumns(sql)} from webhook_connections
    where tenant_id = ${tenantId} and ${match} and deleted_on is null for update`;
  return row;
}

/** Newest first; one more than the limit if there are more. */
export async function listConnections(
  sql: Queries,
  tenantId: TenantId,
  { id, name, state }: ConnectionFilter,
  limit: number,
  after: string | undefined,
): Promise<Connection[]> {
  return sql<Connection[]>`
    select ${connectionColumns(sql)} from webhook_connections
    where tenant_id = ${tenantId} and deleted_on is null ${after ? sql`and id < ${after}` : sql``}
      ${id === undefined ? sql`` : sql`and id = ${id}`}
      ${name === undefined ? sql`` : sql`and coalesce(name, '') = ${name}`}
      ${state ? sql`and state = ${state}` : sql``}
    order by id desc limit ${limit + 1}`;
}

/** @returns undefined if the name is taken */
export async function insertConnection(
  sql: Queries,
  tenantId: TenantId,
  connection: Connection,
): Promise<Connection | undefined> {
  const { id, name, description, url, entities, events, secret, apiKey, headers, timeoutMs, state } = connection;
  const { order, ratePerSecond, maxInFlight, holdAfter } = connection;
  const [row] = await sql<Connection[]>`
    insert into webhook_connections (id, tenant_id, name, description, url, entities, events, secret, api_key, headers,
      timeout_ms, order_by, rate_per_second, max_in_flight, hold_after, state)
    values (${id}, ${tenantId}, ${name}, ${description}, ${url}, ${entities}::text[], ${events}::text[],
      ${secret as Buffer | null}, ${apiKey as Buffer}, ${headers as Buffer | null}, ${timeoutMs}, ${order},
      ${ratePerSecond}, ${maxInFlight}, ${holdAfter}, ${state})
    on conflict do nothing
    returning ${connectionColumns(sql)}`;
  return row;
}

export async function updateConnection(sql: Queries, tenantId: TenantId, connection: Connection): Promise<void> {
  const { id, name, description, url, entities, events, secret, apiKey, headers, timeoutMs, state } = connection;
  const { order, ratePerSecond, maxInFlight, holdAfter } = connection;
  await sql`
    update webhook_connections set name = ${name}, description = ${description}, url = ${url},
      entities = ${entities}::text[], events = ${events}::text[], secret = ${secret as Buffer | null},
      api_key = ${apiKey as Buffer}, headers = ${headers as Buffer | null}, timeout_ms = ${timeoutMs},
      order_by = ${order}, rate_per_second = ${ratePerSecond}, max_in_flight = ${maxInFlight}, hold_after = ${holdAfter},
      state = ${state}, modified_on = now()
    where tenant_id = ${tenantId} and id = ${id}`;
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
  await sql`update webhook_connections set clearing = false where tenant_id = ${tenantId} and id = ${id}`;
}

/** The maximum number of characters of a name in a workflow's history; Temporal accepts 400 bytes in total. */
export const NAME_SHOWN = 40;

/** The display name of connection `k`: its name, or its id. */
export const connectionName = (sql: Queries) => sql`coalesce(nullif(left(k.name, ${NAME_SHOWN}::int), ''), k.id::text)`;
