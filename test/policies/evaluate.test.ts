// Trying policies: the predicted decision equals the decision of the actual call.

import { describe, expect, test } from "bun:test";
import { type Answer, type Api, expectError, ok, unique } from "../world/api.ts";
import { addMember, newMember, newTenant, roleOf, savePolicy } from "../world/tenant.ts";

function post(asker: Api, question: unknown) {
  const headers = { "content-type": "application/json" };
  return asker.send("POST", "/Policy/Evaluate", { headers, body: JSON.stringify(question) });
}

const evaluate = (asker: Api, question: unknown) => ok(post(asker, question));

const allowed = (...by: string[]) => ({ Decision: "Allow", DecidedBy: by, Problems: [] });
const denied = (...by: string[]) => ({ Decision: "Deny", DecidedBy: by, Problems: [] });
const client = ({ clientId }: { clientId: string }) => ({ Type: "Client", Id: clientId });

/** A caller with its own policy and no other permission. */
describe.concurrent("a simulated call", () => {
  test("is allowed or denied, with the names of the deciding policies", async () => {
    const admin = await newTenant();
    const [editor, nobody] = [await newMember(admin, "editor"), await newMember(admin)];
    const Resource = { Type: "Application", Id: admin.clientId };
    const ask = (who: Api, Action: string, more: object = {}) =>
      evaluate(admin, { Principal: client(who), Action, Resource: { ...Resource, ...more } });
    expect(await ask(admin, "AccessManager:Delete")).toEqual(allowed("Administrators"));
    expect(await ask(editor, "AccessManager:Read")).toEqual(allowed("Editors"));
    expect(await ask(editor, "AccessManager:Delete")).toEqual(denied());
    expect(await ask(nobody, "AccessManager:Read")).toEqual(denied());
    expect(await ask(editor, "AccessManager:Update", { Fields: { Description: "mine" } })).toEqual(allowed("Editors"));
    expect(await ask(editor, "AccessManager:Update", { Fields: { Is_System: true } })).toEqual(
      denied("System applications"),
    );
    const New = { Type: "Application", Fields: { Name: "new", Is_System: true } };
    const Action = "AccessManager:Create";
    expect(await evaluate(admin, { Principal: client(editor), Action, Resource: New })).toEqual(
      denied("System applications"),
    );
  });

  test("is checked with an unsaved text: a new one, or in place of a policy by Name or Id", async () => {
    const admin = await newTenant();
    const nobody = await newMember(admin);
    const question = {
      Principal: client(nobody),
      Action: "AccessManager:Read",
      Resource: { Type: "Application", Id: admin.clientId },
    };
    const Policy = `permit (principal == Client::"${nobody.clientId}", action, resource);`;
    expect(await evaluate(admin, { ...question, Policy })).toEqual(allowed("(this text)"));
    expect(await evaluate(admin, { ...question, Policy, Name: "Mine" })).toEqual(allowed("Mine"));
    expect(await evaluate(admin, question)).toEqual(denied());
    const saved = await savePolicy(admin, "Mine", Policy);
    expect(await evaluate(admin, question)).toEqual(allowed("Mine"));
    const never = 'permit (principal == Client::"0", action, resource);';
    expect(await evaluate(admin, { ...question, Name: "Mine", Policy: never })).toEqual(denied());
    expect(await evaluate(admin, { ...question, Id: saved.Id, Name: "Renamed", Policy: never })).toEqual(denied());
    expect(await evaluate(admin, { ...question, Name: "Another", Policy: never })).toEqual(allowed("Mine"));
    const gone = await post(admin, { ...question, Id: crypto.randomUUID(), Policy });
    expectError(gone, 404, "Not Found", /^There is no Policy with the Id/);
  });

  test("has an address, a time and scopes", async () => {
    const admin = await newTenant();
    const auditor = await newMember(admin, "auditor");
    const ask = (Context: object, more: object = {}) =>
      evaluate(admin, {
        Principal: client(auditor),
        Action: "AccessManager:Read",
        Resource: { Type: "User", Fields: { Name: "somebody" } },
        Context,
        ...more,
      });
    expect(await ask({})).toEqual(allowed("Auditors"));
    expect(await ask({ Address: "10.1.2.3" })).toEqual(allowed("Auditors"));
    expect(await ask({ Address: "::ffff:10.1.2.3" })).toEqual(allowed("Auditors"));
    expect(await ask({ Address: "203.0.113.7" })).toEqual(denied());
    expect(await ask({ Address: null })).toEqual({
      ...denied(),
      Problems: [{ Policy: "Auditors", Message: expect.stringContaining("could not be evaluated") }],
    });
    expect(await ask({ Scopes: ["Settings:Read"] })).toEqual({
      ...denied(),
      Problems: [{ Policy: null, Message: "The access token would lack the scope AccessManager:Read." }],
    });
    const night = { Name: "Night", Policy: "forbid (principal, action, resource) when { context.hour < 6 };" };
    expect(await ask({ Time: "2026-01-31T05:59:00Z" }, night)).toEqual(denied("Night"));
    expect(await ask({ Time: "2026-01-31T06:00:00Z" }, night)).toEqual(allowed("Auditors"));
    const payload = { Name: "In payloads", Policy: "forbid (principal, action, resource) when { context.payload };" };
    expect(await ask({ Payload: true }, payload)).toEqual(denied("In payloads"));
    expect(await ask({ Payload: false }, payload)).toEqual(allowed("Auditors"));
  });

  test("by an inactive caller is denied", async () => {
    const admin = await newTenant();
    const Resource = { Type: "Application", Id: admin.clientId };
    const user = await ok(admin.patch("/User", { Username: unique("user"), Is_Active: false }));
    const { Members } = await roleOf(admin, "editor");
    await ok(admin.patch("/Role", { Name: "editor", Members: [...Members, { Type: "User", Id: user.Id }] }));
    const question = { Principal: { Type: "User", Id: user.Id }, Action: "AccessManager:Read", Resource };
    const Message = "The User is not active, so its access tokens are invalid.";
    expect(await evaluate(admin, question)).toEqual({ ...denied(), Problems: [{ Policy: null, Message }] });
    await ok(admin.patch("/User", { Id: user.Id, Is_Active: true }));
    expect(await evaluate(admin, question)).toEqual(allowed("Editors"));
  });
});

