// Policies name roles and other records. Missing ones are findings, and a renamed role keeps its policies.

import { describe, expect, test } from "bun:test";
import { SETTINGS } from "../../server/identity/settings.ts";
import { namesOfRecords, policyTypes } from "../../server/kinds.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { ok } from "../world/api.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

const permit = (what: string) => `permit (${what}, action, resource);`;

describe.concurrent("a policy that names a record that does not exist", () => {
  test("is saved with a finding, until there is such a record", async () => {
    const admin = await newTenant();
    const user = await ok(admin.patch("/User", { Username: "ana" }));
    const department = await ok(admin.patch("/Department", { Name: "Sales" }));
    const missing = [
      ["Role", "head", "Name", 'principal in Role::"head", action, resource);'],
      [
        "Role",
        "head",
        "Name",
        'principal, action, resource) when { principal in [Role::"editor", Role::"h\\u{65}ad"] };',
      ],
      ["Client", "999999", "Id", 'principal == Client::"999999", action, resource);'],
      ["User", "999999", "Id", 'principal == User::"999999", action, resource);'],
      ["User", "ana", "Id", 'principal == User::"ana", action, resource);'],
      ["Department", "999999", "Id", 'principal, action, resource == Department::"999999");'],
      [
        "Application",
        "0",
        "Id",
        'principal, action, resource is Application) unless { resource == Application::"0" };',
      ],
    ] as const;
    for (const [Type, Key, word, text] of missing) {
      const saved = await savePolicy(admin, "Named", `permit (${text}`);
      const Message = `There is no ${Type} with the ${word} "${Key}".`;
      expect({ text, found: saved.Findings }).toEqual({ text, found: [{ Type, Key, Message }] });
      expect((await ok(admin.get(`/Policy/${saved.Id}`))).Findings).toEqual(saved.Findings);
      expect((await ok(admin.get("/Policy?Name=Named"))).Items[0].Findings).toEqual(saved.Findings);
    }
    const there = `permit (principal == Client::"${admin.clientId}", action, resource);
      permit (principal == User::"${user.Id}", action, resource == Department::"${department.Id}");
      permit (principal in Role::"editor", action, resource) when { context.hour > 24 };`;
    expect((await savePolicy(admin, "Named", there)).Findings).toEqual([]);
    await admin.call("DELETE", `/User/${user.Id}`);
    expect((await ok(admin.get("/Policy?Name=Named"))).Items[0].Findings).toMatchObject([
      { Type: "User", Key: String(user.Id) },
    ]);
    const { Id } = await savePolicy(admin, "Named", permit('principal in Role::"head"'));
    const role = await ok(admin.patch("/Role", { Name: "head" }));
    expect((await ok(admin.get(`/Policy/${Id}`))).Findings).toEqual([]);
    await admin.call("DELETE", `/Role/${role.Id}`);
    expect((await ok(admin.get(`/Policy/${Id}`))).Findings).toMatchObject([{ Type: "Role", Key: "head" }]);
  });

  test("tells it only to callers who may read every record of the type", async () => {
    const admin = await newTenant();
    const reader = await newMember(admin);
    const { Id } = await savePolicy(admin, "Named", permit('principal in Role::"head"'));
    const mine = `principal == Client::"${reader.clientId}", action == Action::"Settings:Read"`;
    await savePolicy(admin, "Reader", `permit (${mine}, resource is Policy);`);
    expect((await ok(reader.get(`/Policy/${Id}`))).Findings).toEqual([]);
    await savePolicy(admin, "Reader", `permit (${mine}, resource is Policy); permit (${mine}, resource is Role);`);
    expect((await ok(reader.get(`/Policy/${Id}`))).Findings).toHaveLength(1);
  });

  test("may name what can be no record's key", async () => {
    const admin = await newTenant();
    const { Id } = await ok(admin.patch("/Role", { Name: "clerk" }));
    const uuid = "00000000-0000-4000-8000-00000000000";
    const numbers = ["0", "-1", "1.5", "2147483648", "9007199254740993", "9223372036854775808", "9".repeat(400)];
    const keys = ["\\0", "\\0a", "a\\u{0}", `${uuid}\\0`, `${uuid}g`, "\\u{10ffff}", "", "x".repeat(2_000), ...numbers];
    const records = TYPES.map((type) => [type, (key: string) => `resource == ${key}`] as const);
    const places = [
      ["Role", (key: string) => `principal in ${key}`],
      ["Role", (key: string) => `resource in ${key}`],
      ["Client", (key: string) => `principal == ${key}`],
      ["User", (key: string) => `principal == ${key}`],
      ...records,
    ] as const;
    for (const [type, is] of places) {
      const condition = keys.map((key) => is(`${type}::"${key}"`)).join(" || ");
      const what = is("x").startsWith("resource ==")
        ? `principal, action, resource is ${type}`
        : "principal, action, resource";
      const { Findings } = await savePolicy(admin, "Named", `permit (${what}) when { ${condition} };`);
      const found = Findings.map(({ Key }: { Key: string }) => Key);
      if (FOUND.has(type)) expect({ type, found }).toEqual({ type, found: keys.map(unescaped) });
      // Decisions look for the members of the named roles.
      await ok(admin.get("/Role?Name=clerk"));
    }
    const question = {
      Policy: 'forbid (principal, action, resource) when { resource in Role::"\\0" };',
      Principal: { Type: "Client", Id: admin.clientId },
      Action: "Settings:Read",
      Resource: { Type: "Role", Id },
    };
    await ok(admin.call("POST", "/Policy/Evaluate", question));
    const tooLong = permit(`principal in Role::"${"x".repeat(10_000)}"`);
    for (const text of [permit('principal in Role::"\\u{d800}"'), permit('principal in Role::"\ud800"'), tooLong]) {
      expect((await admin.patch("/Policy", { Name: "Named", Policy: text })).status).toBe(400);
    }
    const [nul] = (await savePolicy(admin, "Named", permit('principal in Role::"\\0a"'))).Findings;
    expect(nul).toEqual({ Type: "Role", Key: "\0a", Message: 'There is no Role with the Name "?a".' });
  });

  test("has at most 20 findings, and one that counts the others", async () => {
    const admin = await newTenant();
    const naming = (count: number) =>
      permit(`principal in Role::"r"`).replace(
        ";",
        ` when { principal in [${Array.from({ length: count - 1 }, (_, index) => `Role::"r${index}"`)}] };`,
      );
    const all = (await savePolicy(admin, "Named", naming(21))).Findings;
    expect(all.map(({ Key }: { Key: string }) => Key)).toHaveLength(21);
    expect(all.at(-1).Key).toStartWith("r");
    const { Id, Findings } = await savePolicy(admin, "Named", naming(100));
    expect(Findings).toHaveLength(21);
    expect(Findings.at(-1)).toEqual({ Type: "", Key: "", Message: "… and 80 more." });
    expect((await ok(admin.get(`/Policy/${Id}`))).Findings).toEqual(Findings);
    expect((await ok(admin.get("/Policy?Name=Named"))).Items[0].Findings).toEqual(Findings);
  });

  test("may name no action that does not exist", async () => {
    const admin = await newTenant();
    const text =
      'permit (principal, action == Action::"AccessManager:Read", resource) when { action == Action::"Nothing" };';
    expect((await admin.patch("/Policy", { Name: "Named", Policy: text })).status).toBe(400);
  });
});

