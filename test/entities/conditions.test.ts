// RFC 9110 13: ETag, If-Match, If-None-Match.

import { describe, expect, test } from "bun:test";
import type { Api } from "../support/api.ts";
import { newTenant } from "../support/tenant.ts";
import { API, eventsOf, expectError } from "./client.ts";

const PATH = `${API}/Department`;

async function tagged(caller: Api, path: string): Promise<string> {
  return (await caller.get(path)).headers.get("etag")!;
}

describe.concurrent("an ETag", () => {
  test("is strong, and equal in every answer about one state", async () => {
    const caller = await newTenant();
    const made = await caller.patch("/Department", { Name: "one" });
    const tag = made.headers.get("etag")!;
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(await tagged(caller, `/Department/${made.body.Id}`)).toBe(tag);
    expect(await tagged(caller, "/Department/one?Name=Name")).toBe(tag);
    expect((await caller.patch("/Department", made.body)).headers.get("etag")).toBe(tag);
    expect((await caller.remove(`/Department/${made.body.Id}`)).headers.get("etag")).toBe(tag);
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

describe.concurrent("If-None-Match on GET", () => {
  test("is 304 without a body while unchanged, then 200", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("Department", { Name: "one" });
    const path = `/Department/${Id}`;
    const tag = await tagged(caller, path);
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const answer = await caller.get(path, { "if-none-match": value });
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 304, body: undefined });
      expect(answer.headers.get("etag")).toBe(tag);
    }
    await caller.made("Department", { Id, Description: "changed" });
    expect((await caller.get(path, { "if-none-match": tag })).body.Description).toBe("changed");
  });
});

describe.concurrent("If-Match", () => {
  test("with the current ETag allows a change, with a former one is 412 without a change", async () => {
    const caller = await newTenant();
    const made = await caller.patch("/Department", { Name: "one" });
    const stale = made.headers.get("etag")!;
    const fresh = await caller.patch("/Department", { Name: "one", Description: "mine" }, { "if-match": stale });
    expect(fresh.status).toBe(200);
    const lost = await caller.patch("/Department", { Name: "one", Description: "theirs" }, { "if-match": stale });
    expectError(lost, 412, "Precondition Failed", PATH, /has changed since the version in If-Match/);
    const path = `/Department/${made.body.Id}`;
    expectError(await caller.remove(path, { "if-match": stale }), 412, "Precondition Failed", API + path);
    expectError(await caller.get(path, { "if-match": stale }), 412, "Precondition Failed", API + path);
    expect((await caller.get(path)).body).toEqual(fresh.body);
    expect(await eventsOf(caller.tenantId)).toHaveLength(2);
    const tags = `"other", ${fresh.headers.get("etag")}`;
    expect((await caller.remove(path, { "if-match": tags })).status).toBe(200);
  });

  test("with a complete outdated record is 412, not an error about ModifiedOn", async () => {
    const caller = await newTenant();
    const made = await caller.patch("/Department", { Name: "one" });
    await caller.made("Department", { Name: "one", Description: "changed" });
    const answer = await caller.patch("/Department", made.body, { "if-match": made.headers.get("etag")! });
    expectError(answer, 412, "Precondition Failed", PATH);
  });

  test("compares strongly: a weak tag matches nothing", async () => {
    const caller = await newTenant();
    const made = await caller.patch("/Department", { Name: "one" });
    const answer = await caller.patch("/Department", { Name: "one" }, { "if-match": `W/${made.headers.get("etag")}` });
    expectError(answer, 412, "Precondition Failed", PATH);
  });

  test("* matches any existing record; an upsert that would insert is 412", async () => {
    const caller = await newTenant();
    for (const value of ["*", '"any"']) {
      const answer = await caller.patch("/Department", { Name: "one" }, { "if-match": value });
      expectError(answer, 412, "Precondition Failed", PATH, /there is none/);
    }
    await caller.made("Department", { Name: "one" });
    expect((await caller.patch("/Department", { Name: "one" }, { "if-match": "*" })).status).toBe(200);
  });

  test("with an unknown Id is also 404 (SPEC.md Endpoints 5, rule 1)", async () => {
    const caller = await newTenant();
    expectError(await caller.patch("/Department", { Id: 999_999_999 }, { "if-match": "*" }), 404, "Not Found", PATH);
  });

  test("of ten callers with the same ETag, one succeeds", async () => {
    const caller = await newTenant();
    const made = await caller.patch("/Department", { Name: "one" });
    const tag = { "if-match": made.headers.get("etag")! };
    const bodies = Array.from({ length: 10 }, (_, index) => ({ Id: made.body.Id, Description: `${index}` }));
    const answers = await Promise.all(bodies.map((body) => caller.patch("/Department", body, tag)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(412)]);
  });

  test.each(["one", "", '"a" "b"', '"a', 'w/"a"', '"a", b', '*, "a"'])(
    "%j is not a list of ETags: 400",
    async (value) => {
      const caller = await newTenant();
      for (const name of ["if-match", "if-none-match"]) {
        const answer = await caller.patch("/Department", { Name: "one" }, { [name]: value });
        expectError(answer, 400, "Bad Input", PATH, /ETags/);
      }
    },
  );

  test("applies to one record: with an array it is 400", async () => {
    const caller = await newTenant();
    const answer = await caller.patch("/Department", [{ Name: "one" }], { "if-match": "*" });
    expectError(answer, 400, "Bad Input", PATH, /not an array/);
  });
});

test("If-None-Match * on an upsert inserts, and never updates", async () => {
  const caller = await newTenant();
  const only = { "if-none-match": "*" };
  expect((await caller.patch("/Department", { Name: "one" }, only)).status).toBe(200);
  expectError(await caller.patch("/Department", { Name: "one" }, only), 412, "Precondition Failed", PATH);
});