describe.concurrent("an invalid simulation", () => {
  test("is Bad Input, with all errors at once", async () => {
    const admin = await newTenant();
    const shape = await post(admin, {
      Principal: { Type: "Robot", Colour: "red" },
      Action: "Read",
      Resource: { Type: "Application" },
      Context: { Address: "fe80::1%eth0", Time: "soon", Scopes: ["all"] },
      Name: "Mine",
    });
    expectError(shape, 400, "Bad Input");
    expect(shape.body.Errors.join("\n")).toMatch(
      /Principal\.Type must be Client or User\. Colour is not a field of Principal\. Principal\.Id is missing\./,
    );
    for (const says of [
      /^Action must be /,
      /^Resource needs Id/,
      /^Context\.Address must be .*Context\.Time must be .*Context\.Scopes must be /,
      /^Policy is missing/,
    ]) {
      expect(shape.body.Errors).toContainEqual(expect.stringMatching(says));
    }
    const inside = await post(admin, {
      Principal: { Type: "User", Id: 999999999 },
      Action: "Webhooks:Read",
      Resource: { Type: "Application", Id: "nine", Fields: { Name: 5, Colour: "red", CreatedBy: { Id: "x" } } },
      Policy: "permit (principal, action, resource is Role) when { resource.Naem == 1 };",
    });
    expectError(inside, 400, "Bad Input");
    for (const says of [
      /^Policy, line 1, column 53: attribute `Naem`/,
      /^Principal: there is no User with this Id\.$/,
      /^Action does not apply to Application\. Its actions are AccessManager:Read/,
      /^Resource: there is no Application with this Id\.$/,
      /^Resource\.Fields\.Name must be a text/,
      /^Resource\.Fields: Colour is not a field that policies see/,
      /^Resource\.Fields\.CreatedBy must be an object with Id/,
    ]) {
      expect(inside.body.Errors).toContainEqual(expect.stringMatching(says));
    }
    const Principal = client(admin);
    const types = await post(admin, { Principal, Action: "Settings:Read", Resource: { Type: "Robot", Id: 1 } });
    expectError(types, 400, "Bad Input", /^Resource\.Type must be one of Application, .*Role\.$/);
    const Resource = { Type: "SigningKey", Id: "x" };
    const described = await post(admin, { Principal, Action: "Settings:Read", Resource });
    expectError(described, 400, "Bad Input", /^Resource\.Id refers to a record of .*give Fields\.$/);
    const fields = { Type: "SigningKey", Fields: { Alg: "ES256" } };
    expect(await evaluate(admin, { Principal, Action: "Settings:Read", Resource: fields })).toEqual(
      allowed("Administrators"),
    );
  });

  test("with hostile values is rejected or decided, and never fails", async () => {
    const admin = await newTenant();
    const all = "resource.after == resource.after";
    await savePolicy(admin, "Users", `forbid (principal, action, resource is User) when { ${all} };`);
    const values = [
      ...[null, "", "x".repeat(3_000), "\ud800", "\0", 1e300, -1, 1.5, true, [], ["\ud800"], {}, { Id: 1, Name: 5 }],
      ...["2026-02-30", "9999-12-31T23:59:59-01:00", { Id: 7, Name: "Sales" }],
    ];
    for (const name of ["Id", "Name", "Is_Active", "Last_Login", "Department"]) {
      for (const value of values) {
        const Resource = { Type: "User", Fields: { [name]: value } };
        const { status, body } = await post(admin, {
          ...{ Principal: client(admin), Action: "AccessManager:Read", Resource },
        });
        const answer = status === 400 ? body.Errors[0] : body.Decision;
        expect({ name, value, answer }).toEqual({
          ...{ name, value },
          answer: status === 400 ? expect.stringMatching(/^Resource\.Fields/) : "Deny",
        });
      }
    }
  });
});