describe.concurrent("a role that is renamed", () => {
  test("keeps its policies: their texts change with it, with versions and audit entries", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const members = [{ Type: "Application", Id: person.clientId }];
    const { Id: roleId } = await ok(admin.patch("/Role", { Name: "clerk", Members: members }));
    const text = (name: string) => `// Role::"clerk" reads.
permit (principal in Role :: ${name}, action == Action::"AccessManager:Read", resource)
when { principal in [Role::"editor", Role::${name}] && "Role::\\"clerk\\"" != "clerk" };`;
    const { Id } = await savePolicy(admin, "Clerks", text('"cl\\u{65}rk"'));
    const other = await savePolicy(admin, "Others", permit('principal in Role::"clerks"'));
    expect((await person.get("/User")).body.Items.length).toBeGreaterThanOrEqual(0);
    const name = 'head "of" \\ Zoë';
    await ok(admin.patch("/Role", { Id: roleId, Name: name }));
    const now = await ok(admin.get(`/Policy/${Id}`));
    expect(now).toMatchObject({ Policy: text('"head \\"of\\" \\\\ Zoë"'), Findings: [] });
    expect((await ok(admin.get(`/Policy/${Id}/Versions`))).Items).toHaveLength(2);
    expect(await ok(admin.get(`/Policy/${other.Id}`))).toEqual(other);
    // It applies at once, as before.
    expect((await person.get("/User/1")).status).not.toBe(403);
    const changed = await ok(admin.get(`/AuditEvent?Kind=Policy.Changed&SubjectType=Policy&SubjectId=${Id}`));
    expect(changed.Items).toHaveLength(1);
  });

  test("is found however Cedar lets its name be written, and between all that Cedar takes for space", async () => {
    const admin = await newTenant();
    const written: [string, string[]][] = [
      ["clerk", ["clerk", "\\x63lerk", "\\u{63}lerk", "c\\x6cer\\u{6b}", "\\u{00_00_63}lerk", "\\u{6_3_}lerk"]],
      [`it's "it" \\`, [`it's \\"it\\" \\\\`, `it\\'s \\x22it\\u{22} \\x5C`, `\\u{69}t\\'s \\"it\\" \\u{5c}`]],
      ["Zoë 😀", ["Zoë 😀", "Zo\\u{eb} \\u{1F600}", "Zo\\u{EB}\\x20😀"]],
    ];
    for (const [name, literals] of written) {
      const { Id } = await ok(admin.patch("/Role", { Name: name }));
      const text = (list: string[]) =>
        permit("principal").replace(";", ` when { principal in [${list.map((one) => `Role::"${one}"`)}] };`);
      await savePolicy(admin, "Named", text([...literals, "clerkx"]));
      await ok(admin.patch("/Role", { Id, Name: "head" }));
      const [policy] = (await ok(admin.get("/Policy?Name=Named"))).Items;
      expect(policy.Policy).toBe(text([...literals.map(() => "head"), "clerkx"]));
      await ok(admin.call("DELETE", `/Role/${Id}`));
    }
    const spaces = ["\t", "\n", "\v", "\f", "\r", "\x85", "\xa0", "\u2028", "\u2029", "\u3000"];
    for (const space of spaces) {
      const { Id } = await ok(admin.patch("/Role", { Name: "clerk" }));
      const text = (name: string) =>
        `// Note${space}// Role::"clerk"\rpermit (principal in Role${space}::// Role::"clerk"\r${space}"${name}", action, resource);`;
      await savePolicy(admin, "Named", text("clerk"));
      await ok(admin.patch("/Role", { Id, Name: "head" }));
      const [policy] = (await ok(admin.get("/Policy?Name=Named"))).Items;
      expect({ space, text: policy.Policy }).toEqual({ space, text: text("head") });
      await ok(admin.call("DELETE", `/Role/${Id}`));
    }
  });

  test("is refused with all changes if the caller may not change a policy, or one would be too long", async () => {
    const admin = await newTenant();
    const { Id } = await ok(admin.patch("/Role", { Name: "clerk" }));
    const long = `permit (principal in Role::"clerk", action, resource); // ${"x".repeat(3_900)}`;
    await savePolicy(admin, "Long", long);
    expect((await admin.patch("/Role", { Id, Name: "c".repeat(200) })).status).toBe(409);
    await savePolicy(
      admin,
      "Fixed",
      `forbid (principal, action == Action::"Settings:Update", resource is Policy) when { resource.Name == "Long" };`,
    );
    for (const name of ["head", "c".repeat(200)]) {
      expect((await admin.patch("/Role", { Id, Name: name })).status).toBe(403);
    }
    expect((await ok(admin.get(`/Role/${Id}`))).Name).toBe("clerk");
    expect((await ok(admin.get("/Policy?Name=Long"))).Items[0].Policy).toBe(long);
  });

  test("does not lock out its administrator", async () => {
    const admin = await newTenant();
    const { Items } = await ok(admin.get("/Role?Name=admin"));
    await ok(admin.patch("/Role", { Id: Items[0].Id, Name: "owners" }));
    expect((await ok(admin.get("/Policy?Name=Administrators"))).Items[0].Policy).toContain('Role::"owners"');
    expect((await ok(admin.get("/Role?Name=owners"))).Items).toHaveLength(1);
  });
});

const TYPES = policyTypes(ENTITIES, SETTINGS).map(({ name }) => name);
/** Types with records that can be found. */
const FOUND = new Set(["Client", ...namesOfRecords(ENTITIES, SETTINGS)]);

const unescaped = (literal: string) =>
  literal.replaceAll("\\0", "\0").replaceAll("\\u{0}", "\0").replaceAll("\\u{10ffff}", "\u{10ffff}");
