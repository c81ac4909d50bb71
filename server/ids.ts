// A UUIDv7 (RFC 9562 5.7) as an id: its first 48 bits are milliseconds since 1970, so that a later record has a higher one.

import type { ConnectionId, EventId, RedeliveryId, TenantId } from "../workflows/contract.ts";

export function newId<Id extends TenantId | EventId | ConnectionId | RedeliveryId>(): Id {
  return Bun.randomUUIDv7() as Id;
}

export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16));
}

/** None of this time or later is lower. */
export function lowestIdOf(time: Date): string {
  const digits = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