describe.concurrent("permission to simulate", () => {
  const permit = (action: string, resource: string, when = "true") =>
    `permit (principal is Client, action == Action::"${action}", ${resource}) when { ${when} };`;

  test("requires the scopes, for a webhook's record also Webhooks:Read", async () => {
    const admin = await newTenant();
    const Principal = client(admin);
    const own = { Principal, Action: "AccessManager:Read", Resource: { Type: "Application", Id: admin.clientId } };
    for (const scope of ["Settings:Read", "AccessManager:Read"]) {
      const answer = await post(await admin.withScope(scope), own);
      expectError(answer, 403, "Permission", /^The access token lacks the scope /);
    }
    const reader = await admin.withScope("Settings:Read AccessManager:Read");
    expect(await evaluate(reader, own)).toEqual(allowed("Administrators"));
    const connection = { URL: "https://example.com/hook", Entities: ["Application"], Events: ["Deleted"] };
    const { Id } = await ok(admin.patch("/WebhookConnection", { Name: "hook", ...connection }));
    const hook = { Principal, Action: "Webhooks:Update", Resource: { Type: "WebhookConnection", Id } };
    expectError(await post(reader, hook), 403, "Permission", /lacks the scope Webhooks:Read\.$/);
    expect(await evaluate(admin, hook)).toEqual(allowed("Administrators"));
  });

  test("requires reading the principal, the record, its references, every policy and every role", async () => {
    const admin = await newTenant();
    const asker = await newMember(admin);
    const own = await ok(admin.get(`/Application/${asker.clientId}`));
    const sales = await ok(admin.patch("/Department", { Name: "Secret department" }));
    const user = await ok(admin.patch("/User", { Username: unique("user"), Department: { Id: sales.Id } }));
    const question = {
      Principal: client(asker),
      Action: "AccessManager:Read",
      Resource: { Type: "User", Id: user.Id },
      Policy: `permit (principal, action, resource is User)
        when { resource has Department && resource.Department.Name like "Secret*" };`,
    };
    const grants: [string, RegExp][] = [
      [permit("Settings:Read", "resource is Policy", 'resource.Name != "Hidden"'), /Settings:Read on this Policy/],
      [permit("Settings:Read", "resource is Policy"), /Settings:Read on this Role/],
      [permit("Settings:Read", "resource is Role"), /AccessManager:Read on this Application/],
      [permit("AccessManager:Read", "resource is Application"), /AccessManager:Read on this User/],
      [permit("AccessManager:Read", "resource is User"), /^The User references a record that you may not read/],
    ];
    await savePolicy(admin, "Hidden", permit("Webhooks:Read", "resource"));
    for (const [index, [text, says]] of grants.entries()) {
      const answer = await post(asker, question);
      const first = index === 0 ? /Settings:Read on this Policy/ : grants[index - 1]![1];
      expectError(answer, 403, "Permission", first);
      expect(JSON.stringify(answer.body)).not.toContain("Secret");
      await savePolicy(admin, `Grant ${index}`, text);
      if (index === grants.length - 1) expectError(await post(asker, question), 403, "Permission", says);
    }
    await savePolicy(admin, "Departments", permit("AccessManager:Read", "resource is Department"));
    const hidden = await post(asker, question);
    expectError(hidden, 403, "Permission", /may not read all Credentials\. List the scopes/);
    const Scopes = ["AccessManager:Read"];
    expect((await evaluate(asker, { ...question, Context: { Scopes } })).Decision).toBe("Allow");
    await savePolicy(admin, "One's", permit("Settings:Read", "resource is Credentials", `resource.Id == "${own.Id}"`));
    expectError(await post(asker, question), 403, "Permission", /Context\.Scopes/);
    const all = 'permit (principal is Client, action == Action::"Settings:Read", resource is Credentials);';
    await savePolicy(admin, "Credentials", all);
    expect((await evaluate(asker, question)).Decision).toBe("Allow");
    expect(own.Id).toBe(asker.clientId);
  });

  test("does not extend to another tenant", async () => {
    const [admin, stranger] = await Promise.all([newTenant(), newTenant()]);
    const user = await ok(stranger.patch("/User", { Username: unique("theirs") }));
    const policy = await savePolicy(stranger, "Theirs", 'permit (principal == Client::"0", action, resource);');
    const Resource = { Type: "User", Id: user.Id };
    const Action = "AccessManager:Read";
    const record = await post(admin, { Principal: client(admin), Action, Resource });
    expectError(record, 400, "Bad Input", /^Resource: there is no User with this Id\.$/);
    const principal = { Principal: client(stranger), Action, Resource: { Type: "User", Fields: {} } };
    expectError(await post(admin, principal), 400, "Bad Input", /^Principal: there is no Application/);
    const taken = { ...principal, Principal: client(admin), Id: policy.Id, Policy: policy.Policy };
    expectError(await post(admin, taken), 404, "Not Found");
  });
});

