// Policies by REST: list, read, save, delete, and invalid texts.

import { describe, expect, test } from "bun:test";
import { blockMarked } from "../support/pages.ts";
import { expectError, ok, unique } from "../world/api.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

const NOTHING = "permit (principal, action, resource is Application) when { false && context.hour == 0 };";
/** For rejected policies, and for policies that permit nothing new to the admin. */
const bystander = newTenant();
const NEVER = 'permit (principal == Client::"0", action, resource);';

describe.concurrent("the lifecycle of a policy", () => {
  test("is saved by Name, changed by Id, listed, read and deleted, with the actor", async () => {
    const admin = await newTenant();
    const saved = await ok(admin.patch("/Policy", { Name: "Mine", Description: "For the test.", Policy: NEVER }));
    expect(saved).toEqual({
      Id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Name: "Mine",
      Description: "For the test.",
      Policy: NEVER,
      Findings: [{ Type: "Client", Key: "0", Message: 'There is no Client with the Id "0".' }],
      ModifiedOn: expect.stringMatching(/Z$/),
      ModifiedBy: { Id: Number(admin.clientId), ExternalId: "", Name: "demo-client", Type: "Application" },
      CreatedBy: { Id: Number(admin.clientId), ExternalId: "", Name: "demo-client", Type: "Application" },
      CreatedOn: expect.stringMatching(/Z$/),
    });
    expect(await ok(admin.patch("/Policy", saved))).toEqual(saved);
    expect((await ok(admin.patch("/Policy", { Name: "Mine", Description: null }))).Id).toBe(saved.Id);
    const renamed = await ok(admin.patch("/Policy", { Id: saved.Id, Name: "Renamed" }));
    expect(await ok(admin.get(`/Policy/${saved.Id}`))).toEqual(renamed);
    const first = await ok(admin.get("/Policy?Limit=2"));
    const second = await ok(admin.get(`/Policy?Limit=200&Cursor=${first.Next}`));
    const names = [...first.Items, ...second.Items].map((item: { Name: string }) => item.Name);
    expect(names.sort()).toEqual([
      "Administrators",
      "Auditors",
      "Editors",
      "Operators",
      "Payloads",
      "Renamed",
      "System applications",
    ]);
    expect(await ok(admin.send("DELETE", `/Policy/${saved.Id}`))).toEqual(renamed);
    expect((await admin.get(`/Policy/${saved.Id}`)).status).toBe(404);
  });

  test("a Name of another is a Conflict, an unknown Id Not Found, an invalid body Bad Input", async () => {
    const admin = await newTenant();
    const { Id, ModifiedOn } = await savePolicy(admin, "Mine", NEVER);
    const taken = await admin.patch("/Policy", { Id, Name: "Editors" });
    expectError(taken, 409, "Conflict", /^Name is already used by another Policy\.$/);
    const unknown = { Id: "00000000-0000-0000-0000-000000000000", Name: "Other" };
    expectError(await admin.patch("/Policy", unknown), 404, "Not Found");
    const bad: [unknown, RegExp][] = [
      [[], /^The body must be one Policy object\.$/],
      [{ Name: "New" }, /^Policy is missing\.$/],
      [{ Policy: NEVER }, /^Name is missing\.$/],
      [
        { Name: "", Policy: 7, Colour: "red", Id: "x" },
        /^Name must.*\nPolicy must.*\nColour is not a field.*\nId must/s,
      ],
      [{ Name: "a\0b", Policy: NEVER }, /^Name contains a character that is not text/],
      [{ Name: "\0", Policy: NEVER }, /^Name contains a character that is not text/],
      [{ Name: "Mine", Policy: "" }, /^Policy: The policy has no statement/],
      [{ Name: "Mine", Policy: "// only a comment" }, /^Policy: The policy has no statement/],
      [{ Id, ModifiedOn: "2020-01-01T00:00:00Z" }, /^ModifiedOn is set by the server/],
    ];
    for (const [body, says] of bad) expectError(await admin.patch("/Policy", body), 400, "Bad Input", says);
    expect((await ok(admin.get(`/Policy/${Id}`))).ModifiedOn).toBe(ModifiedOn);
  });

  test("reading and saving need Settings:Read and Settings:Update, as scopes and by a policy", async () => {
    const admin = await newTenant();
    const reader = await admin.withScope("Settings:Read");
    await ok(reader.get("/Policy"));
    const refused = await reader.patch("/Policy", { Name: "Mine", Policy: NEVER });
    expectError(refused, 403, "Permission", /^The access token lacks the scope Settings:Update\.$/);
    const auditor = await newMember(admin, "auditor");
    const { Items } = await ok(auditor.get("/Policy"));
    for (const answer of [
      await auditor.patch("/Policy", { Id: Items[0].Id, Description: "mine" }),
      await auditor.remove(`/Policy/${Items[0].Id}`),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body.Errors).toEqual(["No policy permits Settings:Update on this Policy."]);
    }
  });

  test("a tenant has a maximum number and length of policies", async () => {
    const admin = await newTenant();
    const long = `${NEVER} // ${"x".repeat(3_900)}`;
    let answer = await admin.patch("/Policy", { Name: "0", Policy: long });
    for (let count = 1; answer.status === 200; count++) {
      answer = await admin.patch("/Policy", { Name: String(count), Policy: long });
    }
    expectError(answer, 409, "Conflict", /^A tenant can have 100 policies with 40000 characters together/);
    expect((await ok(admin.get("/Policy"))).Items.length).toBeLessThan(20);
  });

  test("a decision by all of a tenant's policies has a maximum of steps, whatever they contain", async () => {
    const admin = await newTenant();
    const when = (condition: string) =>
      `permit (principal == Client::"0", action, resource is Application) when { ${condition} };`;
    const pattern = (length: number) => when(`resource.Description like "Sales *${"x".repeat(length)}"`);
    await savePolicy(admin, "half", pattern(300));
    expectError(
      await admin.patch("/Policy", { Name: "other half", Policy: pattern(400) }),
      409,
      "Conflict",
      /^A decision by all policies, with this one, could take 1\d{4} steps; a tenant's limit is 10000\.$/,
    );
    await savePolicy(admin, "half", NEVER);
    await savePolicy(admin, "other half", pattern(400));
    const costly: Record<string, string> = {
      pattern: pattern(700),
      "records in sets": when(`[${Array(95).fill("resource.after").join(", ")}].isEmpty()`).repeat(2),
      "texts in sets": when(`[${Array(80).fill("resource.Description").join(", ")}].contains("")`).repeat(2),
      "records in records": when(`[${Array(90).fill("{ a: context, b: resource.after }")}].isEmpty()`),
    };
    for (const [Name, Policy] of Object.entries(costly)) {
      const says = /^Policy: A decision by it could take \d+ steps; a tenant's limit is 10000\.$/;
      expectError(await admin.patch("/Policy", { Name, Policy }), 400, "Bad Input", says);
    }
  });
});

