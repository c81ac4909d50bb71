import { NotFound } from "../../platform/errors.ts";
import { isUuid } from "../../platform/http/query.ts";
import type { ConnectionId } from "../../platform/ids.ts";
import type { Caller } from "../../records/index.ts";
import { CONNECTION, type ConnectionRecord } from "../connection.ts";
import type { Connection } from "../connections.store.ts";
import { type ConnectionSeals, endOf, hideValues, ownApiKeys, withHiddenQuery } from "../secrets.ts";

export type ConnectionRecords = ReturnType<typeof createConnectionRecords>;

export function createConnectionRecords({ apiKey, headers }: ConnectionSeals) {
  const recordOf = (connection: Connection): ConnectionRecord =>
    CONNECTION.toRecord(connection, {
      ApiKey: ownApiKeys(connection.url)[0] ?? apiKey.open(connection.apiKey),
      Headers: hideValues(headers.open(connection.headers)),
    });
  return {
    recordOf,
    /** For callers who may not change it: only the last characters of the ApiKey and of each query value in the URL. */
    hiddenFrom: ({ gate }: Caller, record: ConnectionRecord): ConnectionRecord => {
      const isWhole = gate.may("Webhooks:Update", CONNECTION.name, record);
      return isWhole ? record : { ...record, URL: withHiddenQuery(record.URL), ApiKey: endOf(record.ApiKey) };
    },
    /** The values of its entity tag, including the secret and headers, which no response contains. */
    versionOf(connection: Connection): object {
      const [secret, headers] = [connection.secret, connection.headers].map(
        (sealed) => sealed && Buffer.from(sealed).toString("base64"),
      );
      return { ...recordOf(connection), secret, headers };
    },
  };
}

export function noConnection(): NotFound {
  return new NotFound("There is no WebhookConnection with this Id.");
}

/** Parses an Id in a path. @throws NotFound */
export function toConnectionId(text: string): ConnectionId {
  if (!isUuid<ConnectionId>(text)) throw noConnection();
  return text;
}
