// Connections as the API answers them.

import type { ConnectionId } from "../../../workflows/contract.ts";
import type { Caller, FindRecords, Shown, ShownPage, Whole } from "../../access/index.ts";
import type { Sql } from "../../db/connection.ts";
import { BadInput, NotFound } from "../../errors.ts";
import { uuid } from "../../http/fields.ts";
import { type Filter, isUuid, type Paging } from "../../http/query.ts";
import { type MasterKey, unseal } from "../../master-key.ts";
import { CONNECTION, type ConnectionRecord } from "./contract.ts";
import { API_KEY_PURPOSE, hideValues, ownApiKeys, unsealHeaders } from "./secrets.ts";
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
  { tenantId, gate }: Caller,
  id: ConnectionId,
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
  ids: ConnectionId[],
): Promise<Shown<LoggedConnection>[]> {
  const found = await findConnections(sql, tenantId, ids);
  return gate.only(TYPE, found, { resource: (connection) => toConnectionRecord(masterKey, connection) });
}

const TYPE = "WebhookConnection";

export function toConnectionRecord(masterKey: MasterKey, connection: Connection): ConnectionRecord {
  return CONNECTION.toRecord(connection, {
    ApiKey: ownApiKeys(connection.url)[0] ?? unseal(masterKey, API_KEY_PURPOSE, connection.apiKey),
    Headers: hideValues(unsealHeaders(masterKey, connection.headers)),
  });
}

/** What its entity tag is made of: also the secret and the headers, which no answer shows. */
export function versionOf(masterKey: MasterKey, connection: Connection): object {
  const [secret, headers] = [connection.secret, connection.headers].map(
    (sealed) => sealed && Buffer.from(sealed).toString("base64"),
  );
  return { ...toConnectionRecord(masterKey, connection), secret, headers };
}

export function noConnection(): NotFound {
  return new NotFound("There is no WebhookConnection with this Id.");
}

/** A text of a path as the Id that it can be. @throws NotFound */
export function toConnectionId(text: string): ConnectionId {
  if (!isUuid<ConnectionId>(text)) throw noConnection();
  return text;
}

export function connectionFilter(description: string): Filter<ConnectionId | undefined> {
  return {
    description,
    schema: uuid<ConnectionId>(),
    read(query, name) {
      const given = query.get(name);
      if (!given) return undefined;
      if (!isUuid<ConnectionId>(given)) throw new BadInput(`${name} must be a connection's Id.`);
      return given;
    },
  };
}

/** @returns finds connections by their Ids, deleted ones too, for what tells of them elsewhere */
export function createFindConnections(masterKey: MasterKey): FindRecords {
  return async (sql, tenantId, _, ids) =>
    (await findConnections(sql, tenantId, ids.filter(isUuid<ConnectionId>))).map((one) =>
      toConnectionRecord(masterKey, one),
    );
}
