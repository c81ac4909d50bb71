import { expect, test } from "bun:test";
import { createEngine, type PolicySet } from "../../../server/records/access/decisions/policy-engine.ts";

/** More than the number of cached ones. */
const TENANTS = 1_100;

test("with any number of tenants, each is decided by its own current policies", async () => {
  const engine = createEngine(new Map());
  const compile = (tenant: number, effect: string) =>
    engine.compile([{ name: `of ${tenant}`, policy: `${effect} (principal, action, resource);` }]);
  const sets: { set: PolicySet; allowed: boolean }[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant++) {
    const effects = tenant % 100 === 0 ? ["permit", "forbid"] : [tenant % 2 === 0 ? "permit" : "forbid"];
    for (const effect of effects) sets.push({ set: await compile(tenant, effect), allowed: effect === "permit" });
  }
  for (const round of [1, 2]) {
    // In the reverse order, cached ones come first; in the same order, each would be evicted before its turn.
    sets.reverse();
    const decided = sets.map(({ set }) => {
      const question = {
        principal: { type: "User", id: "1" },
        action: { type: "Action", id: "Read" },
        resource: { type: "User", id: "2" },
        // A repeated question would be answered from the cache.
        context: { round },
        entities: [],
      };
      return engine.decide(set, question).allowed;
    });
    expect(decided).toEqual(sets.map(({ allowed }) => allowed));
  }
}, 300_000);

test("equal policies are parsed once across tenants", async () => {
  const engine = createEngine(new Map());
  const own = [{ name: "all", policy: "permit (principal, action, resource);" }];
  const set = await engine.compile(own);
  expect(await engine.compile(structuredClone(own))).toBe(set);
  expect(await engine.compile([{ ...own[0]!, name: "every" }])).not.toBe(set);
});

test("tried texts do not evict saved ones", async () => {
  const engine = createEngine(new Map());
  const saved = [{ name: "all", policy: "permit (principal, action, resource);" }];
  const set = await engine.compile(saved);
  for (let tries = 0; tries < TENANTS; tries++) {
    const tried = await engine.compile(
      [{ name: `try ${tries}`, policy: "forbid (principal, action, resource);" }],
      true,
    );
    expect(tried).not.toBe(set);
  }
  expect(await engine.compile(saved)).toBe(set);
  expect(await engine.compile(saved, true)).not.toBe(set);
}, 300_000);
