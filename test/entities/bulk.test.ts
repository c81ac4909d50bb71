import { describe, expect, test } from "bun:test";
import { type Api, cases, expectError } from "../world/api.ts";
import { startReceiver } from "../world/receiver.ts";
import { payloadsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

/** Type, short id and the Names of Data of each event. */
async function bulkEvents(caller: Api) {
  return (await payloadsOf(caller.tenantId)).map(({ recordId, payload }) => {
    const data = [payload.Data].flat() as { Name: string; Description: string }[];
    expect(payload.EventResponse).toBe(data.length === 1 ? "Object" : "Array");
    return {
      type: payload.EventType,
      recordId,
      records: data.map(({ Name, Description }) => `${Name}:${Description}`),
    };
  });
}

describe.concurrent("an array", () => {
  test("is upserted as a whole and answered in order, with one event per kind", async () => {
    const caller = await newTenant();
    const [a, b] = (await caller.patch("/Department", [{ Name: "a" }, { Name: "b" }])).body;
    const answer = await caller.patch("/Department", [
      { Name: "new", Description: "1" },
      { Name: "b" },
      { Id: a.Id, Description: "2" },
      { Name: "newer", Description: "3" },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.map((record: { Name: string }) => record.Name)).toEqual(["new", "b", "a", "newer"]);
    expect(answer.body[1]).toEqual(b);
    for (const record of answer.body) expect((await caller.get(`/Department/${record.Id}`)).body).toEqual(record);
    expect(await bulkEvents(caller)).toEqual([
      { type: "Created", recordId: `${a.Id},${b.Id}`, records: ["a:", "b:"] },
      { type: "Created", recordId: `${answer.body[0].Id},${answer.body[3].Id}`, records: ["new:1", "newer:3"] },
      { type: "Updated", recordId: String(a.Id), records: ["a:2"] },
    ]);
  });

  test("without changes has no event; an empty one is answered with an empty one", async () => {
    const caller = await newTenant();
    const { body } = await caller.patch("/Department", [{ Name: "a" }]);
    expect((await caller.patch("/Department", body)).body).toEqual(body);
    expect((await caller.patch("/Department", [])).body).toEqual([]);
    expect(await bulkEvents(caller)).toHaveLength(1);
  });

  test("can name one record several times: applied in order, and each answer has the final state", async () => {
    const caller = await newTenant();
    const { body } = await caller.patch("/Department", [
      { Name: "same", Description: "first", Is_Active: true },
      { Name: "same", ExternalId: "x" },
      { ExternalId: "x", Name: "renamed", Description: "last" },
      { Name: "same", Description: "another" },
    ]);
    expect(body[0]).toMatchObject({ Name: "renamed", Description: "last", ExternalId: "x", Is_Active: true });
    expect([body[1], body[2]]).toEqual([body[0], body[0]]);
    expect(body[3].Id).not.toBe(body[0].Id);
    expect(await bulkEvents(caller)).toEqual([
      { type: "Created", recordId: expect.any(String), records: ["renamed:last", "same:another"] },
    ]);
  });

  test("can reference a record created earlier in it", async () => {
    const caller = await newTenant();
    const { body } = await caller.patch("/Department", [
      { Name: "top" },
      { Name: "sub", ParentId: { FieldType: "Name", Value: "top" } },
    ]);
    expect(body[1].ParentId).toEqual({ Id: body[0].Id, ExternalId: "", Name: "top", Type: "Department" });
  });

  test.each([
    [{ Nmae: "x" }, 400, "Bad Input", /^Record 2: Nmae is not a field of Department/],
    [null, 400, "Bad Input", /^Record 2: Department must be a JSON object/],
    [[{ Name: "x" }], 400, "Bad Input", /^Record 2: Department must be a JSON object/],
    [{ Id: 999_999_999 }, 404, "Not Found", /^Record 2: There is no Department/],
    [{ Name: "held", ExternalId: "other" }, 400, "Bad Input", /^Record 2: ExternalId, Name point at several/],
    [{ Name: "x", ParentId: { Id: 999_999_999 } }, 400, "Bad Input", /^Record 2: ParentId points at no record/],
    [{ Name: "x", ModifiedOn: "2001-01-01T00:00:00Z" }, 400, "Bad Input", /^Record 2: ModifiedOn is set by the server/],
  ])("with the invalid record %j is rejected as a whole, naming its index", async (bad, status, type, says) => {
    const caller = await newTenant();
    await caller.patch("/Department", [{ Name: "held" }, { ExternalId: "other" }]);
    const good = ["a", "b", "c"].map((Name) => ({ Name }));
    const answer = await caller.patch("/Department", [good[0], good[1], bad, good[2]]);
    expectError(answer, status, type, says);
    expect((await caller.get("/Department")).body.Items).toHaveLength(2);
    expect(await bulkEvents(caller)).toHaveLength(1);
  });

  test("with a record that takes a used unique value is 409 naming its index", async () => {
    const caller = await newTenant();
    const [, two] = (await caller.patch("/Department", [{ Name: "one" }, { Name: "two" }])).body;
    const answer = await caller.patch("/Department", [{ Name: "three" }, { Id: two.Id, Name: "three" }]);
    expectError(answer, 409, "Conflict", /^Record 1: Name is already used by another Department/);
    expect((await caller.get("/Department")).body.Items).toHaveLength(2);
  });

  test("with many invalid records names twenty errors and counts the rest", async () => {
    const caller = await newTenant();
    const answer = await caller.patch("/Department", Array(50).fill({ Color: 1 }));
    expectError(answer, 400, "Bad Input");
    expect(answer.body.Errors).toHaveLength(21);
    expect(answer.body.Errors.slice(-2)).toEqual(["Record 19: Color is not a field of Department.", "… and 30 more."]);
  });

  test("has at most 1,000 records, which are processed in seconds", async () => {
    const caller = await newTenant();
    const records = Array.from({ length: 1_000 }, (_, index) => ({ Name: `n${index}`, ExternalId: `x${index}` }));
    const answer = await caller.patch("/Department", records);
    expect(answer.body).toHaveLength(1_000);
    expectError(
      await caller.patch("/Department", [...records, {}]),
      400,
      "Bad Input",
      /1001 records; the limit is 1000/,
    );
    const users = records.map(({ ExternalId }) => ({ External_Id: ExternalId, Department: { ExternalId } }));
    expect((await caller.patch("/User", users)).body[999].Department.Name).toBe("n999");
  });

  test.each(["Application", "Department", "User"])(
    "of %ss by concurrent callers in any order ends with one row each",
    async (entity) => {
      const caller = await newTenant();
      const [key, other] = entity === "User" ? ["Username", "Email"] : ["Name", "Description"];
      const records = Array.from({ length: 20 }, (_, index) => ({ [key!]: `n${index}` }));
      const bodies = Array.from({ length: 8 }, (_, caller) => {
        const own = records.map((record) => ({ ...record, [other!]: `by ${caller}` }));
        return caller % 2 ? own.toReversed() : own;
      });
      const singles = records.map((record) => ({ ...record, [other!]: "alone" }));
      const answers = await Promise.all([...bodies, ...singles].map((body) => caller.patch(`/${entity}`, body)));
      expect([...new Set(answers.map((answer) => answer.status))]).toEqual([200]);
      for (const record of records) {
        const { body } = await caller.get(`/${entity}?${key}=${Object.values(record)[0]}`);
        expect(body.Items).toHaveLength(1);
      }
    },
  );

  test.each(cases(5, "text", null))("contains JSON objects only: [%p] is 400", async (value) => {
    const caller = await newTenant();
    expectError(await caller.patch("/User", [value]), 400, "Bad Input", /^Record 0: User must be/);
  });
});

test("a receiver gets one signed call for an array, with an array as Data", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  await api.connect(receiver.url, { Entities: ["User"] });
  const { body } = await api.call("PATCH", "/User", [{ Username: "ada" }, { Username: "bob" }]);
  const event = await api.settledEvent();
  expect(event).toMatchObject({ EventRecord: "User", EventType: "Created", State: "Delivered" });
  expect(receiver.calls).toHaveLength(1);
  expect(receiver.calls[0]!.payload).toMatchObject({ EventResponse: "Array", Data: body as never });
});
