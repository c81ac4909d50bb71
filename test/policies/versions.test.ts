// Former texts of a policy, as listed by the API; a page of Settings shows the same.

import { describe, expect, test } from "bun:test";
import { expectError, ok } from "../world/api.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

const textOf = (hour: number) => `permit (principal == Client::"0", action, resource) when { context.hour > ${hour} };`;

describe.concurrent("versions of a policy", () => {
  test("have author and time, the newest first, in pages", async () => {
    const admin = await newTenant();
    const colleague = await newMember(admin, "admin");
    const { Id, CreatedOn } = await savePolicy(admin, "Hours", textOf(1));
    // The text is unchanged.
    await ok(admin.patch("/Policy", { Id, Description: "By the hour." }));
    const { ModifiedOn } = await ok(colleague.patch("/Policy", { Id, Policy: textOf(2) }));
    const path = `/Policy/${Id}/Versions`;
    const by = (clientId: string) => expect.objectContaining({ Id: Number(clientId), Type: "Application" });
    const versions = [
      { Number: 2, Policy: textOf(2), SavedOn: ModifiedOn, SavedBy: by(colleague.clientId) },
      { Number: 1, Policy: textOf(1), SavedOn: CreatedOn, SavedBy: by(admin.clientId) },
    ];
    expect(await ok(admin.get(path))).toEqual({ Items: versions, Next: null, Hidden: 0 });
    const first = await ok(admin.get(`${path}?Limit=1`));
    expect(first).toEqual({ Items: [versions[0]], Next: expect.any(String), Hidden: 0 });
    const second = await ok(admin.get(`${path}?Limit=1&Cursor=${encodeURIComponent(first.Next)}`));
    expect(second).toEqual({ Items: [versions[1]], Next: null, Hidden: 0 });
    // A cursor of one policy is invalid for another.
    const other = await savePolicy(admin, "Other hours", textOf(3));
    const taken = await admin.get(`/Policy/${other.Id}/Versions?Limit=1&Cursor=${encodeURIComponent(first.Next)}`);
    expectError(taken, 400, "Bad Input", /^Cursor /);

    await ok(admin.patch("/Policy", { Id, Policy: second.Items[0].Policy }));
    const { Items } = await ok(admin.get(path));
    expect(Items.map(({ Number: number, Policy }: { Number: number; Policy: string }) => [number, Policy])).toEqual([
      [3, textOf(1)],
      [2, textOf(2)],
      [1, textOf(1)],
    ]);
    const [starter] = (await ok(admin.get("/Policy?Name=Editors"))).Items;
    expect((await ok(admin.get(`/Policy/${starter.Id}/Versions`))).Items).toMatchObject([
      { Number: 1, Policy: starter.Policy, SavedBy: null },
    ]);
  });

  test("are readable with their policy, and name only readable authors", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const { Id } = await savePolicy(admin, "Hours", textOf(1));
    const path = `/Policy/${Id}/Versions`;
    const unscoped = await admin.withScope("AccessManager:Read");
    expectError(await unscoped.get(path), 403, "Permission", /lacks the scope Settings:Read\.$/);
    expectError(await person.get(path), 403, "Permission", /^No policy permits Settings:Read on this Policy/);
    const reader = `permit (principal == Client::"${person.clientId}", action == Action::"Settings:Read", resource is Policy)`;
    await savePolicy(admin, "Reader", `${reader} when { resource.Name == "Hours" };`);
    const SavedBy = { Id: Number(admin.clientId), Type: "Application" };
    expect((await ok(person.get(path))).Items).toEqual([expect.objectContaining({ Number: 1, SavedBy })]);
    const other = await savePolicy(admin, "Other hours", textOf(1));
    expect((await person.get(`/Policy/${other.Id}/Versions`)).status).toBe(403);
    for (const id of [crypto.randomUUID(), "1", "%00"]) {
      expect({ id, status: (await admin.get(`/Policy/${id}/Versions`)).status }).toEqual({ id, status: 404 });
    }
  });
});
