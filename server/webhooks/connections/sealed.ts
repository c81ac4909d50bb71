// What of a connection is sealed at rest; each value opens for its own purpose alone.

import { type MasterKey, seal, unseal } from "../../master-key.ts";
import type { ExtraHeaders } from "./headers.ts";

export const SECRET_PURPOSE = "webhook secret";
export const API_KEY_PURPOSE = "webhook ApiKey";
const HEADERS_PURPOSE = "webhook headers";

/** @returns null for none */
export function sealHeaders(masterKey: MasterKey, headers: ExtraHeaders): Uint8Array | null {
  return Object.keys(headers).length === 0 ? null : seal(masterKey, HEADERS_PURPOSE, JSON.stringify(headers));
}

export function unsealHeaders(masterKey: MasterKey, sealed: Uint8Array | null): ExtraHeaders {
  return sealed === null ? {} : JSON.parse(unseal(masterKey, HEADERS_PURPOSE, sealed));
}
