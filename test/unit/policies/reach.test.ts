// Deciding once for all records of a type equals deciding for each.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { createEngine } from "../../../server/access/decisions/engine.ts";

const principals = fc.constantFrom(
  ...["principal", 'principal == Client::"1"', 'principal == Client::"2"', 'principal in Role::"held"'],
  ...['principal in Role::"other"', "principal is User", "principal is Client", 'principal in Client::"1"'],
  ...['principal is Client in Role::"held"', 'principal is User in Role::"held"', 'principal == User::"1"'],
);
const actions = fc.constantFrom(
  "action",
  'action == Action::"Read"',
  'action in [Action::"Read"]',
  'action == Action::"Else"',
);
const resources = fc.constantFrom(
  ...["resource", "resource is Event", "resource is Other", 'resource == Event::"1"', 'resource in Role::"held"'],
);
const conditions = fc.constantFrom(
  ...["", "when { true }", "when { false }", 'when { resource.Name == "a" }', "unless { resource has Name }"],
  ...['when { resource != Event::"2" }', 'when { context.ip == "x" }'],
);
const statements = fc
  .tuple(fc.constantFrom("permit", "forbid"), principals, actions, resources, conditions)
  .map(([effect, principal, action, resource, when]) => `${effect} (${principal}, ${action}, ${resource}) ${when};`);
const plain = fc.constant('permit (principal in Role::"held", action, resource);');

test("a decision that reads no record is the same for each record", async () => {
  const engine = createEngine();
  const caller = { type: "Client", id: "1", roles: ["held"] };
  const seen = { once: 0, each: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(statements, plain), { maxLength: 3 }), async (texts) => {
      const policies = texts.map((policy, index) => ({ name: String(index), policy }));
      const set = await engine.compile(policies);
      const decide = (id: string, attrs: { Name?: string }) =>
        engine.decide(set, {
          principal: { type: "Client", id: "1" },
          action: { type: "Action", id: "Read" },
          resource: { type: "Event", id },
          context: {},
          entities: [
            { uid: { type: "Client", id: "1" }, attrs: {}, parents: [{ type: "Role", id: "held" }] },
            { uid: { type: "Event", id }, attrs, parents: id === "1" ? [{ type: "Role", id: "held" }] : [] },
          ],
        }).allowed;
      const each = [decide("1", { Name: "a" }), decide("2", { Name: "b" }), decide("3", {}), decide("", {})];
      const looks = set.looksAtRecords(caller, "Read", "Event");
      seen[looks ? "each" : "once"]++;
      if (!looks) expect(new Set(each).size).toBe(1);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(seen.once, seen.each)).toBeGreaterThan(5);
}, 60_000);
