// Custom policies and their error messages.

import { describe, expect, test } from "bun:test";
import { expectError, ok, unique } from "../world/api.ts";
import { newMember, newTenant, roleOf, savePolicy } from "../world/tenant.ts";

const RECORDS = `[Action::"AccessManager:Read", Action::"AccessManager:Create", Action::"AccessManager:Update"]`;

describe.concurrent("scope and policy", () => {
  test("both are required, and the error names the missing one", async () => {
    const admin = await newTenant();
    const path = `/Application/${admin.clientId}`;
    const noScope = await (await admin.withScope("Webhooks:Read")).get(path);
    expectError(noScope, 403, "Permission", /^The access token lacks the scope AccessManager:Read\.$/);
    expect(noScope.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_scope", scope="AccessManager:Read"',
    );
    const noPolicy = await (await newMember(admin)).get(path);
    expectError(noPolicy, 403, "Permission", /^No policy permits AccessManager:Read on this Application\.$/);
    expect(noPolicy.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_scope", error_description="Refused by a policy"',
    );
    expect(JSON.stringify(noPolicy.body)).not.toContain("demo-client");
  });

  test("the scope is looked at before the record, the policy after it", async () => {
    const admin = await newTenant();
    const nobody = await newMember(admin);
    expect((await (await admin.withScope("Webhooks:Read")).get("/Application/999999999")).status).toBe(403);
    expect((await nobody.get("/Application/999999999")).status).toBe(404);
    expect((await nobody.get("/Policy/00000000-0000-0000-0000-000000000000")).status).toBe(404);
  });
});

