// What of a connection is sealed at rest; each value opens for its own purpose alone.

import type { SealedColumn } from "../../master-key.ts";
import { type MasterKey, seal, unseal } from "../../master-key.ts";
import type { ExtraHeaders } from "./headers.ts";

export const SECRET_PURPOSE = "webhook secret";
export const API_KEY_PURPOSE = "webhook ApiKey";
const HEADERS_PURPOSE = "webhook headers";

export const SEALED: SealedColumn[] = [
  { table: "webhook_connections", column: "api_key", purpose: API_KEY_PURPOSE },
  { table: "webhook_connections", column: "headers", purpose: HEADERS_PURPOSE },
  ...["secret", "staged_secret", "former_secret"].map((column) => {
    return { table: "webhook_connections", column, purpose: SECRET_PURPOSE };
  }),
];

/** @returns null for none */
export function sealHeaders(masterKey: MasterKey, headers: ExtraHeaders): Uint8Array | null {
  return Object.keys(headers).length === 0 ? null : seal(masterKey, HEADERS_PURPOSE, JSON.stringify(headers));
}

export function unsealHeaders(masterKey: MasterKey, sealed: Uint8Array | null): ExtraHeaders {
  return sealed === null ? {} : JSON.parse(unseal(masterKey, HEADERS_PURPOSE, sealed));
}
