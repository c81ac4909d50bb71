// A list of references, which a body replaces or changes in part: the Members of a Role, and those of an entity of the
// tests.

import { describe, expect, test } from "bun:test";
import { connect } from "../../server/platform/db/sql.ts";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { startAppWith } from "../support/private-app.ts";
import { type Api, expectError, ok, unique } from "../world/api.ts";
import { holdRows, untilWaiting } from "../world/locks.ts";
import { plantUsers } from "../world/planted.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { countStatements } from "./stored.ts";
import { TABLE, team } from "./team.ts";

const app = closedAfterAll(await startAppWith(TABLE, { entities: createRegistry([...ENTITIES, team]) }));
const sql = connect(app.databaseUrl, "gatehouse test", 4);
closedAfterAll({ [Symbol.asyncDispose]: () => sql.end() });

/** The field that finds a record, and its tables. */
const KINDS = {
  Role: { by: "Name", table: "roles", rows: "role_members", key: "role_id" },
  Group: { by: "Name", table: "groups", rows: "group_members", key: "group_id" },
  Team: { by: "Code", table: "teams", rows: "team_members", key: "team_id" },
} as const;

const newUser = async (api: Api) => ({
  Type: "User",
  Id: (await ok(api.patch("/User", { Username: unique("user") }))).Id as number,
});

