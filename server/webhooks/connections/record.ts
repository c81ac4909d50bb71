import { NotFound } from "../../errors.ts";
import { type MasterKey, unseal } from "../../master-key.ts";
import { ownApiKeys } from "./api-key.ts";
import { CONNECTION, type ConnectionRecord } from "./contract.ts";
import { hideValues } from "./headers.ts";
import { API_KEY_PURPOSE, unsealHeaders } from "./sealed.ts";
import type { Connection } from "./store.ts";

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
