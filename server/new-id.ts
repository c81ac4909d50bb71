import type { ConnectionId, EventId, TenantId } from "../workflows/contract.ts";

/** A UUIDv7 (RFC 9562 5.7), so that a later record has a higher one. */
export function newId<Id extends TenantId | EventId | ConnectionId>(): Id {
  return Bun.randomUUIDv7() as Id;
}
