import { NotFound } from "../../errors.ts";
import { isUuid } from "../../http/paging.ts";
import { type MasterKey, unseal } from "../../master-key.ts";
import { ownApiKeys } from "./api-key.ts";
import { hideValues } from "./headers.ts";
import { API_KEY_PURPOSE, unsealHeaders } from "./sealed.ts";
import type { Connection, ConnectionState } from "./store.ts";

/** A connection in its response shape; neither the secret nor a header's value is ever read back. */
export type ConnectionRecord = {
  Id: string;
  Name: string;
  Description: string;
  URL: string;
  Entities: string[];
  Events: string[];
  ApiKey: string;
  Headers: Record<string, null>;
  TimeoutMs: number | null;
  State: ConnectionState;
  HeldOn: string | null;
  HeldReason: string | null;
};

export function toConnectionRecord(masterKey: MasterKey, connection: Connection): ConnectionRecord {
  return {
    Id: connection.id,
    Name: connection.name ?? "",
    Description: connection.description ?? "",
    URL: connection.url,
    Entities: connection.entities,
    Events: connection.events,
    ApiKey: ownApiKeys(connection.url)[0] ?? unseal(masterKey, API_KEY_PURPOSE, connection.apiKey),
    Headers: hideValues(unsealHeaders(masterKey, connection.headers)),
    TimeoutMs: connection.timeoutMs,
    State: connection.state,
    HeldOn: connection.heldOn?.toISOString() ?? null,
    HeldReason: connection.heldReason,
  };
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

/**
 * The Id that a path names.
 * @throws NotFound
 */
export function connectionIdOf({ id }: { id: string }): string {
  if (!isUuid(id)) throw noConnection();
  return id;
}