test.concurrent.each(["Policy", "Role"])("a list of %s is filtered by Name and Search only", async (type) => {
  const admin = await newTenant();
  const all = await ok(admin.get(`/${type}`));
  const one = all.Items[1];
  expect(await ok(admin.get(`/${type}?Name=${encodeURIComponent(one.Name)}`))).toEqual({
    Items: [one],
    Next: null,
    Hidden: 0,
  });
  const bad: [string, RegExp][] = [
    ["Color=red", /^Color is not a filter\. Filters are Limit, Cursor, Name, Search, Sort\.$/],
    ["Name=a&Name=b", /^Name is repeated in the query\.$/],
    ["Cursor=&Cursor=", /^Cursor is repeated in the query\.$/],
    ["Name=%00", /NUL/],
    ["Name=", /^Name must not be empty\.$/],
  ];
  for (const [query, says] of bad) {
    expectError(await admin.get(`/${type}?${query}`), 400, "Bad Input", says);
  }
});

test.concurrent("each example of docs/access.md is a policy", async () => {
  for (const mark of ["run: policy", "run: editors"]) {
    const Policy = blockMarked(mark).text;
    expect((await ok((await newTenant()).patch("/Policy", { Name: "Sales", Policy }))).Policy).toBe(Policy);
  }
});

