// Policies can rely on relations in the schema: roles of members, and foreign keys. Checked by saving policies: each
// accepted one must apply.

import { expect, test } from "bun:test";
import { ok, unique } from "../world/api.ts";
import { entitiesOf, newRecord, referencesOf } from "../world/spy.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

/** Each is a policy against records in the role only. */
const AGAINST_ROLE: Record<string, (principal: string, entity: string, role: string) => string> = {
  "the head": (principal, _, role) => `forbid (${principal}, action, resource in Role::"${role}");`,
  "the head, with a type": (principal, entity, role) =>
    `forbid (${principal}, action, resource is ${entity} in Role::"${role}");`,
  "a condition": (principal, entity, role) =>
    `forbid (${principal}, action, resource is ${entity}) when { resource in Role::"${role}" };`,
  "a condition with a type": (principal, entity, role) =>
    `forbid (${principal}, action, resource) when { resource is ${entity} in Role::"${role}" };`,
  "one of several": (principal, entity, role) =>
    `forbid (${principal}, action, resource is ${entity}) when { resource in [Role::"no such", Role::"${role}"] };`,
  "an exception": (principal, entity, role) =>
    `forbid (${principal}, action, resource is ${entity}) unless { !(resource in Role::"${role}") };`,
};

test.concurrent("a policy on a record's role denies its members, while they are members", async () => {
  const admin = await newTenant();
  const person = await newMember(admin);
  const principal = `principal == Client::"${person.clientId}"`;
  await savePolicy(admin, "Person", `permit (${principal}, action, resource);`);
  const applies: string[] = [];
  for (const entity of await entitiesOf(admin)) {
    const role = unique("role");
    const [member, other] = [newRecord(entity), newRecord(entity)].map((fields) =>
      ok(admin.patch(`/${entity.Name}`, fields)),
    );
    const [memberId, otherId] = [(await member).Id, (await other).Id];
    const statusOf = async (id: unknown) => (await person.get(`/${entity.Name}/${id}`)).status;
    const setMembers = async (ids: unknown[]) =>
      ok(admin.patch("/Role", { Name: role, Members: ids.map((Id) => ({ Type: entity.Name, Id })) }));
    for (const [where, policyOf] of Object.entries(AGAINST_ROLE)) {
      const Policy = policyOf(principal, entity.Name, role);
      const saved = await admin.patch("/Policy", { Name: "By role", Policy });
      // A statement that can never apply is refused.
      if (saved.status === 400) continue;
      if (!/is /.test(Policy) && !applies.includes(entity.Name)) {
        // The head names no type, so it does not restrict this one.
        const members = await admin.patch("/Role", { Name: role, Members: [{ Type: entity.Name, Id: memberId }] });
        if (members.status === 400) continue;
      }
      applies.push(entity.Name);
      await setMembers([memberId]);
      const key = { entity: entity.Name, where };
      expect({ ...key, member: await statusOf(memberId), other: await statusOf(otherId) }).toEqual({
        ...{ ...key, member: 403 },
        other: 200,
      });
      const { Items } = await ok(person.get(`/${entity.Name}?Limit=200`));
      const ids = Items.map(({ Id }: { Id: unknown }) => Id);
      expect({ ...key, member: ids.includes(memberId), other: ids.includes(otherId) }).toEqual({
        ...{ ...key, member: false },
        other: true,
      });
      await setMembers([]);
      expect({ ...key, left: await statusOf(memberId) }).toEqual({ ...key, left: 200 });
    }
    await savePolicy(admin, "By role", `forbid (${principal}, action, resource == Policy::"none");`);
  }
  expect([...new Set(applies)].sort()).toEqual(["Application", "Group", "User"]);
});

test.concurrent("the starter's admin role is protected by its own policy", async () => {
  const admin = await newTenant();
  const editor = await newMember(admin, "editor");
  const { Items } = await ok(admin.get("/User?Username=admin"));
  const change = () => editor.patch("/User", { Id: Items[0].Id, Name: unique("name") });
  expect((await change()).status).toBe(200);
  const text = `forbid (principal, action, resource is User in Role::"admin") unless { principal in Role::"admin" };`;
  await savePolicy(admin, "Administrators are theirs", text);
  expect((await change()).status).toBe(403);
  expect((await editor.get(`/Application/${admin.clientId}`)).status).toBe(200);
});

test.concurrent("a policy on a foreign key denies records that reference there", async () => {
  const admin = await newTenant();
  const person = await newMember(admin);
  const principal = `principal == Client::"${person.clientId}"`;
  await savePolicy(admin, "Person", `permit (${principal}, action, resource);`);
  const entities = await entitiesOf(admin);
  for (const entity of entities) {
    for (const reference of referencesOf(entity)) {
      const isActor = reference === "CreatedBy" || reference === "ModifiedBy";
      const [pointing, other] = await Promise.all([
        isActor ? ok(admin.patch(`/${entity.Name}`, newRecord(entity))) : pointed(entity, reference),
        ok(person.patch(`/${entity.Name}`, newRecord(entity))),
      ]);
      const target = pointing[reference];
      const Policy = `forbid (${principal}, action, resource is ${entity.Name})
          when { resource has ${reference} && resource.${reference}.Id == ${target?.Id || 0} && resource.${reference}.Type == "${target?.Type}" };`;
      const saved = await admin.patch("/Policy", { Name: "By key", Policy });
      // Input only: policies do not have it, and report that.
      expect({ reference, status: saved.status }).toEqual({ reference, status: target ? 200 : 400 });
      if (!target) continue;
      const statuses = [pointing, other].map(async ({ Id }) => (await person.get(`/${entity.Name}/${Id}`)).status);
      const key = { entity: entity.Name, reference };
      expect({ ...key, statuses: await Promise.all(statuses) }).toEqual({ ...key, statuses: [403, 200] });
    }
  }

  /** A record whose foreign key references one of the entities. */
  async function pointed(entity: (typeof entities)[number], reference: string) {
    for (const candidate of entities) {
      const target = await ok(admin.patch(`/${candidate.Name}`, newRecord(candidate)));
      const body = { ...newRecord(entity), [reference]: { Id: target.Id, Type: candidate.Name } };
      const answer = await admin.patch(`/${entity.Name}`, body);
      if (answer.status === 200) return answer.body;
    }
    // It references a setting.
    return {};
  }
});
