import type { Caller } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { type Page, type Paging, toPage } from "../../http/paging.ts";
import type { MasterKey } from "../../master-key.ts";
import { type ConnectionRecord, noConnection, toConnectionRecord } from "./record.ts";
import {
  type Connection,
  type ConnectionFilter,
  findConnection,
  findConnections,
  type LoggedConnection,
  listConnections,
} from "./store.ts";

/** @throws NotFound, Permission */
export async function readConnection(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, permissions }: Caller,
  id: string,
): Promise<Connection> {
  const connection = await findConnection(sql, tenantId, id);
  if (!connection) throw noConnection();
  permissions.require("Webhooks:Read", "WebhookConnection", toConnectionRecord(masterKey, connection));
  return connection;
}

/**
 * A page of those that the caller may read, newest first.
 * @throws ServiceBusy
 */
export async function readConnections(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, permissions }: Caller,
  filter: ConnectionFilter,
  { limit, after }: Paging,
): Promise<Page<ConnectionRecord>> {
  return permissions.readable("Webhooks:Read", "WebhookConnection", async () => {
    const rows = await listConnections(sql, tenantId, filter, limit, after);
    return toPage(
      rows,
      limit,
      (row) => row.id,
      (row) => toConnectionRecord(masterKey, row),
    );
  });
}

/** Those of the ids that the caller may read, deleted ones too. */
export async function readConnectionsOf(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, permissions }: Caller,
  ids: string[],
): Promise<LoggedConnection[]> {
  const found = await findConnections(sql, tenantId, ids);
  return found.filter((connection) =>
    permissions.allows("Webhooks:Read", "WebhookConnection", toConnectionRecord(masterKey, connection)),
  );
}
