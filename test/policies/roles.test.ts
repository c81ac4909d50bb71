// Roles by REST, and their scopes for a user.

import { describe, expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { userScopes } from "../../server/records/access/user-scopes.ts";
import { expectError, ok, unique } from "../world/api.ts";
import { db, newMember, newTenant, roleOf } from "../world/tenant.ts";

describe.concurrent("the lifecycle of a role", () => {
  test("is saved by Name, changed by Id, read and deleted; Members, when given, replaces all", async () => {
    const admin = await newTenant();
    const user = await ok(admin.patch("/User", { Username: unique("user") }));
    const Members = [
      { Type: "Application", Id: admin.clientId },
      { Type: "User", Id: user.Id },
    ];
    const saved = await ok(admin.patch("/Role", { Name: "helper", Scopes: ["Webhooks:Read", "openid"], Members }));
    expect(saved).toMatchObject({
      Name: "helper",
      Description: "",
      Scopes: ["openid", "Webhooks:Read"],
      Members: [
        { Type: "User", Id: user.Id },
        { Type: "Application", Id: Number(admin.clientId) },
      ],
      CreatedBy: { Id: Number(admin.clientId), Type: "Application" },
    });
    expect(await ok(admin.patch("/Role", saved))).toEqual(saved);
    const renamed = await ok(admin.patch("/Role", { Id: saved.Id, Name: "aide", Members: [Members[1]] }));
    expect(renamed.Members).toEqual([{ Type: "User", Id: user.Id }]);
    expect(await ok(admin.get(`/Role/${saved.Id}`))).toEqual(renamed);
    expect(await roleOf(admin, "aide")).toEqual(renamed);
    expect(await ok(admin.send("DELETE", `/Role/${saved.Id}`))).toEqual(renamed);
    expect((await admin.get(`/Role/${saved.Id}`)).status).toBe(404);
  });

  test("a deleted user is no longer a member", async () => {
    const admin = await newTenant();
    const user = await ok(admin.patch("/User", { Username: unique("user") }));
    await ok(admin.patch("/Role", { Name: "helper", Members: [{ Type: "User", Id: user.Id }] }));
    await ok(admin.send("DELETE", `/User/${user.Id}`));
    expect((await roleOf(admin, "helper")).Members).toEqual([]);
  });

  test("invalid input is Bad Input, and nothing is written", async () => {
    const admin = await newTenant();
    const stranger = await newTenant();
    const member = { Type: "Application", Id: stranger.clientId };
    const bad: [unknown, RegExp][] = [
      [{ Scopes: [] }, /^Name is missing\.$/],
      [{ Name: "x", Scopes: ["root"] }, /^Scopes: there is no scope root\.$/],
      [{ Name: "x", Scopes: ["*"] }, /^Scopes must be a list of openid, /],
      [{ Name: "x", Members: [{ Type: "Department", Id: 1 }] }, /^Members\[0\] must be/],
      [{ Name: "x", Members: [null] }, /^Members\[0\] must be/],
      [{ Name: "x", Members: Array(1_001).fill(member) }, /^Members must be a list of at most 1000\.$/],
      [
        { Name: "x", Members: [member] },
        new RegExp(`^There is no Application ${stranger.clientId}, so it cannot be a member`),
      ],
      [{ Name: "x", Members: [{ Type: "User", Id: 9007199254740991 }] }, /^There is no User 9007199254740991/],
    ];
    for (const [body, says] of bad) expectError(await admin.patch("/Role", body), 400, "Bad Input", says);
    expect(await roleOf(admin, "x")).toBeUndefined();
    const taken = await admin.patch("/Role", { Id: (await roleOf(admin, "editor")).Id, Name: "auditor" });
    expectError(taken, 409, "Conflict", /^Name is already used by another Role\.$/);
  });

  test("readers of settings read roles", async () => {
    const admin = await newTenant();
    const auditor = await newMember(admin, "auditor");
    const { Id } = await roleOf(admin, "editor");
    await ok(auditor.get(`/Role/${Id}`));
    expect((await auditor.remove(`/Role/${Id}`)).status).toBe(403);
  });
});

test.concurrent("a user's scopes are those of all its roles and the OpenID scopes", async () => {
  const admin = await newTenant();
  const { Id } = await ok(admin.patch("/User", { Username: unique("user") }));
  const scopes = () => userScopes(db(), admin.tenantId as TenantId, Id);
  const openId = ["openid", "profile", "name", "email", "address", "phone"];
  expect(await scopes()).toEqual(openId);
  const Members = [{ Type: "User", Id }];
  await ok(admin.patch("/Role", { Name: "one", Scopes: ["AccessManager:Read", "Webhooks:Read"], Members }));
  await ok(admin.patch("/Role", { Name: "two", Scopes: ["AccessManager:Read", "Settings:Read"], Members }));
  expect(await scopes()).toEqual([...openId, "AccessManager:Read", "Settings:Read", "Webhooks:Read"]);
});
