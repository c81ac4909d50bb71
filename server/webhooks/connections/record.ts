// Connections as the API answers them.

import type { Caller } from "../../access/index.ts";
import { BadInput, NotFound } from "../../errors.ts";
import { uuid } from "../../http/fields.ts";
import { type Filter, isUuid } from "../../http/query.ts";
import type { ConnectionId } from "../../ids.ts";
import { CONNECTION, type ConnectionRecord } from "./contract.ts";
import { type ConnectionSeals, endOf, hideValues, ownApiKeys, withHiddenQuery } from "./secrets.ts";
import type { Connection } from "./store.ts";

export type ConnectionRecords = ReturnType<typeof createConnectionRecords>;

export function createConnectionRecords({ apiKey, headers }: ConnectionSeals) {
  const recordOf = (connection: Connection): ConnectionRecord =>
    CONNECTION.toRecord(connection, {
      ApiKey: ownApiKeys(connection.url)[0] ?? apiKey.open(connection.apiKey),
      Headers: hideValues(headers.open(connection.headers)),
    });
  return {
    recordOf,
    /**
     * As a caller sees it that may not change it: of its ApiKey, and of each value in the query of its URL, the last
     * characters alone.
     */
    hiddenFrom: ({ gate }: Caller, record: ConnectionRecord): ConnectionRecord => {
      const isWhole = gate.may("Webhooks:Update", CONNECTION.name, record);
      return isWhole ? record : { ...record, URL: withHiddenQuery(record.URL), ApiKey: endOf(record.ApiKey) };
    },
    /** What its entity tag is made of: also the secret and the headers, which no answer shows. */
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
