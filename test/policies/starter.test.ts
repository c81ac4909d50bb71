// The initial policies of a new tenant: by role, by an attribute of the record, by network.

import { describe, expect, test } from "bun:test";
import { expectError, ok, unique } from "../world/api.ts";
import { addMember, newMember, newTenant, roleOf } from "../world/tenant.ts";

const FORBIDDEN = /^A policy forbids AccessManager:Update on this Application\.$/;

test.concurrent("a new tenant has readable policies and roles, each with one line about its purpose", async () => {
  const admin = await newTenant();
  const policies = await ok(admin.get("/Policy"));
  const lines = policies.Items.map(({ Name, Description }: Record<string, string>) => `${Name}: ${Description}`);
  expect(lines.sort()).toEqual([
    "Administrators: By role: members of the role admin may do everything.",
    "Auditors: By network: auditors may read everything, from loopback and private addresses only.",
    "Editors: By role: editors may read, create and change every record, but delete none.",
    "Operators: By the kind of record: ops read all of webhooks, redeliver events and acknowledge alerts, but change no connection.",
    "Payloads: By context: ops read records in the payloads of events, and nowhere else. Delete this policy to hide them.",
    "System applications: By the record: only admins change a system application, or turn an application into one.",
  ]);
  const roles = await ok(admin.get("/Role"));
  expect(roles.Items.map(({ Name }: { Name: string }) => Name).sort()).toEqual(["admin", "auditor", "editor", "ops"]);
  expect((await roleOf(admin, "admin")).Members).toEqual([
    { Type: "User", Id: expect.any(Number) },
    { Type: "Application", Id: Number(admin.clientId) },
  ]);
});

describe.concurrent("by role", () => {
  test("without a role nothing is allowed, whatever the scopes", async () => {
    const admin = await newTenant();
    const nobody = await newMember(admin);
    const { Id } = await ok(admin.patch("/Application", { Name: unique("app") }));
    const denied = (action: string, type: string) => new RegExp(`^No policy permits ${action} on this ${type}\\.$`);
    const path = `/Application/${Id}`;
    expectError(await nobody.get(path), 403, "Permission", denied("AccessManager:Read", "Application"));
    const changed = await nobody.patch("/Application", { Id, Name: unique("app") });
    expectError(changed, 403, "Permission", denied("AccessManager:Update", "Application"));
    const created = await nobody.patch("/Application", { Name: unique("app") });
    expectError(created, 403, "Permission", denied("AccessManager:Create", "Application"));
    const deleted = await nobody.remove(path);
    expectError(deleted, 403, "Permission", denied("AccessManager:Delete", "Application"));
    expect((await ok(nobody.get("/Application"))).Items).toEqual([]);
    expect((await ok(nobody.get("/Policy"))).Items).toEqual([]);
    const policy = await nobody.patch("/Policy", { Name: "mine", Policy: "permit(principal, action, resource);" });
    expectError(policy, 403, "Permission", denied("Settings:Update", "Policy"));
    const role = await nobody.patch("/Role", { Name: "mine", Members: [{ Type: "Application", Id: nobody.clientId }] });
    expectError(role, 403, "Permission", denied("Settings:Update", "Role"));
  });

  test("an editor reads, creates and changes records, but deletes none", async () => {
    const admin = await newTenant();
    const editor = await newMember(admin, "editor");
    const { Id } = await ok(editor.patch("/Application", { Name: unique("app") }));
    await ok(editor.patch("/Application", { Id, Description: "changed" }));
    await ok(editor.get(`/Application/${Id}`));
    expect((await editor.remove(`/Application/${Id}`)).status).toBe(403);
    await ok(admin.send("DELETE", `/Application/${Id}`));
  });

  test("a role applies from the next request on, and ends with its removal", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const path = `/Application/${person.clientId}`;
    expect((await person.get(path)).status).toBe(403);
    await addMember(admin, "editor", person.clientId);
    await ok(person.get(path));
    await ok(admin.patch("/Role", { Name: "editor", Members: [] }));
    expect((await person.get(path)).status).toBe(403);
  });
});

describe.concurrent("by an attribute of the record", () => {
  test("a system application is changed only by admins", async () => {
    const admin = await newTenant();
    const editor = await newMember(admin, "editor");
    const { Id } = await ok(admin.patch("/Application", { Name: unique("system"), Is_System: true }));
    await ok(editor.get(`/Application/${Id}`));
    const answer = await editor.patch("/Application", { Id, Description: "mine now" });
    expectError(answer, 403, "Permission", FORBIDDEN);
    expect((await ok(admin.get(`/Application/${Id}`))).Description).toBe("");
    await ok(admin.patch("/Application", { Id, Description: "the admin's" }));
  });

  test("the record after the change is checked too: an editor may not switch Is_System on", async () => {
    const admin = await newTenant();
    const editor = await newMember(admin, "editor");
    const { Id } = await ok(editor.patch("/Application", { Name: unique("plain") }));
    const answer = await editor.patch("/Application", { Id, Is_System: true });
    expectError(answer, 403, "Permission", FORBIDDEN);
    expect((await editor.patch("/Application", { Name: unique("new"), Is_System: true })).status).toBe(403);
    expect((await ok(admin.get(`/Application/${Id}`))).Is_System).toBe(false);
  });

  test("one forbidden record rejects a whole array by its index, and nothing is written", async () => {
    const admin = await newTenant();
    const editor = await newMember(admin, "editor");
    const [one, two] = [unique("one"), unique("two")];
    const answer = await editor.patch("/Application", [{ Name: one }, { Name: two, Is_System: true }]);
    expectError(answer, 403, "Permission", /^Record 1: A policy forbids AccessManager:Create/);
    expect((await ok(admin.get(`/Application?Name=${one}`))).Items).toEqual([]);
  });
});

test.concurrent("by network: an auditor on loopback reads everything and changes nothing", async () => {
  const admin = await newTenant();
  const auditor = await newMember(admin, "auditor");
  for (const path of ["/Application", "/User", "/Policy", "/Role", "/WebhookEvent"]) {
    expect((await ok(auditor.get(path))).Items).not.toEqual([]);
  }
  expect((await auditor.patch("/Application", { Name: unique("app") })).status).toBe(403);
  expect((await auditor.patch("/Role", { Name: "editor", Members: [] })).status).toBe(403);
});
