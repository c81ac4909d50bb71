// RFC 9110 13 where entities differ from other kinds, which test/http/conditions.test.ts walks.

import { describe, expect, test } from "bun:test";
import { type Api, expectError } from "../world/api.ts";
import { eventsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

async function tagged(caller: Api, path: string): Promise<string> {
  return (await caller.get(path)).headers.get("etag")!;
}

describe.concurrent("an ETag", () => {
  test("is the same for a record found by another field", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("Department", { Name: "one" });
    expect(await tagged(caller, "/Department/one?Name=Name")).toBe(await tagged(caller, `/Department/${Id}`));
  });

  test("differs after any change, also of hidden fields or referenced records", async () => {
    const caller = await newTenant();
    const parent = await caller.made("Application", { Name: "parent" });
    const { Id } = await caller.made("Application", { Name: "child" });
    const tags = [await tagged(caller, `/Application/${Id}`)];
    await caller.made("Application", { Id, ApplicationId: { Id: parent.Id } });
    tags.push(await tagged(caller, `/Application/${Id}`));
    await caller.made("Application", { Id: caller.clientId, Name: "renamed client" });
    tags.push(await tagged(caller, `/Application/${Id}`));
    expect(new Set(tags).size).toBe(3);
  });
});

describe.concurrent("If-Match", () => {
  test("with a complete outdated record is 412 without an event, not an error about ModifiedOn", async () => {
    const caller = await newTenant();
    const made = await caller.patch("/Department", { Name: "one" });
    await caller.made("Department", { Name: "one", Description: "changed" });
    const answer = await caller.patch("/Department", made.body, { "if-match": made.headers.get("etag")! });
    expectError(answer, 412, "Precondition Failed");
    expect(await eventsOf(caller.tenantId)).toHaveLength(2);
  });

  test("with an unknown Id is also 404 (SPEC.md Endpoints 5, rule 1)", async () => {
    const caller = await newTenant();
    expectError(await caller.patch("/Department", { Id: 999_999_999 }, { "if-match": "*" }), 404, "Not Found");
  });

  test("applies to one record: with an array it is 400", async () => {
    const caller = await newTenant();
    const answer = await caller.patch("/Department", [{ Name: "one" }], { "if-match": "*" });
    expectError(answer, 400, "Bad Input", /not an array/);
  });
});
