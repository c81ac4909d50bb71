import { expect, test } from "bun:test";
import { readConfig } from "../../../server/platform/config/config.ts";
import { workerPools } from "../../../server/platform/db/capacity.ts";

test.each([["3"], ["1001"], ["-5"], ["ten"], ["10.5"], ["1e2"]])("a pool of %s connections is rejected", (text) => {
  for (const name of ["DATABASE_POOL_API", "DATABASE_POOL_WORKER"]) {
    expect(() => readConfig({ [name]: text })).toThrow(
      `${name} is "${text}"; it must be a whole number of connections from 4 to 1000`,
    );
  }
});

test("a worker's pools have at least a connection each, and together its whole", () => {
  for (let pool = 4; pool <= 1_000; pool++) {
    const { deliveries, outbox } = workerPools(pool);
    expect(deliveries + outbox).toBe(pool);
    expect(Math.min(deliveries, outbox)).toBeGreaterThanOrEqual(2);
  }
  expect(workerPools(18)).toEqual({ deliveries: 10, outbox: 8 });
});
