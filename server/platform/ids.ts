// Branded id types, so that ids cannot be confused. They are created where rows, requests and tokens are parsed.

declare const brand: unique symbol;

/** The owner of a row: a UUID proved by a token or a sign-in, and the first argument of every store function. */
export type TenantId = string & { readonly [brand]: "TenantId" };
export type EventId = string & { readonly [brand]: "EventId" };
export type DeliveryId = string & { readonly [brand]: "DeliveryId" };
export type ConnectionId = string & { readonly [brand]: "ConnectionId" };
export type RedeliveryId = string & { readonly [brand]: "RedeliveryId" };
export type CheckId = string & { readonly [brand]: "CheckId" };
export type ErasureId = string & { readonly [brand]: "ErasureId" };
export type LogoutId = string & { readonly [brand]: "LogoutId" };
export type MailId = string & { readonly [brand]: "MailId" };

/** A UUIDv7 (RFC 9562 5.7): its first 48 bits are milliseconds since 1970, so later records have higher ids. */
export function newId<
  Id extends TenantId | EventId | ConnectionId | RedeliveryId | CheckId | ErasureId | MailId,
>(): Id {
  return Bun.randomUUIDv7() as Id;
}

/** The version of UUIDs that stand for tenants that do not exist (RFC 9562 5.8); others have 7. */
export const PLACEHOLDER_VERSION = "8";

export function isPlaceholderTenant(id: TenantId): boolean {
  return id[14] === PLACEHOLDER_VERSION;
}

export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16));
}

export function lowestIdOf(time: Date): string {
  const digits = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