describe.concurrent("a policy", () => {
  test("permits records by the start of their Name, before and after; others are not listed", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    await savePolicy(
      admin,
      "Sales",
      `permit (principal == Client::"${person.clientId}", action in ${RECORDS}, resource is Application)
       when { resource.Name like "Sales *" && resource.after.Name like "Sales *" };`,
    );
    const { Id, Name } = await ok(person.patch("/Application", { Name: `Sales ${unique("app")}` }));
    await ok(person.patch("/Application", { Id, Description: "still Sales" }));
    expect((await person.patch("/Application", { Id, Name: unique("Finance") })).status).toBe(403);
    expect((await person.patch("/Application", { Name: unique("Finance") })).status).toBe(403);
    expect((await person.get(`/Application/${admin.clientId}`)).status).toBe(403);
    const listed = await ok(person.get("/Application"));
    expect(listed.Items.map((item: { Name: string }) => item.Name)).toEqual([Name]);
  });

  test("permits users of one department, and none without a department", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const own = await ok(admin.patch("/Department", { Name: "Sales" }));
    const other = await ok(admin.patch("/Department", { Name: "Finance" }));
    await savePolicy(
      admin,
      "Own department",
      `permit (principal, action == Action::"AccessManager:Read", resource is User)
       when { resource has Department && resource.Department.Name == "Sales" };`,
    );
    const user = (Department: unknown) => ok(admin.patch("/User", { Username: unique("user"), Department }));
    const [inSales, inFinance, inNone] = [await user({ Id: own.Id }), await user({ Id: other.Id }), await user(null)];
    await ok(person.get(`/User/${inSales.Id}`));
    expect((await person.get(`/User/${inFinance.Id}`)).status).toBe(403);
    expect((await person.get(`/User/${inNone.Id}`)).status).toBe(403);
    expect((await ok(person.get("/User"))).Items.map((item: { Id: number }) => item.Id)).toEqual([inSales.Id]);
  });

  test("permits one record by its Id, and no other", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const user = () => ok(admin.patch("/User", { Username: unique("user"), Name: "Same" }));
    const [named, other] = [await user(), await user()];
    await savePolicy(
      admin,
      "One",
      `permit (principal, action == Action::"AccessManager:Read", resource == User::"${named.Id}");`,
    );
    for (const _ of ["asked anew", "asked again"]) {
      expect((await person.get(`/User/${other.Id}`)).status).toBe(403);
      await ok(person.get(`/User/${named.Id}`));
    }
    const condition = `resource in [User::"${other.Id}"]`;
    await savePolicy(admin, "One", `permit (principal, action, resource is User) when { ${condition} };`);
    expect((await person.get(`/User/${named.Id}`)).status).toBe(403);
    await ok(person.get(`/User/${other.Id}`));
  });

  test("permits a member to read its own role, and no other", async () => {
    const admin = await newTenant();
    const person = await newMember(admin, "editor");
    await savePolicy(
      admin,
      "Own role",
      `permit (principal, action == Action::"Settings:Read", resource is Role) when { principal in resource };`,
    );
    const read = async (name: string) => person.get(`/Role/${(await roleOf(admin, name)).Id}`);
    expect((await read("auditor")).status).toBe(403);
    expect((await ok(read("editor"))).Name).toBe("editor");
  });

  test("permits records created by the caller", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    await savePolicy(
      admin,
      "Makers",
      `permit (principal is Client, action == Action::"AccessManager:Create", resource);
       permit (principal is Client, action in ${RECORDS}, resource is Application)
       when { resource has CreatedBy && resource.CreatedBy.Type == "Application" && resource.CreatedBy.Id == principal.Id };`,
    );
    const { Id } = await ok(person.patch("/Application", { Name: unique("mine") }));
    await ok(person.patch("/Application", { Id, Description: "mine still" }));
    expect((await person.patch("/Application", { Id: admin.clientId, Description: "mine?" })).status).toBe(403);
  });

  test("forbids, whatever others permit", async () => {
    const admin = await newTenant();
    await savePolicy(
      admin,
      "Frozen",
      `forbid (principal, action == Action::"AccessManager:Update", resource is Application);`,
    );
    const answer = await admin.patch("/Application", { Id: admin.clientId, Description: "no" });
    expectError(answer, 403, "Permission", /^A policy forbids AccessManager:Update/);
  });

  test("that forbids and fails to evaluate still forbids, for example by overflow", async () => {
    const admin = await newTenant();
    const forbid = (condition: string) =>
      savePolicy(admin, "Odd", `forbid (principal, action, resource is Application) when { ${condition} };`);
    await forbid("resource.Id * 9223372036854775807 < 0");
    expect((await admin.get(`/Application/${admin.clientId}`)).status).toBe(403);
    await forbid("resource.Id < 0");
    await ok(admin.get(`/Application/${admin.clientId}`));
  });

  test("that permits and fails to evaluate permits nothing, and forbids nothing", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const odd = "resource is Application) when { resource.Id * 9223372036854775807 < 0 };";
    const by = `principal == Client::"${person.clientId}", action`;
    await savePolicy(admin, "Odd", `permit (${by}, ${odd}`);
    const path = `/Application/${admin.clientId}`;
    expectError(await person.get(path), 403, "Permission", /^No policy permits AccessManager:Read on this Application/);
    await savePolicy(admin, "Odd", `permit (${by}, ${odd} permit (${by}, resource);`);
    await ok(person.get(path));
    await savePolicy(admin, "Odd", `permit (${by}, resource); forbid (${by}, ${odd}`);
    expectError(await person.get(path), 403, "Permission", /^A policy forbids AccessManager:Read on this Application/);
  });

  test("reads the time in UTC, the address and the scopes of the call", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const readable = async (condition: string) => {
      const reading = `permit (principal, action == Action::"AccessManager:Read", resource)`;
      await savePolicy(admin, "Test", `${reading} when { ${condition} };`);
      return (await person.get(`/Application/${admin.clientId}`)).status === 200;
    };
    const [before, later] = [-60_000, 60_000].map((away) => new Date(Date.now() + away).toISOString());
    const conditions: [string, boolean][] = [
      [`context.time > datetime("${before}") && context.time < datetime("${later}")`, true],
      [`context.time > datetime("${later}")`, false],
      ["context.hour >= 0 && context.hour <= 23", true],
      ["context.hour > 23", false],
      ["context.weekday >= 1 && context.weekday <= 7", true],
      ['context.time.toTime() >= duration("0h") && context.time.toTime() < duration("24h")', true],
      ['context.ip.isInRange(ip("127.0.0.0/8")) || context.ip.isLoopback()', true],
      ['context.ip.isInRange(ip("10.0.0.0/8"))', false],
      ['context.scopes.contains("AccessManager:Delete")', true],
      ['context.scopes.contains("openid")', false],
      ['context == {scopes: ["x"], ip: context.ip, time: context.time, hour: 1, weekday: 1, payload: false}', false],
      ["resource is Application && resource.after.Name == resource.Name", true],
    ];
    for (const [condition, expected] of conditions) {
      expect({ condition, readable: await readable(condition) }).toEqual({ condition, readable: expected });
    }
  });

  test("limits which connections and events are visible and editable", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const connection = { URL: "https://example.com/hook", Entities: ["Application"], Events: ["Deleted"] };
    const { Id } = await ok(admin.patch("/WebhookConnection", { Name: "theirs", ...connection }));
    await savePolicy(
      admin,
      "Own hooks",
      `permit (principal, action, resource is WebhookConnection) when { resource.Name like "my *" };
       permit (principal, action == Action::"Webhooks:Read", resource is WebhookEvent)
       when { resource.EventType == "Updated" };`,
    );
    const mine = await ok(person.patch("/WebhookConnection", { Name: "my hook", ...connection }));
    expect((await person.patch("/WebhookConnection", { Name: "their hook", ...connection })).status).toBe(403);
    expect((await person.patch("/WebhookConnection", { Id, State: "Paused" })).status).toBe(403);
    for (const act of ["GET", "DELETE"]) expect((await person.send(act, `/WebhookConnection/${Id}`)).status).toBe(403);
    const connections = await ok(person.get("/WebhookConnection"));
    expect(connections.Items.map((item: { Id: string }) => item.Id)).toEqual([mine.Id]);
    await ok(person.remove(`/WebhookConnection/${mine.Id}`));
    await ok(admin.get(`/WebhookConnection/${Id}`));

    await ok(admin.patch("/Application", { Id: admin.clientId, Description: "changed" }));
    const { Items } = await ok(admin.get("/WebhookEvent"));
    const created = Items.find((event: { EventType: string }) => event.EventType === "Created");
    const seen = await ok(person.get("/WebhookEvent"));
    expect(seen.Items.map((event: { EventType: string }) => event.EventType)).toEqual(["Updated"]);
    await ok(person.get(`/WebhookEvent/${seen.Items[0].EventId}`));
    expect((await person.get(`/WebhookEvent/${created.EventId}`)).status).toBe(403);
  });
});

const TIMES = 40;

test.concurrent("a deactivated or deleted caller has no access, though its token has not expired", async () => {
  const admin = await newTenant();
  const editor = await newMember(admin, "editor");
  const path = `/Application/${editor.clientId}`;
  await ok(editor.get(path));
  await ok(admin.patch("/Application", { Id: editor.clientId, Is_Active: false }));
  const inactive = await editor.get(path);
  expectError(inactive, 401, "Unauthorized", /no longer active/);
  expect(inactive.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  await ok(admin.patch("/Application", { Id: editor.clientId, Is_Active: true }));
  await ok(editor.get(path));
  // An answered change applies at once, every time.
  for (let time = 0; time < TIMES; time++) {
    await ok(admin.patch("/Application", { Id: editor.clientId, Is_Active: time % 2 === 1 }));
    expect((await editor.get(path)).status).toBe(time % 2 === 1 ? 200 : 401);
  }
  await ok(admin.send("DELETE", path));
  expect((await editor.get(path)).status).toBe(401);
});