describe.concurrent("an invalid policy is Bad Input", () => {
  const cases: [string, string, RegExp][] = [
    [
      "an attribute that the record does not have",
      'permit (\n  principal, // é 日本\n  action,\n  resource is Application\n)\nwhen { resource.Naem == "x" };',
      /^Policy, line 6, column 8: attribute `Naem` on entity type `Application` not found \(did you mean `Name`\?\)$/,
    ],
    [
      "an attribute of some types only, where the policy is on all",
      "permit (principal, action, resource) when { resource.Is_System };",
      /^Policy, line 1, column 45: attribute `Is_System` on entity type `\w+` not found/,
    ],
    [
      "a foreign key that may be empty, not asked for",
      'permit (principal, action, resource is User) when { resource.Department.Name == "Sales" };',
      /optional attribute `Department`.*e has Department/,
    ],
    [
      "an action there is not",
      'permit (principal, action == Action::"AccessManager:Raed", resource);',
      /^Policy, line 1, column 30: unrecognized action .*did you mean `Action::"AccessManager:Read"`/,
    ],
    [
      "a type there is not",
      "permit (principal, action, resource is Aplication);",
      /^Policy, line 1, column 40: unrecognized entity type `Aplication` \(did you mean `Application`\?\)$/,
    ],
    [
      "a comparison of a text with a number",
      "permit (principal, action, resource is User) when { resource.Name == 1 };",
      /^Policy, line 1, column 53: the types .* are not compatible/,
    ],
    [
      "an action that is never done to such a record",
      'forbid (principal, action == Action::"Webhooks:Read", resource is Application);',
      /^Policy, line 1, column 1: unable to find an applicable action/,
    ],
    [
      "half a sentence",
      "permit (principal, action, resource)\nwhen { resource.Name like };",
      /^Policy, line 2, column 27: unexpected token `}`/,
    ],
    ["a template", "permit (principal == ?principal, action, resource);", /^Policy: Name the principal/],
    ["prose", "Everybody may read.", /^Policy, line 1, column 11: unexpected token/],
  ];
  test.each(cases)("%s", async (_, Policy, says) => {
    const admin = await bystander;
    const answer = await admin.patch("/Policy", { Name: unique("wrong"), Policy });
    expectError(answer, 400, "Bad Input", says);
  });

  test("all errors are reported at once", async () => {
    const admin = await bystander;
    const Policy = "permit (principal, action, resource is User)\nwhen { resource.A == 1 }\nunless { resource.B };";
    const answer = await admin.patch("/Policy", { Name: "wrong", Policy });
    expectError(
      answer,
      400,
      "Bad Input",
      /line 2, column 8: attribute `A`.*\nPolicy, line 3, column 10: attribute `B`/s,
    );
  });
});

describe.concurrent("hostile text is Bad Input, and others are still served", () => {
  const when = (condition: string) => `permit (principal, action, resource is Application) when { ${condition} };`;
  const hostile: Record<string, string> = {
    "1 MiB": `// ${"x".repeat(1024 * 1024 - 200)}`,
    "1,000 parentheses": when(`${"(".repeat(1_000)}true${")".repeat(1_000)}`),
    "1,000 open brackets": when("[".repeat(1_000)),
    "records in records": when(`${"{a:".repeat(500)}1${"}".repeat(500)} == {a: 1}`),
    "1,000 additions": when(`1${"+1".repeat(1_000)} == 2`),
    "1,000 attributes in a row": when(`resource${".after".repeat(500)}.Is_System`),
    "100 times if": when(`${"if true then ".repeat(101)}true${" else true".repeat(101)}`),
    "many statements": NEVER.repeat(60),
    "an open string": 'permit (principal, action, resource) when { "((((((',
    "unpaired surrogate": "// \ud800",
    "a NUL": "// \0",
  };
  test.each(Object.keys(hostile))("%s", async (name) => {
    const admin = await bystander;
    expectError(await admin.patch("/Policy", { Name: "hostile", Policy: hostile[name] }), 400, "Bad Input", /./);
    await ok(admin.get(`/Application/${admin.clientId}`));
  });

  const brackets = 29;
  const limits: Record<string, string> = {
    parentheses: when(`${"(".repeat(brackets)}resource.Is_System${" || resource.Is_System)".repeat(brackets)}`),
    additions: when(`resource.Id${" + 1".repeat(95)} > 0`),
    ors: when(`resource.Is_System${" || resource.Is_System".repeat(48)}`),
    ifs: when(`${"if resource.Is_System then true else ".repeat(48)}true`),
    "additions in parentheses": when(
      `${"(".repeat(brackets)}resource.Id${" + 1".repeat(95)}${")".repeat(brackets)} > 0`,
    ),
    "nested ifs": when(`${"if (".repeat(brackets)}resource.Is_System${") then true else false".repeat(brackets)}`),
    negations: when(`${"!(".repeat(brackets)}resource.Is_System${")".repeat(brackets)}`),
    clauses: `permit (principal, action, resource)${" when { context.hour >= 0 }".repeat(30)};`,
  };
  test.each(Object.keys(limits))("but %s up to the limits are saved and evaluated", async (name) => {
    const admin = await bystander;
    await savePolicy(admin, name, limits[name]!);
    await ok(admin.get(`/Application/${admin.clientId}`));
  });
});

test.concurrent("a policy that can never apply is rejected", async () => {
  const admin = await bystander;
  const answer = await admin.patch("/Policy", { Name: "never", Policy: NOTHING });
  expectError(answer, 400, "Bad Input", /impossible/);
});
