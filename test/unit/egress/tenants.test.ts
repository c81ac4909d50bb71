import { expect, test } from "bun:test";
import type { TenantId } from "../../../server/platform/ids.ts";
import { failureOf, request, startRawReceiver, startReceiver, trustingEgress } from "../../support/egress.ts";
import { idOf } from "../../world/api.ts";

test("a tenant with hanging posts keeps to its share, and other tenants' posts are sent at once", async () => {
  const reached = Promise.withResolvers<void>();
  let out = 0;
  using hanging = await startRawReceiver(() => ++out === 250 && reached.resolve());
  await using receiver = startReceiver(() => new Response());
  const egress = trustingEgress(["127.0.0.0/8"], async () => ["127.0.0.1"]);
  const caller = new AbortController();
  const [ONE, OTHER] = [idOf<TenantId>("one"), idOf<TenantId>("other")];
  const hang = { tenantId: ONE, signal: caller.signal, timeoutMs: 60_000 };
  const attack = Array.from({ length: 300 }, () => egress.post(request(`https://localhost:${hanging.port}/`, hang)));
  await reached.promise;
  // More than the limit of Bun's own fetch in a process.
  expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`, { tenantId: OTHER })))).toBe(
    "answered 200",
  );
  const get = { method: "GET", timeoutMs: 30_000 } as const;
  expect((await egress.fetch(ONE, `https://localhost:${receiver.port}/`, get)).status).toBe(200);
  caller.abort();
  const outcomes = (await Promise.all(attack)).map(failureOf);
  expect(outcomes.filter((outcome) => outcome === "unsent")).toHaveLength(50);
  expect(outcomes.filter((outcome) => outcome === "cancelled")).toHaveLength(250);
  // Their places are then free again.
  expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`, { tenantId: ONE })))).toBe(
    "answered 200",
  );
}, 300_000);