test.concurrent("a text that exceeds the limit with the other policies is rejected as on saving", async () => {
  const admin = await newTenant();
  const question = {
    Principal: client(admin),
    Action: "AccessManager:Read",
    Resource: { Type: "Application", Id: admin.clientId },
  };
  const pattern = (length: number) =>
    `permit (principal == Client::"0", action, resource is Application)
     when { resource.Description like "Sales *${"x".repeat(length)}" };`;
  await savePolicy(admin, "half", pattern(300));
  const steps = await post(admin, { ...question, Name: "other half", Policy: pattern(400) });
  expectError(steps, 409, "Conflict", /^A decision by all policies, with this one, could take 1\d{4} steps/);
  expect(await evaluate(admin, { ...question, Name: "half", Policy: pattern(400) })).toEqual(allowed("Administrators"));
  const Policy = `permit (principal == Client::"0", action, resource); // ${"x".repeat(3_900)}`;
  let [Name, saved] = ["0", await admin.patch("/Policy", { Name: "0", Policy })];
  for (let count = 1; saved.status === 200; count++) {
    Name = String(count);
    saved = await admin.patch("/Policy", { Name, Policy });
  }
  const tried = await post(admin, { ...question, Name, Policy });
  expectError(tried, 409, "Conflict", /^A tenant can have 100 policies with 40000 characters together/);
  expect(tried.body.Errors).toEqual(saved.body.Errors);
});

/** Each is tried before it is saved, on all records. */
const TEXTS: Record<string, string> = {
  "by Name, before and after":
    'permit (principal, action, resource is Application) when { resource.Name like "Sales*" && resource.after.Description != "x" };',
  "by who made it":
    'forbid (principal is Client, action, resource is Department) when { resource has CreatedBy && resource.CreatedBy.Id == principal.Id } unless { principal in Role::"admin" };',
  "by the record's role":
    'permit (principal, action == Action::"AccessManager:Read", resource) when { resource in Role::"editor" };',
  "by what cannot be evaluated":
    'forbid (principal in Role::"auditor", action, resource is User) when { resource.Id * 9223372036854775807 < 0 };',
  "by the caller's own name": 'permit (principal is Client, action, resource) when { principal.Name like "*7*" };',
  "by the address":
    'forbid (principal, action == Action::"Settings:Read", resource) when { context.ip.isLoopback() } unless { principal in Role::"admin" };',
};