describe.each(Object.entries(KINDS))("the Members of a %s", (kind, { by, table, rows, key }) => {
  const path = `/${kind}`;
  const made = async () => {
    const api = await newTenant(app);
    const { Id } = await ok(api.patch(path, { [by]: "clerks" }));
    const [ana, ivo, eva] = [await newUser(api), await newUser(api), await newUser(api)];
    const save = (Members: unknown, headers = {}) => api.patch(path, { [by]: "clerks", Members }, headers);
    return { api, Id: Id as string | number, ana, ivo, eva, save };
  };

  test("are added and removed one by one; a list replaces them", async () => {
    const { api, ana, ivo, eva, save, Id } = await made();
    expect((await ok(save({ Add: [ivo, ana] }))).Members).toEqual([ana, ivo]);
    expect((await ok(save({ Add: [eva], Remove: [ana] }))).Members).toEqual([ivo, eva]);
    // The Id may be a text.
    expect((await ok(save({ Remove: [{ ...ivo, Id: String(ivo.Id) }] }))).Members).toEqual([eva]);
    expect((await ok(save([ana]))).Members).toEqual([ana]);
    const read = await ok(api.get(`${path}/${Id}`));
    expect(read.Members).toEqual([ana]);
    expect(await ok(api.patch(path, read))).toEqual(read);
    expect((await ok(save(null))).Members).toEqual([]);
    const other = await ok(api.patch(path, { [by]: "others", Members: { Add: [ana] } }));
    expect(other.Members).toEqual([ana]);
    await ok(api.remove(`/User/${ana.Id}`));
    expect((await ok(api.get(`${path}/${other.Id}`))).Members).toEqual([]);
    expect((await ok(api.remove(`${path}/${other.Id}`))).Members).toEqual([]);
  });

  test("may be added twice and removed twice, which changes nothing", async () => {
    const { api, ana, ivo, save, Id } = await made();
    const [first, etag] = [await ok(save({ Add: [ana, ana] })), await etagOf(api, `${path}/${Id}`)];
    expect(await ok(save({ Add: [ana] }))).toEqual(first);
    expect(await ok(save({ Remove: [ivo, ivo] }))).toEqual(first);
    expect(await ok(save({ Add: [], Remove: [] }))).toEqual(first);
    expect(await etagOf(api, `${path}/${Id}`)).toBe(etag);
  });

  test("are refused in both forms at once, and in wrong ones; nothing is written", async () => {
    const { api, ana, save, Id } = await made();
    const types = { Role: '"User" \\| "Application" \\| "Group"', Group: '"User" \\| "Group"', Team: '"User"' }[kind];
    const member = `must be \\{"Type": ${types}, "Id": …\\}\\.$`;
    const wrong: [unknown, RegExp][] = [
      [5, /^Members must be a list of at most 1000\.$/],
      [Array(1_001).fill(ana), /^Members must be a list of at most 1000\.$/],
      [{ Add: Array(1_001).fill(ana) }, /^Members\.Add must be a list of at most 1000\.$/],
      [{ Remove: ana }, /^Members\.Remove must be a list of at most 1000\.$/],
      [{ Add: null }, /^Members\.Add must be a list/],
      [{}, /^Members must be a list, or an object with only Add and Remove\.$/],
      [{ Add: [ana], Set: [ana] }, /^Members must be a list, or an object with only Add and Remove\.$/],
      [ana, /^Members must be a list, or an object with only Add and Remove\.$/],
      [[ana, { Add: [ana] }], new RegExp(`^Members\\[1\\] ${member}`)],
      [{ Add: [ana, { Type: "Department", Id: 1 }] }, new RegExp(`^Members\\.Add\\[1\\] ${member}`)],
      [{ Remove: [null] }, new RegExp(`^Members\\.Remove\\[0\\] ${member}`)],
      [{ Add: [ana], Remove: [ana] }, new RegExp(`^Members has User ${ana.Id} in both Add and Remove\\.$`)],
    ];
    for (const [Members, says] of wrong) expectError(await save(Members), 400, "Bad Input", says);
    expect((await ok(api.get(`${path}/${Id}`))).Members).toEqual([]);
  });

  test("are records of the tenant, found by Id alone: strangers, unknown and self-made ones are not adopted", async () => {
    const { api, ana, save, Id } = await made();
    const stranger = await newUser(await newTenant(app));
    for (const one of [stranger, { Type: "User", Id: 2_147_483_648 }, { Type: "User", Id: 9_007_199_254_740_991 }]) {
      const whole = await save([ana, one]);
      const part = await save({ Add: [ana, one] });
      expectError(whole, 400, "Bad Input", new RegExp(`^There is no User ${one.Id}, so it cannot be a member\\.$`));
      expect([part.status, part.body.Errors]).toEqual([whole.status, whole.body.Errors]);
      expect((await ok(save({ Remove: [one] }))).Members).toEqual([]);
    }
    for (const Members of [[{ Type: "User", Name: "Ana" }], { Add: [{ Type: "User", External_Id: "HR-1" }] }]) {
      expectError(await save(Members), 400, "Bad Input", /^Members(\.Add)?\[0\] must be/);
    }
    // A record that the caller may not read is a member like any other: its Id is no secret.
    const { clientId } = api;
    const Policy = `forbid (principal == Client::"${clientId}", action == Action::"AccessManager:Read", resource == User::"${ana.Id}");`;
    await ok(api.patch("/Policy", { Name: "Hide", Policy }));
    expect((await api.get(`/User/${ana.Id}`)).status).toBe(403);
    expect((await ok(save({ Add: [ana] }))).Members).toEqual([ana]);
    expect((await ok(api.get(`${path}/${Id}`))).Members).toEqual([ana]);
  });

  test("are changed only as policies and conditions permit", async () => {
    const { api, ana, ivo, save, Id } = await made();
    const etag = await etagOf(api, `${path}/${Id}`);
    await ok(save({ Add: [ana] }));
    expect((await save({ Add: [ivo] }, { "if-match": etag })).status).toBe(412);
    const Policy = `forbid (principal, action, resource is ${kind}) when { resource.${by} == "clerks" };`;
    await ok(api.patch("/Policy", { Name: "Closed", Policy }));
    for (const Members of [{ Add: [ivo] }, { Remove: [ana] }, [ivo], { Add: [{ Type: "User", Id: 999_999_999 }] }]) {
      expect((await save(Members)).status).toBe(403);
    }
    expect(await rowsOf(rows, { [key]: Id }, sql)).toMatchObject([{ user_id: ana.Id }]);
  });

  test("that two callers add at once are both added", async () => {
    const { api, ana, ivo, save, Id } = await made();
    await using lock = await holdRows(table, { id: Id }, sql);
    const saves = [save({ Add: [ana] }), save({ Add: [ivo] })];
    await untilWaiting(2, [""], sql);
    await lock.release();
    for (const saved of saves) expect((await saved).status).toBe(200);
    expect((await ok(api.get(`${path}/${Id}`))).Members).toEqual([ana, ivo]);
  });

  test("may be 5,000, and a change writes one row", async () => {
    const { api, save, Id } = await made();
    const all = (await plantUsers(api, 5_000, sql)).map((Id) => ({ Type: "User", Id }));
    for (let first = 0; first < all.length; first += 1_000) {
      await ok(save({ Add: all.slice(first, first + 1_000) }));
    }
    const stored = () => sql.unsafe(`select id, xmin::text, ctid::text, user_id from ${rows} where ${key} = $1`, [Id]);
    const before = await stored();
    expect(before.length).toBe(5_000);
    const extra = await newUser(api);
    const statements = await countStatements(sql, rows, async () => {
      const { Members } = await ok(save({ Add: [extra], Remove: [all[7]!] }));
      expect(Members.length).toBe(5_000);
    });
    expect(statements).toEqual(["delete 1", "insert 1"]);
    const known = new Set(before.map((row) => JSON.stringify(row)));
    const after = await stored();
    expect(after.filter((row) => !known.has(JSON.stringify(row))).map((row) => row.user_id)).toEqual([extra.Id]);
    expect(await countStatements(sql, rows, () => ok(save({ Add: [extra] })))).toEqual([]);
    expectError(await save(all.slice(0, 1_001)), 400, "Bad Input", /^Members must be a list of at most 1000\.$/);

    const others = await plantUsers(api, 5_000, sql);
    for (let first = 0; first < others.length; first += 1_000) {
      await ok(save({ Add: others.slice(first, first + 1_000).map((Id) => ({ Type: "User", Id })) }));
    }
    const tooMany = `^Members would have 10001 members; the maximum of a ${kind} is 10000\\.$`;
    expectError(await save({ Add: [all[7]!] }), 409, "Conflict", new RegExp(tooMany));
    expect((await ok(save({ Add: [all[7]!], Remove: [all[8]!] }))).Members.length).toBe(10_000);
  }, 300_000);
});

async function etagOf(api: Api, path: string): Promise<string> {
  return (await api.get(path)).headers.get("etag")!;
}
