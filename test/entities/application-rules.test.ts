import { describe, expect, test } from "bun:test";
import { type Api, cases, expectError, unique } from "../world/api.ts";
import { eventsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const EMPTY = cases(undefined, null, "");

const upsert = (caller: Api, body: unknown) => caller.patch("/Application", body);

async function made(caller: Api, fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = await upsert(caller, fields);
  expect(answer.status).toBe(200);
  return answer.body;
}

// Rules that hold for every entity are in spec-rules.test.ts.
describe("SPEC.md Endpoints 5, rule 1: Id is not empty", () => {
  test("an Id given as a number is Bad Input, because it is a string", async () => {
    const caller = await newTenant();
    const { Id } = await made(caller, { Name: "Numbered" });
    expectError(await upsert(caller, { Id: Number(Id), Description: "one" }), 400, "Bad Input", /as a string/);
  });

  test.each(["999999999", "9007199254740991", "9007199254740993", "-5", "007", "no-such-id", " ", "1.5", "🙈"])(
    "not matched: %p is 404 Not Found, and nothing is created",
    async (Id) => {
      const caller = await newTenant();
      expectError(await upsert(caller, { Id, Name: "New" }), 404, "Not Found");
      expect(await eventsOf(caller.tenantId)).toEqual([]);
    },
  );

  test.each(cases(true, {}, [], ["1001"], 1.5, 1e300))("%p cannot be an Id: 400 Bad Input", async (Id) => {
    const caller = await newTenant();
    expectError(await upsert(caller, { Id, Name: "New" }), 400, "Bad Input", /Id/);
  });

  test("the Id takes precedence: an identifier of another record is 409, naming the field", async () => {
    const caller = await newTenant();
    const first = await made(caller, { Name: "First", ApplicationKey: "first", ExternalId: "1" });
    const second = await made(caller, { Name: "Second" });
    for (const [field, value] of Object.entries({ Name: "First", ApplicationKey: "first", ExternalId: "1" })) {
      const answer = await upsert(caller, { Id: second.Id, [field]: value });
      expectError(answer, 409, "Conflict", new RegExp(`^${field} is already used`));
    }
    expect((await upsert(caller, { Id: first.Id, Name: "First" })).status).toBe(200);
  });
});

describe("SPEC.md Endpoints 5, rule 2: Id is empty, an identifier is given", () => {
  test.each(EMPTY)("Id %p, no match: inserted", async (Id) => {
    const caller = await newTenant();
    const answer = await upsert(caller, { Id, Name: "Inserted" });
    expect(answer.status).toBe(200);
    expect(answer.body.Id).toMatch(/^[1-9]\d*$/);
    expect((await eventsOf(caller.tenantId)).map((event) => event.type)).toEqual(["Created"]);
  });

  test("several identifiers of one record: that record is updated", async () => {
    const caller = await newTenant();
    const before = await made(caller, { Name: "N", ExternalId: "E", ApplicationKey: "K" });
    expect((await made(caller, { Name: "N", ExternalId: "E", ApplicationKey: "K", Is_Active: true })).Id).toBe(
      before.Id,
    );
  });

  test("one matching identifier lets the others be set", async () => {
    const caller = await newTenant();
    const before = await made(caller, { Name: "N" });
    const after = await made(caller, { Name: "N", ExternalId: "E2", ApplicationKey: "K2" });
    expect(after).toMatchObject({ Id: before.Id, Name: "N", ExternalId: "E2", ApplicationKey: "K2" });
  });

  test("identifiers are case-sensitive, and ignore spaces at their ends", async () => {
    const caller = await newTenant();
    const ids = new Set<unknown>();
    for (const Name of ["front", "Front", "front ", " front"]) ids.add((await made(caller, { Name })).Id);
    expect(ids.size).toBe(2);
  });
});

describe("SPEC.md Endpoints 5, rule 3: Id, Name, ExternalId and ApplicationKey are empty", () => {
  test.each(EMPTY)("all %p: every call inserts a new record", async (empty) => {
    const caller = await newTenant();
    const body = { Id: empty, Name: empty, ExternalId: empty, ApplicationKey: empty, Description: "no name" };
    const first = await made(caller, body);
    const second = await made(caller, body);
    expect(first.Id).not.toBe(second.Id);
    expect(first).toMatchObject({ Name: "", ExternalId: "", ApplicationKey: "", Description: "no name" });
  });

  test("an empty object inserts an empty record", async () => {
    expect((await made(await newTenant(), {})).Description).toBe("");
  });
});

describe("the answer", () => {
  test("is SPEC.md's complete response; ModifiedBy and CreatedBy are the client", async () => {
    const caller = await newTenant();
    const fields = {
      Name: unique("whole"),
      ApplicationKey: "whole-key",
      ExternalId: "whole-external",
      Description: "All of it",
      WebSiteURL: "https://example.com",
      Is_System: true,
      Is_EndUser: true,
      Is_Active: true,
    };
    const answer = await upsert(caller, fields);
    const client = { Id: Number(caller.clientId), ExternalId: "", Name: "demo-client", Type: "Application" };
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.body).toEqual({
      ...fields,
      Id: expect.stringMatching(/^[1-9]\d*$/),
      ModifiedOn: date,
      ModifiedBy: client,
      CreatedOn: date,
      CreatedBy: client,
    });
    expect(answer.body.ModifiedOn).toBe(answer.body.CreatedOn);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await eventsOf(caller.tenantId)).toEqual([
      { type: "Created", recordId: answer.body.Id, sequences: [1], data: answer.body },
    ]);
  });

  test("POST behaves like PATCH", async () => {
    const caller = await newTenant();
    const post = (body: unknown) =>
      caller.send("POST", "/Application", {
        headers: { "content-type": "application/json; charset=UTF-8" },
        body: JSON.stringify(body),
      });
    const first = await post({ Name: "posted" });
    expect(first.status).toBe(200);
    expect((await post({ Name: "posted", Is_Active: true })).body).toMatchObject({
      Id: first.body.Id,
      Is_Active: true,
    });
  });

  test("an update changes ModifiedOn and keeps CreatedOn", async () => {
    const caller = await newTenant();
    const first = await made(caller, { Name: "dated" });
    const second = await made(caller, { Name: "dated", Description: "changed" });
    expect(second.CreatedOn).toBe(first.CreatedOn);
    expect(Date.parse(String(second.ModifiedOn))).toBeGreaterThanOrEqual(Date.parse(String(first.ModifiedOn)));
    const events = await eventsOf(caller.tenantId);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ["Created", first],
      ["Updated", second],
    ]);
  });

  test("no change: the same record and ModifiedOn, and no event", async () => {
    const caller = await newTenant();
    const fields = { Name: "still", Description: null, WebSiteURL: "", Is_Active: true };
    const first = await made(caller, fields);
    expect(await made(caller, fields)).toEqual(first);
    expect(await made(caller, { Id: first.Id })).toEqual(first);
    expect(await made(caller, first)).toEqual(first);
    expect(await eventsOf(caller.tenantId)).toHaveLength(1);
  });
});

test("the same identifiers in two tenants are two records", async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  const fields = { Name: "shared", ExternalId: "shared", ApplicationKey: "shared" };
  const mine = await made(one, fields);
  const theirs = await made(other, fields);
  expect(mine.Id).not.toBe(theirs.Id);
  expectError(await upsert(other, { Id: mine.Id, Name: "stolen" }), 404, "Not Found");
  expectError(await other.get(`/Application/${mine.Id}`), 404, "Not Found");
  expect((await one.get(`/Application/${mine.Id}`)).body).toEqual(mine);
});

test("a client's own Application is changed like any other", async () => {
  const caller = await newTenant();
  const answer = await upsert(caller, { Id: caller.clientId, Description: "me" });
  expect(answer.body).toMatchObject({ Id: caller.clientId, Name: "demo-client", Description: "me" });
});
