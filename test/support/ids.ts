import type { ConnectionId, DeliveryId, EventId, LogoutId, TenantId } from "../../server/ids.ts";

/** An id that no record has, or one that a receiver was told. */
export const idOf = <Id extends TenantId | EventId | DeliveryId | ConnectionId | LogoutId>(text: string) => text as Id;
