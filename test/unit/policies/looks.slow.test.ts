// Deciding once for all records of a type equals deciding for each.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { createEngine } from "../../../server/records/access/decisions/policy-engine.ts";
import type { Attribute, ResourceType } from "../../../server/records/access/decisions/resource-type.ts";

// An Application can be a member of a role, as the schema says.
const typeOf = (name: string, ...attributes: Attribute[]): ResourceType => ({
  name,
  families: ["AccessManager"],
  attributes,
});
const text = (name: string): Attribute => ({ name, type: "text" });
const OTHER = typeOf("Other", text("Name"), text("Inner"), text("Title"));
const APPLICATION = typeOf("Application", text("Name"), { name: "Inner", type: "record", of: OTHER });
const ROLE = { ...typeOf("Role"), members: { of: ["User", "Application"], through: "role_members" } };
const TYPES = new Map([APPLICATION, OTHER, ROLE].map((type) => [type.name, type]));

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
  ...[
    "resource",
    "resource is Application",
    "resource is Other",
    'resource == Application::"1"',
    'resource in Role::"held"',
  ],
);
const terms = fc.constantFrom(
  ...[
    "true",
    "false",
    'resource.Name == "a"',
    "resource has Name",
    "resource has Title",
    'resource != Application::"2"',
  ],
  ...[
    'context.ip == "x"',
    "resource is Application",
    "resource is Other",
    'resource == Other::"1"',
    "principal is User",
  ],
  ...['action == Action::"Read"', 'action in [Action::"Else"]', 'resource has Inner && resource.Inner.Title == "t"'],
  ...["resource has Inner.Title", "resource has Inner.Nothing", "resource has after", "resource.after has Title"],
  ...['(resource has Inner && ({ a: resource.Inner } == { a: { Title: "t" } }))', 'resource in Role::"held"'],
  ...['[Application::"1", Application::"3"].contains(resource)', 'resource has Name && resource.Name like "a*"'],
  ...['(if resource is Other then resource.Title == "t" else true)', "resource is Other && resource has Inner"],
);
const conditions = fc
  .array(
    fc.tuple(
      fc.constantFrom("when", "unless"),
      fc.array(fc.tuple(fc.constantFrom("", "!"), terms), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(" && ", " || "),
    ),
    { maxLength: 2 },
  )
  .map((all) =>
    all.map(([word, some, how]) => `${word} { ${some.map(([not, one]) => `${not}(${one})`).join(how)} }`).join(" "),
  );
const statements = fc
  .tuple(fc.constantFrom("permit", "forbid"), principals, actions, resources, conditions)
  .map(([effect, principal, action, resource, when]) => `${effect} (${principal}, ${action}, ${resource}) ${when};`);
const plain = fc.constant('permit (principal in Role::"held", action, resource);');

const CALLER = { type: "Client", id: "1", groups: [{ type: "Role", id: "held" }] };
const inner = { Name: "", Inner: "", Title: "t" };

test("a decision that reads no record is the same for each record, with and without the records in it", async () => {
  const engine = createEngine(TYPES);
  const seen = { once: 0, each: 0, into: 0, past: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(statements, plain), { maxLength: 3 }), async (texts) => {
      const policies = texts.map((policy, index) => ({ name: String(index), policy }));
      const set = await engine.compile(policies);
      const decide = (id: string, attrs: { Name?: string; Inner?: typeof inner }) =>
        engine.decide(set, {
          principal: { type: "Client", id: "1" },
          action: { type: "Action", id: "Read" },
          resource: { type: "Application", id },
          context: {},
          entities: [
            { uid: { type: "Client", id: "1" }, attrs: {}, parents: [{ type: "Role", id: "held" }] },
            {
              uid: { type: "Application", id },
              attrs: { ...attrs, after: attrs },
              parents: id === "1" ? [{ type: "Role", id: "held" }] : [],
            },
          ],
        }).allowed;
      const records: [string, { Name?: string }][] = [
        ["1", { Name: "a" }],
        ["2", { Name: "b" }],
        ["3", {}],
        ["", {}],
      ];
      const each = records.map(([id, attrs]) => [decide(id, attrs), decide(id, { ...attrs, Inner: inner })]);
      const looks = set.looksOf(CALLER, "Read", "Application");
      seen[looks.length > 0 ? "each" : "once"]++;
      if (looks.length === 0) expect(new Set(each.flat()).size).toBe(1);
      const isInto = looks.some(({ into }) => into.size > 0);
      seen[isInto ? "into" : "past"]++;
      if (!isInto) for (const [without, within] of each) expect(within).toBe(without!);
    }),
    { numRuns: 1_000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
}, 300_000);

test("a policy looks only at the types and callers of its conditions", async () => {
  const engine = createEngine(TYPES);
  const looked = async (policy: string) => {
    const { looksOf } = await engine.compile([{ name: "one", policy }]);
    const [own, others] = ["Application", "Other"].map((type) => looksOf(CALLER, "Read", type));
    return [own!.length > 0, own!.flatMap(({ into }) => [...into]), others!.length > 0];
  };
  const cases: [string, boolean, string[], boolean][] = [
    // The same attribute name on two types.
    [
      'permit (principal, action, resource is Other) when { resource has Inner && resource.Inner == "x" };',
      false,
      [],
      true,
    ],
    ['permit (principal, action, resource) when { resource is Other && resource.Inner == "x" };', false, [], true],
    ["permit (principal, action, resource) when { resource has Title };", false, [], true],
    ["permit (principal, action, resource is Application) when { resource has Inner.Title };", true, ["Inner"], false],
    ['forbid (principal, action, resource) when { action == Action::"Else" && resource has Inner };', false, [], false],
    ["forbid (principal is User, action, resource) when { resource has Inner };", false, [], false],
    ['forbid (principal in Role::"other", action, resource) when { resource has Inner };', false, [], false],
    ["permit (principal, action, resource) when { principal is User && resource has Inner };", false, [], false],
    // A permit without conditions decides, whatever other permits look at.
    [
      "permit (principal, action, resource); permit (principal, action, resource) when { resource has Inner };",
      false,
      [],
      false,
    ],
    [
      "permit (principal, action, resource); forbid (principal, action, resource is Application) when { resource has Inner };",
      true,
      ["Inner"],
      false,
    ],
  ];
  for (const [policy, atApplications, into, atOthers] of cases) {
    expect({ policy, looks: await looked(policy) }).toEqual({ policy, looks: [atApplications, into, atOthers] });
  }
});
