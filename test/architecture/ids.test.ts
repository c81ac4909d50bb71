// Ids are distinct types: tsc rejects mixing them, as long as no cast creates an id.

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ConnectionId, DeliveryId, EventId, RedeliveryId, TenantId } from "../../server/platform/ids.ts";
import { readSources } from "./imports.ts";

const CAST = /\bas (TenantId|EventId|DeliveryId|ConnectionId|RedeliveryId)\b/;

/** Code that parses a row, a request, a token or a notification, or creates an unused value. */
const MAKERS = [
  "server/identity/oauth/console-client.ts",
  "server/identity/oauth/tokens/tokens.ts",
  "server/identity/signin/throttle.ts",
  "server/records/access/policies.store.ts",
  "server/webhooks/redelivery/contract.ts",
];

test("only constructors of ids cast to them", async () => {
  const sources = await readSources(join(import.meta.dir, "../.."), ["server", "workflows", "activities"]);
  const casting = sources.filter(({ text }) => CAST.test(text)).map(({ path }) => path);
  expect(casting.sort()).toEqual(MAKERS);
});

declare function toDelivery(id: DeliveryId): void;
declare function ofTenant(id: TenantId): void;

/** Never called: tsc checks that these calls are rejected. */
export function mistaken(
  tenant: TenantId,
  event: EventId,
  delivery: DeliveryId,
  connection: ConnectionId,
  redelivery: RedeliveryId,
  text: string,
) {
  toDelivery(delivery);
  // @ts-expect-error a connection's id
  toDelivery(connection);
  // @ts-expect-error an event's id
  toDelivery(event);
  // @ts-expect-error a redelivery's id
  toDelivery(redelivery);
  // @ts-expect-error any text
  toDelivery(text);
  ofTenant(tenant);
  // @ts-expect-error a connection's id
  ofTenant(connection);
}
