// Callers cannot accidentally remove their own Settings:Update.

import { describe, expect, test } from "bun:test";
import { expectError, ok } from "../world/api.ts";
import { addMember, newMember, newTenant, roleOf, savePolicy } from "../world/tenant.ts";

const LOCKED =
  /^This change would remove your own access: no policy would permit you to change this (Policy|Role)\. Nothing was changed/;

async function policyOf(admin: Awaited<ReturnType<typeof newTenant>>, name: string) {
  const { Items } = await ok(admin.get("/Policy"));
  return Items.find((policy: { Name: string }) => policy.Name === name);
}

describe.concurrent("a caller who would lose its own access gets 409, and nothing changes,", () => {
  test("on deleting the policy that permits it", async () => {
    const admin = await newTenant();
    const { Id } = await policyOf(admin, "Administrators");
    expectError(await admin.send("DELETE", `/Policy/${Id}`), 409, "Conflict", LOCKED);
    await ok(admin.get(`/Policy/${Id}`));
  });

  test("on changing it to no longer permit, or to forbid", async () => {
    const admin = await newTenant();
    const before = await policyOf(admin, "Administrators");
    const narrower = 'permit (principal in Role::"admins", action, resource);';
    const changed = await admin.patch("/Policy", { Name: "Administrators", Policy: narrower });
    expectError(changed, 409, "Conflict", LOCKED);
    const forbidding = { Name: "Lock", Policy: 'forbid (principal, action == Action::"Settings:Update", resource);' };
    expectError(await admin.patch("/Policy", forbidding), 409, "Conflict", LOCKED);
    expect(await policyOf(admin, "Administrators")).toEqual(before);
    expect(await policyOf(admin, "Lock")).toBeUndefined();
  });

  test("on leaving or deleting the role that permits it", async () => {
    const admin = await newTenant();
    const role = await roleOf(admin, "admin");
    const own = { Type: "Application", Id: admin.clientId };
    for (const Members of [[], { Remove: [own] }]) {
      expectError(await admin.patch("/Role", { Name: "admin", Members }), 409, "Conflict", LOCKED);
    }
    const deleted = await admin.send("DELETE", `/Role/${role.Id}`);
    expectError(deleted, 409, "Conflict", LOCKED);
    expect(await roleOf(admin, "admin")).toEqual(role);
  });
});

test.concurrent("on forbidding itself to see what it would have to change back", async () => {
  const admin = await newTenant();
  const blinding = { Name: "Blind", Policy: 'forbid (principal, action == Action::"Settings:Read", resource);' };
  const refused = await admin.patch("/Policy", blinding);
  expectError(
    refused,
    409,
    "Conflict",
    /^This change would remove your own access: no policy would permit you to read this Policy/,
  );
  expect(await policyOf(admin, "Blind")).toBeUndefined();
});

test.concurrent("another administrator may do it, because it keeps its own access", async () => {
  const admin = await newTenant();
  const other = await newMember(admin);
  await savePolicy(admin, "Other", `permit (principal == Client::"${other.clientId}", action, resource);`);
  const { Id } = await policyOf(admin, "Administrators");
  await ok(other.remove(`/Policy/${Id}`));
  expect((await admin.get(`/Application/${admin.clientId}`)).status).toBe(403);
});

test.concurrent("of two who remove each other's access at once one succeeds", async () => {
  const admin = await newTenant();
  const other = await newMember(admin);
  await addMember(admin, "admin", other.clientId);
  const members = (clientId: string) => ({ Name: "admin", Members: [{ Type: "Application", Id: clientId }] });
  const answers = await Promise.all([
    admin.patch("/Role", members(admin.clientId)),
    other.patch("/Role", members(other.clientId)),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
});