test("a simulation equals the real call, for every caller and all saved policies", async () => {
  const admin = await newTenant();
  const people = await Promise.all([["editor"], ["auditor"], ["ops"], []].map((roles) => newMember(admin, ...roles)));
  const { Id: inRole } = await ok(admin.patch("/Application", { Name: unique("member") }));
  await addMember(admin, "editor", inRole);
  const connection = { URL: "https://example.com/hook", Entities: ["User"], Events: ["Deleted"] };
  const { Id: hook } = await ok(admin.patch("/WebhookConnection", { Name: "hook", ...connection }));
  const records = [
    ["Application", inRole, { Description: "x" }],
    ["Application", (await ok(admin.patch("/Application", { Name: unique("Sales") }))).Id, { Description: "y" }],
    [
      "Application",
      (await ok(admin.patch("/Application", { Name: unique("sys"), Is_System: true }))).Id,
      { Description: "x" },
    ],
    ["User", (await ok(admin.patch("/User", { Username: unique("user") }))).Id, { MobilePhone: "1" }],
    ["Department", (await ok(admin.patch("/Department", { Name: unique("Sales") }))).Id, { Description: "x" }],
    ["WebhookConnection", hook, { Description: "x" }],
    ["Role", (await roleOf(admin, "editor")).Id, undefined],
  ] as const;
  const familyOf = (type: string) => ({ WebhookConnection: "Webhooks", Role: "Settings" })[type] ?? "AccessManager";
  let compared = 0;
  const outcomes = { Allow: 0, Deny: 0 };

  const questions = (person: Api) =>
    records.flatMap(([Type, Id, Fields]) => {
      const Principal = client(person);
      const read = { Principal, Action: `${familyOf(Type)}:Read`, Resource: { Type, Id } };
      const get = { question: read, call: () => person.get(`/${Type}/${Id}`) };
      if (!Fields) return [get];
      const Action = `${familyOf(Type)}:Update`;
      const update = {
        question: { Principal, Action, Resource: { Type, Id, Fields } },
        call: () => person.patch(`/${Type}`, { Id, ...Fields }),
      };
      if (familyOf(Type) !== "AccessManager") return [get, update];
      const made = { Name: unique("made") };
      const create = {
        question: { Principal, Action: "AccessManager:Create", Resource: { Type, Fields: made } },
        call: () => person.patch(`/${Type}`, made),
      };
      return [get, update, create];
    });

  for (const [name, Policy] of [["", ""], ...Object.entries(TEXTS)]) {
    for (const person of people) {
      const asked: { question: object; call(): Promise<Answer> }[] = questions(person);
      const tried = name ? { Name: name, Policy } : {};
      const said = await Promise.all(asked.map(({ question }) => evaluate(admin, { ...question, ...tried })));
      if (name) await savePolicy(admin, name, Policy!);
      const { Id: gone } = await ok(admin.patch("/Department", { Name: unique("gone") }));
      const remove = {
        Principal: client(person),
        Action: "AccessManager:Delete",
        Resource: { Type: "Department", Id: gone },
      };
      said.push(await evaluate(admin, remove));
      asked.push({ question: remove, call: () => person.remove(`/Department/${gone}`) });
      for (const [index, { question, call }] of asked.entries()) {
        const { status, body } = await call();
        const { Decision } = said[index]! as { Decision: keyof typeof outcomes };
        const expected = Decision === "Allow" ? 200 : 403;
        expect({ name, question, status, body }).toEqual({ name, question, status: expected, body });
        compared++;
        outcomes[Decision]++;
      }
      if (name)
        await ok(
          admin.remove(`/Policy/${(await ok(admin.get(`/Policy?Name=${encodeURIComponent(name)}`))).Items[0].Id}`),
        );
    }
  }
  expect(compared).toBeGreaterThan(400);
  expect(Math.min(outcomes.Allow, outcomes.Deny)).toBeGreaterThan(50);
});
