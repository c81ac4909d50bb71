// Groups of users: nesting, policies, roles, claims and events.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { type Api, expectError, ok, unique, until } from "../world/api.ts";
import { newClient, otherClient } from "../world/client.ts";
import { plantUsers } from "../world/planted.ts";
import { clientOf, db, newMember, newTenant, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

interface Member {
  Type: "User" | "Group";
  Id: number;
}

const user = async (api: Api): Promise<Member> => ({
  Type: "User",
  Id: (await api.made("User", { Username: unique("user"), Is_Active: true })).Id,
});
const group = async (api: Api, Members: Member[] = [], more: object = {}): Promise<Member> => ({
  Type: "Group",
  Id: (await api.made("Group", { Name: unique("group"), Members, ...more })).Id,
});
const setMembers = (api: Api, { Id }: Member, Members: unknown) => api.patch("/Group", { Id, Members });

/** Groups, each within the one before. */
async function chain(api: Api, length: number): Promise<Member[]> {
  const groups: Member[] = [];
  for (let index = 0; index < length; index++) groups.unshift(await group(api, groups.slice(0, 1)));
  return groups;
}

describe.concurrent("groups in groups", () => {
  test("have at most 5 levels", async () => {
    const api = await newTenant();
    const five = await chain(api, 5);
    const above = await api.patch("/Group", { Name: "sixth", Members: [five[0]] });
    expectError(above, 409, "Conflict", /^Groups would be nested to 6 levels; the maximum is 5\.$/);
    const below = await setMembers(api, five[4]!, { Add: [await group(api)] });
    expectError(below, 409, "Conflict", /nested to 6 levels/);
    const [two, four] = [await chain(api, 2), await chain(api, 4)];
    expectError(await setMembers(api, two[1]!, [four[0]]), 409, "Conflict", /nested to 6 levels/);
    await ok(setMembers(api, two[0]!, { Add: [four[0]] }));
  });

  test("make no circle: the answer names it, and nothing is changed", async () => {
    const api = await newTenant();
    const [a, b, c] = (await chain(api, 3)) as [Member, Member, Member];
    const named = (...groups: Member[]) =>
      new RegExp(`circle: ${groups.map(({ Id }) => `Group ${Id}`).join(" has ")}\\.$`);
    expectError(await setMembers(api, a, { Add: [a] }), 409, "Conflict", named(a, a));
    expectError(await setMembers(api, c, [a]), 409, "Conflict", named(c, a, b, c));
    expect((await ok(api.get(`/Group/${c.Id}`))).Members).toEqual([]);
    await ok(setMembers(api, b, []));
    await ok(setMembers(api, c, [a]));
  });

  test("that two callers put into each other at once make no circle", async () => {
    const api = await newTenant();
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await group(api), await group(api)];
      const statuses = await Promise.all([setMembers(api, a, [b]), setMembers(api, b, [a])]);
      expect(statuses.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });
});

test("policies permit members of a group, also through its groups, of the caller and of the record", async () => {
  const api = await newTenant();
  const [ana, bob] = [await user(api), await user(api)];
  const inner = await group(api, [ana]);
  const outer = await group(api, [inner]);
  const read = 'action == Action::"AccessManager:Read"';
  await savePolicy(api, "Readers", `permit (principal in Group::"${outer.Id}", ${read}, resource is Department);`);
  const { Id } = await api.made("Department", { Name: "Finance" });
  const decided = async (principal: Member) => {
    const { Decision } = await ok(
      api.call("POST", "/Policy/Evaluate", {
        Principal: principal,
        Action: "AccessManager:Read",
        Resource: { Type: "Department", Id: String(Id) },
        Context: { Scopes: ["AccessManager:Read"] },
      }),
    );
    return Decision;
  };
  const become = (...wanted: string[]) =>
    until(wanted.join(), async () => Bun.deepEquals([await decided(ana), await decided(bob)], wanted));
  await become("Allow", "Deny");
  await ok(setMembers(api, inner, { Add: [bob], Remove: [ana] }));
  await become("Deny", "Allow");
  await ok(setMembers(api, outer, []));
  await become("Deny", "Deny");

  const hidden = `forbid (principal is Client, ${read}, resource is User in Group::"${outer.Id}");`;
  await savePolicy(api, "Hidden", hidden);
  await ok(setMembers(api, outer, [inner]));
  const seen = async ({ Id: one }: Member) => (await api.get(`/User/${one}`)).status;
  await until("bob to be hidden", async () => (await seen(bob)) === 403 && (await seen(ana)) === 200);
});

describe.concurrent("a role held by a group", () => {
  test("gives its scopes to the users of the group and of its groups, until they leave", async () => {
    const first = await newClient();
    const api = await clientOf(first.tenant);
    const client = await otherClient(first, {
      first_party: true,
      scopes: ["openid", "Webhooks:Delete", "AccessManager:Read"],
    });
    const { Id } = (await ok(api.get("/User?Username=admin"))).Items[0];
    const admin: Member = { Type: "User", Id };
    const inner = await group(api, [admin]);
    const outer = await group(api, [inner], { Name: "outer" });
    await ok(api.patch("/Role", { Name: "Clerks", Scopes: ["Webhooks:Delete"], Members: [outer] }));
    await ok(api.patch("/Role", { Name: "admin", Members: { Remove: [admin] } }));
    await ok(
      api.patch(`/Application/${client.id}/Credentials`, {
        ClaimMapping: [
          { Claim: "roles", From: "Roles" },
          { Claim: "groups", From: "Groups" },
        ],
      }),
    );
    const visitor = new Visitor();
    const claims = async () => {
      const { body } = await client.token(
        await client.code(visitor, { scope: "openid Webhooks:Delete AccessManager:Read" }),
      );
      return decodeJwt(body.access_token);
    };
    const names = [(await ok(api.get(`/Group/${inner.Id}`))).Name, "outer"].sort();
    expect(await claims()).toMatchObject({ scope: "openid Webhooks:Delete", roles: ["Clerks"], groups: names });

    const many = Array.from({ length: 99 }, (_, index) => ({ Name: `many ${index}`, Members: [admin] }));
    await ok(api.patch("/Group", many));
    const tooMany = await claims();
    expect(tooMany).toMatchObject({ hasgroups: true, roles: ["Clerks"] });
    expect(tooMany).not.toHaveProperty("groups");

    await ok(setMembers(api, outer, []));
    expect(await claims()).toMatchObject({ scope: "openid", roles: [] });
  });

  test("makes changes of the group need what the role needs", async () => {
    const api = await newTenant();
    const [ana, inner] = [await user(api), await group(api)];
    const outer = await group(api, [inner]);
    const editor = await newMember(api, "editor");
    await ok(setMembers(editor, inner, { Add: [ana] }));
    const role = await ok(api.patch("/Role", { Name: "Chiefs", Members: [outer] }));
    expect(role.Members).toEqual([outer]);
    for (const one of [inner, outer]) {
      const answers = [
        await setMembers(editor, one, { Remove: [ana] }),
        await setMembers(editor, one, []),
        await editor.patch("/Group", { Id: one.Id, Name: unique("other") }),
        await editor.patch("/Group", [{ Id: one.Id, Members: [ana] }]),
      ];
      for (const answer of answers) expectError(answer, 403, "Permission", /Settings:Update/);
    }
    await ok(setMembers(editor, await group(editor), [ana]));
    await ok(setMembers(api, inner, { Remove: [ana] }));
    await savePolicy(
      api,
      "Chiefs",
      'forbid (principal, action == Action::"Settings:Update", resource == Role::"Chiefs");',
    );
    expectError(await setMembers(api, inner, { Add: [ana] }), 403, "Permission");
    expectError(await api.remove(`/Group/${outer.Id}`), 403, "Permission");
  });
});

test("an event has the added and removed members, or their numbers if they are many", async () => {
  const api = await newTenant();
  await api.connect("https://localhost:9443/", { Entities: ["Group"], State: "Paused" });
  const [ana, bob] = [await user(api), await user(api)];
  const { Id } = await group(api, [ana]);
  const members = async () => {
    const { EventId } = await api.newestEvent();
    const { Payload } = (await api.event(EventId)) as unknown as {
      Payload: { EventRecord: string; Data: { Members: object } };
    };
    expect(Payload.EventRecord).toBe("Group");
    return Payload.Data.Members;
  };
  expect(await members()).toEqual({ Added: [ana], Removed: [] });
  await ok(api.patch("/Group", { Id, Members: [bob] }));
  expect(await members()).toEqual({ Added: [bob], Removed: [ana] });
  await ok(api.patch("/Group", { Id, Description: "x" }));
  expect(await members()).toEqual({ Added: [], Removed: [] });
  const Add = (await plantUsers(api, 100, db())).map((one) => ({ Type: "User", Id: one }));
  await ok(api.patch("/Group", { Id, Members: { Add, Remove: [bob] } }));
  expect(await members()).toEqual({ AddedCount: 100, RemovedCount: 1 });
  const gone = await ok(api.remove(`/Group/${Id}`));
  expect(gone.Members.length).toBe(100);
  expect(await members()).toEqual({ Added: [], Removed: gone.Members });
});

test("a group of another tenant, or an unknown one, is no member", async () => {
  const [api, other] = [await newTenant(), await newTenant()];
  const theirs = await group(other);
  const mine = await group(api);
  const refused = await setMembers(api, mine, [theirs]);
  expectError(refused, 400, "Bad Input", new RegExp(`^There is no Group ${theirs.Id}, so it cannot be a member\\.$`));
});
