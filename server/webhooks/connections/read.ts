import type { Caller, Shown, ShownPage, Whole } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import type { Paging } from "../../http/paging.ts";
import type { MasterKey } from "../../master-key.ts";
import type { ConnectionRecord } from "./contract.ts";
import { noConnection, toConnectionRecord, versionOf } from "./record.ts";
import {
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
  { tenantId, gate }: Caller,
  id: string,
): Promise<SeenConnection> {
  const connection = await findConnection(sql, tenantId, id);
  if (!connection) throw noConnection();
  const version = versionOf(masterKey, connection);
  const tagged = await gate.show(TYPE, toConnectionRecord(masterKey, connection), { version });
  return { ...tagged, isSigned: connection.secret !== null };
}

/** One that the caller may read. */
export interface SeenConnection extends Whole<ConnectionRecord> {
  /** Whether it has a secret. */
  isSigned: boolean;
}

/**
 * A page of those that the caller may read, newest first.
 * @throws ServiceBusy
 */
export async function readConnections(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, gate }: Caller,
  filter: ConnectionFilter,
  paging: Paging,
): Promise<ShownPage<ConnectionRecord>> {
  return gate.list({
    type: TYPE,
    paging,
    read: (limit, after) => listConnections(sql, tenantId, filter, limit, after),
    id: (row) => row.id,
    item: (row) => toConnectionRecord(masterKey, row),
  });
}

/** Those of the ids that the caller may read, deleted ones too. */
export async function readConnectionsOf(
  sql: Sql,
  masterKey: MasterKey,
  { tenantId, gate }: Caller,
  ids: string[],
): Promise<Shown<LoggedConnection>[]> {
  const found = await findConnections(sql, tenantId, ids);
  return gate.only(TYPE, found, { resource: (connection) => toConnectionRecord(masterKey, connection) });
}

const TYPE = "WebhookConnection";
