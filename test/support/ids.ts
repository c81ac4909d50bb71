import type { ConnectionId, DeliveryId, EventId, LogoutId, TenantId } from "../../server/ids.ts";

/** An unused id, or one sent to a receiver. */
export const idOf = <Id extends TenantId | EventId | DeliveryId | ConnectionId | LogoutId>(text: string) => text as Id;
