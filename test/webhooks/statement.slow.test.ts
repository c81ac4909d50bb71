// The longest statement, and one that is too long.

import { expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { expectError, ok } from "../world/api.ts";
import { fill } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";

test("a statement has at most 100,000 deliveries, and so has its file", async () => {
  const api = await newTenant();
  const tenantId = api.tenantId as TenantId;
  const connectionIds: string[] = [];
  for (let number = 0; number < 10; number++) connectionIds.push((await api.connect("https://hooks.example/")).Id);
  await fill(db(), { tenantId, connectionIds, events: 10_000, spanMs: 3_600_000 });
  const query = `From=${new Date(Date.now() - 7_200_000).toISOString()}`;
  const began = performance.now();
  const statement = await ok(api.get(`/WebhookStatement?${query}`));
  console.log(`100,000 deliveries were counted in ${Math.round(performance.now() - began)} ms.`);
  expect([statement.Owed.Count, statement.FirstAttempt.Count]).toEqual([100_000, 100_000]);
  expect(statement.Connections).toHaveLength(10);
  const file: string = await ok(api.get(`/WebhookStatement/Export?${query}&Format=NDJSON`));
  const ids = new Set(
    file
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).DeliveryId),
  );
  expect(ids.size).toBe(100_000);

  await fill(db(), { tenantId, connectionIds: connectionIds.slice(0, 1), events: 1, spanMs: 1_000 });
  const tooMany = /at most 100,000 deliveries/;
  expectError(await api.get(`/WebhookStatement?${query}`), 400, "Bad Input", tooMany);
  expectError(await api.get(`/WebhookStatement/Certificate?${query}`), 400, "Bad Input", tooMany);
  expectError(await api.get(`/WebhookStatement/Export?${query}`), 400, "Bad Input", /at most 100000 rows/);
  const one = await ok(api.get(`/WebhookStatement?${query}&ConnectionId=${connectionIds[0]}`));
  expect(one.Owed.Count).toBe(10_001);
});
