// The shares of tenants in a common resource.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { createBudget } from "../../../server/platform/budget.ts";
import { ServiceBusy, TenantBusy } from "../../../server/platform/errors.ts";
import type { TenantId } from "../../../server/platform/ids.ts";

const [ONE, OTHER] = ["one", "other"] as TenantId[] as [TenantId, TenantId];
const LINE = { name: "works", perTenant: 1, waiting: 10 };

test("a tenant's tasks run one after another, beside other tenants', and failures block nothing", async () => {
  const { run } = createBudget(LINE);
  const done: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = run(ONE, () => gate.then(() => done.push("first")));
  const second = run(ONE, async () => {
    done.push("second");
    throw new Error("second");
  });
  const third = run(ONE, async () => done.push("third"));
  await run(OTHER, async () => done.push("other"));
  open();
  await expect(second).rejects.toThrow("second");
  await Promise.all([first, third]);
  expect(done).toEqual(["other", "first", "second", "third"]);
});

test("a task that has waited too long is rejected without running, and the next one runs", async () => {
  const { run } = createBudget({ ...LINE, longestWaitMs: 20 });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let worked = false;
  const long = run(ONE, () => gate);
  const late = run(ONE, async () => {
    worked = true;
  });
  setTimeout(open, 40);
  await expect(late).rejects.toBeInstanceOf(ServiceBusy);
  await long;
  expect(worked).toBe(false);
  expect(await run(ONE, async () => "next")).toBe("next");
});

test("a tenant with a full queue is rejected with a message, and others are not", async () => {
  const budget = createBudget({ name: "exports", perTenant: 2, total: 3, waiting: 1 });
  const releases = [await budget.take(ONE), await budget.take(ONE)];
  const waiting = budget.take(ONE);
  const refused = await budget.take(ONE).catch((error) => error);
  expect(refused).toBeInstanceOf(TenantBusy);
  expect(refused.message).toBe(
    "This tenant has 2 exports in progress and 1 waiting, the maximum. Try again when these have ended.",
  );
  expect(refused.headers).toEqual({ "retry-after": "2" });
  releases.push(await budget.take(OTHER));
  // A place that is released twice is still one place.
  releases[0]!();
  releases[0]!();
  releases.push(await waiting);
  const last = budget.take(ONE);
  expect((await budget.take(ONE).catch((error) => error)).status).toBe(429);
  for (const release of releases) release();
  (await last)();
});

test("at any time no tenant exceeds its share, all together stay within the limit, and each has its turn", async () => {
  const tenants = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 });
  const limits = fc.record({ perTenant: fc.integer({ min: 1, max: 3 }), total: fc.integer({ min: 1, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(tenants, limits, async (asked, { perTenant, total }) => {
      const { run } = createBudget({ name: "works", perTenant, total, waiting: 40 });
      const running = new Map<number, number>();
      let all = 0;
      const works = asked.map((tenant) =>
        run(`${tenant}` as TenantId, async () => {
          running.set(tenant, (running.get(tenant) ?? 0) + 1);
          expect(running.get(tenant)!).toBeLessThanOrEqual(perTenant);
          expect(++all).toBeLessThanOrEqual(total);
          await Promise.resolve();
          running.set(tenant, running.get(tenant)! - 1);
          all--;
          return tenant;
        }),
      );
      expect(await Promise.all(works)).toEqual(asked);
    }),
  );
});

test("a tenant with many tasks gets no more turns than one with few", async () => {
  const { run } = createBudget({ name: "works", perTenant: 1, total: 1, waiting: 100 });
  const done: TenantId[] = [];
  const work = (tenantId: TenantId) => run(tenantId, async () => done.push(tenantId));
  await Promise.all([...Array.from({ length: 50 }, () => work(ONE)), work(OTHER)]);
  expect(done.indexOf(OTHER)).toBeLessThan(3);
});

test("of free places, five tenants that take all they can leave one of 40 for a sixth", () => {
  const tenants = fc.array(
    fc.integer({ min: 0, max: 4 }).map((number) => `tenant ${number}` as TenantId),
    // Enough to use all 40 places; fast-check's default length would not be.
    { minLength: 150, maxLength: 200, size: "max" },
  );
  fc.assert(
    fc.property(tenants, fc.integer({ min: 1, max: 20 }), (asking, perTenant) => {
      const budget = createBudget({ name: "posts", perTenant, total: 40, waiting: 0 });
      const releases = asking.map((tenant) => budget.enter(tenant)).filter((release) => release !== undefined);
      expect(releases.length).toBeLessThan(40);
      expect(budget.isFull(ONE)).toBe(false);
      expect(budget.enter(ONE)).toBeDefined();
      for (const release of releases) release();
      for (let taken = 0; taken < perTenant; taken++) expect(budget.enter(OTHER)).toBeDefined();
      expect(budget.isFull(OTHER)).toBe(true);
      expect(budget.enter(OTHER)).toBeUndefined();
    }),
  );
});
