// More hidden records than one request examines: no list and no look-up reveals their number.

import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { newMasterKey } from "../../server/appliance/embedded/data-directory.ts";
import { createVault } from "../../server/platform/vault.ts";
import { createCursors, MAX_ROWS_READ, MIN_ROWS_READ } from "../../server/records/access/gate/list.ts";
import { type Api, ok, unique } from "../world/api.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

const PER_REQUEST = 1_000;

describe("with more hidden records than a request reads", () => {
  const email = `${unique("shared")}@example.com`;
  let reader: Api;
  let readable: { Id: number };

  beforeAll(async () => {
    const admin = await newTenant();
    reader = await newMember(admin);
    const principal = `principal == Client::"${reader.clientId}"`;
    await savePolicy(
      admin,
      "Some",
      `permit (${principal}, action, resource is User) when { resource.Name like "Open*" };`,
    );
    for (let made = 0; made <= MAX_ROWS_READ; made += PER_REQUEST) {
      const users = Array.from({ length: PER_REQUEST }, (_, index) => ({
        Username: `${email} ${made + index}`,
        Name: "Closed",
        Email: email,
      }));
      await ok(admin.patch("/User", users));
    }
    readable = await ok(admin.patch("/User", { Username: unique("open"), Name: "Open", Email: email }));
  });

  test("a look-up finds the visible one", async () => {
    const path = `/User/base64%7C${Buffer.from(email).toString("base64url")}?Name=Email`;
    expect(await ok(reader.get(path))).toMatchObject({ Id: readable.Id, Email: email });
  });

  test.each(["Email", "Search"])("a list by %s shows it on a later page", async (filter) => {
    const path = `/User?Limit=1&${filter}=${encodeURIComponent(email)}`;
    const first = await ok(reader.get(path));
    expect(first).toEqual({ Items: [], Next: expect.any(String), Hidden: null });
    let page = first;
    for (let pages = 1; page.Items.length === 0 && pages < 5; pages++) {
      page = await ok(reader.get(`${path}&Cursor=${page.Next}`));
    }
    expect(page).toMatchObject({ Items: [{ Id: readable.Id }], Next: null });
  });
});

describe("the number of rows a request reads", () => {
  const one = createCursors(createVault(newMasterKey()));
  const other = createCursors(createVault(newMasterKey()));
  const question = fc.tuple(fc.array(fc.string(), { minLength: 1 }), fc.option(fc.string(), { nil: undefined }));

  test("is the same for the same query, and within the limits", () => {
    fc.assert(
      fc.property(question, ([list, after]) => {
        const rows = one.rowsLookedAt(list, after);
        expect(rows).toBe(one.rowsLookedAt([...list], after));
        expect(rows).toBeGreaterThanOrEqual(MIN_ROWS_READ);
        expect(rows).toBeLessThanOrEqual(MAX_ROWS_READ);
      }),
    );
  });

  test("differs by filter, page and installation, so callers cannot fill up to it", () => {
    const filters = Array.from({ length: 200 }, (_, index) => [`Search=guess ${index}`]);
    const distinct = (rows: number[]) => new Set(rows).size;
    expect(distinct(filters.map((filter) => one.rowsLookedAt(filter, undefined)))).toBeGreaterThan(100);
    expect(distinct(filters.map((_, index) => one.rowsLookedAt(["list"], String(index))))).toBeGreaterThan(100);
    const differs = filters.filter((filter) => one.rowsLookedAt(filter, "") !== other.rowsLookedAt(filter, ""));
    expect(differs.length).toBeGreaterThan(150);
  });
});
