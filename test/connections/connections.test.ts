import { describe, expect, test } from "bun:test";
import { type Answer, API, expectError, unique } from "../world/api.ts";
import { newTenant, request } from "../world/tenant.ts";

const PATH = `${API}/WebhookConnection`;
const URL_OK = "https://hooks.example.com/in";
const FIELDS = { URL: URL_OK, Entities: ["Application"], Events: ["Created", "Updated", "Deleted"] };

const caller = await newTenant();

const upsert = (body: unknown, by = caller) => by.patch("/WebhookConnection", body);
const get = (id: string, by = caller) => by.get(`/WebhookConnection/${id}`);
const remove = (id: string, by = caller) => by.send("DELETE", `/WebhookConnection/${id}`);

async function made(fields: Record<string, unknown> = {}, by = caller) {
  const answer = await upsert({ ...FIELDS, ...fields }, by);
  expect(answer.status).toBe(200);
  return answer.body;
}

const refused = (answer: Answer, says: RegExp) => expectError(answer, 400, "Bad Input", says);

describe("a webhook connection", () => {
  test("is created by POST and PATCH alike, with all fields", async () => {
    for (const method of ["POST", "PATCH"]) {
      const Name = unique("whole");
      const answer = await caller.send(method, "/WebhookConnection", {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...FIELDS, Name, Secret: "hunter2", Description: "for Ana", TimeoutMs: 5_000 }),
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        ...FIELDS,
        Name,
        Description: "for Ana",
        TimeoutMs: 5_000,
        Id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ApiKey: expect.stringMatching(/^[\w-]{32}$/),
        Kind: "Push",
        Filter: null,
        Fields: null,
        ChangedFields: false,
        Previous: false,
        SignByKey: false,
        Compression: "None",
        Headers: {},
        Order: "None",
        RatePerSecond: null,
        MaxInFlight: null,
        HoldAfter: null,
        State: "Active",
        HeldOn: null,
        HeldReason: null,
      });
      expect((await get(answer.body.Id)).body).toEqual(answer.body);
    }
  });

  test("gets a generated ApiKey unless one is given", async () => {
    const [one, two] = [await made(), await made()];
    expect(one.ApiKey).not.toBe(two.ApiKey);
    expect((await made({ ApiKey: "my-own-key" })).ApiKey).toBe("my-own-key");
  });

  test("shows the ApiKey in its URL, which is the one sent, and accepts no second one", async () => {
    const { Id, ...before } = await made({ ApiKey: "own" });
    const change = (fields: object) => upsert({ Id, ...fields });
    const URL = `${URL_OK}?a=1&ApiKey=in%2Burl`;
    refused(await change({ URL, ApiKey: "own" }), /contains an ApiKey that differs/);
    expect((await get(Id)).body).toEqual({ Id, ...before });
    expect((await change({ URL })).body).toEqual({ Id, ...before, URL, ApiKey: "in+url" });
    refused(await change({ ApiKey: "own" }), /contains an ApiKey that differs/);
    const read = (await get(Id)).body;
    expect((await change(read)).body).toEqual(read);
    expect((await change({ URL: `${URL_OK}?ApiKey=` })).body.ApiKey).toBe("in+url");
  });

  test.each([24, 64])("accepts a whsec_ Secret of %i bytes", async (bytes) => {
    await made({ Secret: `whsec_${Buffer.alloc(bytes, 7).toString("base64")}` });
  });

  test("is changed by its Id; absent fields stay unchanged", async () => {
    const before = await made({ Name: unique("changed"), Secret: "hunter2" });
    const after = (await upsert({ Id: before.Id, Events: ["Deleted"] })).body;
    expect(after).toEqual({ ...before, Events: ["Deleted"] });
    expect((await upsert({ Id: before.Id, Name: null })).body.Name).toBe("");
    expect((await upsert({ Id: before.Id, ApiKey: "rotated" })).body.ApiKey).toBe("rotated");
  });

  test("loses Description and TimeoutMs by null, and has none by default", async () => {
    const before = await made({ Description: "for Ana", TimeoutMs: 100 });
    const after = (await upsert({ Id: before.Id, Description: null, TimeoutMs: null })).body;
    expect(after).toEqual({ ...before, Description: "", TimeoutMs: null });
    expect(await made()).toMatchObject({ Description: "", TimeoutMs: null });
  });

  test("is changed by its Name when Id is empty", async () => {
    const before = await made({ Name: unique("named") });
    for (const Id of [undefined, null, ""]) {
      const after = (await upsert({ Id, Name: before.Name, URL: `${URL_OK}/2` })).body;
      expect(after).toEqual({ ...before, URL: `${URL_OK}/2` });
    }
  });

  test("is saved without spaces around its URL", async () => {
    expect((await made({ URL: ` \t${URL_OK}?a=1 \n` })).URL).toBe(`${URL_OK}?a=1`);
  });

  test("can be sent back as read", async () => {
    const before = await made({ Name: unique("echo") });
    expect((await upsert(before)).body).toEqual(before);
  });

  test("an unknown Id is 404", async () => {
    expectError(await upsert({ ...FIELDS, Id: Bun.randomUUIDv7() }), 404, "Not Found");
    for (const id of [Bun.randomUUIDv7(), "1", "a@b", "%zz", "%00"]) {
      expectError(await get(id), 404, "Not Found");
      expectError(await remove(id), 404, "Not Found");
    }
  });

  test("a Name of another connection is 409", async () => {
    const [one, two] = [await made({ Name: unique("one") }), await made({ Name: unique("two") })];
    expectError(await upsert({ Id: two.Id, Name: one.Name }), 409, "Conflict", /Name/);
  });

  test("is paused and activated by State", async () => {
    const { Id } = await made({ State: "Paused" });
    expect((await get(Id)).body.State).toBe("Paused");
    expect((await upsert({ Id, State: "Active" })).body.State).toBe("Active");
    expect((await upsert({ Id, State: "Paused" })).body.State).toBe("Paused");
  });

  test("is deleted by DELETE, which returns its last state; its Name is free again", async () => {
    const before = await made({ Name: unique("gone") });
    const answer = await remove(before.Id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(before);
    expectError(await get(before.Id), 404, "Not Found");
    expectError(await remove(before.Id), 404, "Not Found");
    expectError(await upsert({ Id: before.Id, State: "Paused" }), 404, "Not Found");
    expect((await made({ Name: before.Name })).Id).not.toBe(before.Id);
  });

  test("20 concurrent creations of the same one make one", async () => {
    const own = await newTenant();
    const answers = await Promise.all(Array.from({ length: 20 }, () => upsert({ ...FIELDS, Name: "same" }, own)));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.Id}`)).size).toBe(1);
    expect((await own.get("/WebhookConnection")).body.Items).toHaveLength(1);
  });
});

describe("the list", () => {
  test("has every connection once, newest first, across pages", async () => {
    const own = await newTenant();
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.unshift((await made({}, own)).Id);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Answer = await own.get(`/WebhookConnection?Limit=3&Cursor=${cursor}`);
      expect(page.body.Items.length).toBeLessThanOrEqual(3);
      seen.push(...page.body.Items.map((item: { Id: string }) => item.Id));
      cursor = page.body.Next;
    }
    expect(seen).toEqual(ids);
  });

  test("is empty for a new tenant", async () => {
    const answer = await (await newTenant()).get("/WebhookConnection");
    expect(answer.body).toEqual({ Items: [], Next: null, Hidden: 0 });
  });

  test("is filtered by Name and State", async () => {
    const own = await newTenant();
    await made({ Name: "one" }, own);
    await made({ Name: "two", State: "Paused" }, own);
    await made({}, own);
    const names = async (query: string) =>
      (await own.get(`/WebhookConnection?${query}`)).body.Items.map((item: { Name: string }) => item.Name);
    expect(await names("Name=one")).toEqual(["one"]);
    expect(await names("State=Active")).toEqual(["", "one"]);
    expect(await names("Name=one&State=Paused")).toEqual([]);
    expect(await names("Name=")).toEqual([""]);
    expect(await names("State=&Limit=1")).toEqual([""]);
  });

  test.each([
    ["Color=red", /Color is not a filter\. Filters are Limit, Cursor, Name, Search, Sort, State\.$/],
    ["name=one", /name is not a filter/],
    ["Name=one&Name=two", /Name is repeated in the query/],
    ["Limit=1&Limit=2", /Limit is repeated in the query/],
    ["State=Gone", /State must be one of Active, Held, Paused/],
    ["Name=%00", /NUL/],
  ])("?%s is Bad Input", async (query, says) => {
    refused(await caller.get(`/WebhookConnection?${query}`), says);
  });

  test.each(["Limit=0", "Limit=201", "Limit=x", "Limit=-1", "Limit=1.5", "Cursor=x", "Cursor=%00", "Cursor=AAAA"])(
    "?%s is Bad Input",
    async (query) => {
      refused(await caller.get(`/WebhookConnection?${query}`), /Limit|Cursor/);
    },
  );
});

describe("permissions", () => {
  test("without a token: 401", async () => {
    for (const path of [PATH, `${PATH}/${Bun.randomUUIDv7()}`]) {
      expectError(await request("GET", path), 401, "Unauthorized");
    }
  });

  test.each([
    ["GET", "", "Webhooks:Create, Update, Delete", "Webhooks:Read"],
    ["GET", "/id", "Webhooks:Delete", "Webhooks:Read"],
    ["PATCH", "", "Webhooks:Create", "Webhooks:Create Webhooks:Update"],
    ["POST", "", "AccessManager:Create, Update", "Webhooks:Create Webhooks:Update"],
    ["DELETE", "/id", "Webhooks:Create, Update", "Webhooks:Delete"],
    ["POST", "/id/Ping", "Webhooks:Read, Create, Delete", "Webhooks:Update"],
  ])("%s %s with %s is 403", async (method, path, scope, needed) => {
    const weak = await caller.withScope(scope);
    const headers = { "content-type": "application/json" };
    const body = method === "GET" || method === "DELETE" ? undefined : "{}";
    const answer = await weak.send(method, `/WebhookConnection${path}`, { headers, body });
    expectError(answer, 403, "Permission");
    expect(answer.headers.get("www-authenticate")).toBe(`Bearer error="insufficient_scope", scope="${needed}"`);
  });

  test("another tenant's connection is 404 and not listed", async () => {
    const other = await newTenant();
    const mine = await made({ Name: unique("mine") });
    expectError(await get(mine.Id, other), 404, "Not Found");
    expectError(await remove(mine.Id, other), 404, "Not Found");
    expectError(await upsert({ Id: mine.Id, State: "Paused" }, other), 404, "Not Found");
    expect((await made({ Name: mine.Name }, other)).Id).not.toBe(mine.Id);
    expect(JSON.stringify((await other.get("/WebhookConnection")).body)).not.toContain(mine.Id);
    expect((await get(mine.Id)).body).toEqual(mine);
  });
});
