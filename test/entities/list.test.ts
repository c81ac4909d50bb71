import { describe, expect, test } from "bun:test";
import { API, expectError } from "../world/api.ts";
import { newTenant, shared } from "../world/tenant.ts";

const NAMES = ["Ada", "Bob", "Cyd", "Dan", "Eve"];

const usernames = async (query: string): Promise<string[]> => {
  const answer = await caller.get(`/User?${query}`);
  expect(answer.status).toBe(200);
  return answer.body.Items.map((item: { Username: string }) => item.Username);
};

const caller = await newTenant();
const sales = await caller.made("Department", { Name: "Sales" });
const users = NAMES.map((Name) => ({
  Name,
  Username: `${Name} & co+1`,
  Email: Name < "C" ? "early@example.com" : "",
  Is_Active: Name !== "Dan",
  Department: Name === "Ada" ? { Id: sales.Id } : null,
}));
expect((await caller.patch("/User", users)).status).toBe(200);

describe("a list", () => {
  test("has the records as GET returns them, by Id, and no Next", async () => {
    const { body } = await caller.get("/User");
    expect(body.Next).toBeNull();
    expect(body.Items.map((item: { Name: string }) => item.Name)).toEqual(["Administrator", ...NAMES]);
    expect((await caller.get(`/User/${body.Items[1].Id}`)).body).toEqual(body.Items[1]);
    const ids = body.Items.map((item: { Id: number }) => item.Id);
    expect(ids).toEqual(ids.toSorted((one: number, other: number) => one - other));
  });

  test.each([1, 2, 4, 6, 200])("in pages of %i has each record once", async (limit) => {
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { body }: { body: { Items: { Name: string }[]; Next: string | null } } = await caller.get(
        `/User?Limit=${limit}&Cursor=${cursor}`,
      );
      expect(body.Items.length).toBeLessThanOrEqual(limit);
      seen.push(...body.Items.map((item) => item.Name));
      cursor = body.Next;
    }
    expect(seen).toEqual(["Administrator", ...NAMES]);
  });

  test("pages keep their position while records are added and deleted, and keep their filter", async () => {
    const own = await newTenant();
    await own.patch(
      "/Department",
      ["a", "b", "c"].map((Name) => ({ Name, Is_Active: true })),
    );
    const first = (await own.get("/Department?Limit=1&Is_Active=true")).body;
    await own.remove(`/Department/${first.Items[0].Id}`);
    await own.made("Department", { Name: "d", Is_Active: true });
    await own.made("Department", { Name: "e" });
    const rest = (await own.get(`/Department?Is_Active=true&Cursor=${first.Next}`)).body;
    expect(rest.Items.map((item: { Name: string }) => item.Name)).toEqual(["b", "c", "d"]);
  });

  test("of Applications has Ids as strings", async () => {
    const { body } = await caller.get("/Application?Is_System=false");
    expect(body.Items.map((item: { Id: string }) => item.Id)).toEqual([caller.clientId]);
  });

  test("is limited to the tenant", async () => {
    const other = await newTenant();
    expect((await other.get("/Department")).body).toEqual({ Items: [], Next: null, Hidden: 0 });
    expect((await other.get(`/User?Department=${sales.Id}`)).body.Items).toEqual([]);
  });
});

describe("a filter", () => {
  test.each([
    ["Name=Bob", ["Bob"]],
    ["nAME=Bob", ["Bob"]],
    ["Username=Eve%20%26%20co%2B1", ["Eve"]],
    ["Email=early@example.com&Is_Active=true", ["Ada", "Bob"]],
    ["Is_Active=false", ["Dan"]],
    ["Email=&Is_Active=TRUE", ["admin", "Cyd", "Eve"]],
    ["Last_Login=1900-01-01T12:00:00Z&Name=Ada", ["Ada"]],
    ["Last_Login=1900-01-01T12:00:00.000Z&Name=Ada", ["Ada"]],
    ["Name=Nobody", []],
    ["Id=2147483647", []],
  ])("%s", async (query, names) => {
    expect((await usernames(query)).map((name) => name.split(" ")[0]!)).toEqual(names);
  });

  test.each([
    ["Search=eV", ["Eve"]],
    ["search=EARLY@", ["Ada", "Bob"]],
    ["Search=early&Name=Bob", ["Bob"]],
    ["Search=%26%20co&Is_Active=false", ["Dan"]],
    ["Search=administrator", ["admin"]],
    ["Search=%25", []],
    ["Search=_", []],
    ["Search=%5C", []],
    ["Search=&Name=Eve", ["Eve"]],
  ])("%s", async (query, names) => {
    expect((await usernames(query)).map((name) => name.split(" ")[0]!)).toEqual(names);
  });

  test.each([
    ["User", ["Name", "Username", "Email", "MobilePhone", "External_Id"]],
    ["Department", ["Name", "ExternalId"]],
    ["Application", ["Name", "ApplicationKey", "ExternalId", "WebSiteURL"]],
  ])("by part of a text searches each short text of a %s", async (entity, fields) => {
    const own = await newTenant();
    const value = (field: string) => (field === "WebSiteURL" ? `https://Begin-${field}-End` : `Begin-${field}-End`);
    await own.made(entity, Object.fromEntries(fields.map((field) => [field, value(field)])));
    const found = async (search: string) => (await own.get(`/${entity}?Search=${search}`)).body.Items.length;
    for (const field of fields) expect([field, await found(`gIN-${field}-e`)]).toEqual([field, 1]);
    expect(await found(`${fields[0]}-End%20Begin`)).toBe(0);
    // As stated in the document.
    const document = await (await fetch(`${shared().url}/openapi.json`)).json();
    const parameters = document.paths[`${API}/${entity}`].get.parameters;
    const { description } = parameters.find(({ name }: { name: string }) => name === "Search");
    for (const field of fields) expect(description).toContain(field);
  });

  test("by part of a text works across pages, and treats %, _ and \\ literally", async () => {
    const own = await newTenant();
    const names = ["100% a", "100 a", "a_b", "axb", "back\\slash"];
    await own.patch(
      "/Department",
      names.map((Name) => ({ Name, Description: "everywhere" })),
    );
    const found = async (query: string) =>
      (await own.get(`/Department?${query}`)).body.Items.map((item: { Name: string }) => item.Name);
    expect(await found("Search=100%25")).toEqual(["100% a"]);
    expect(await found("Search=A_B")).toEqual(["a_b"]);
    expect(await found("Search=k%5Cs")).toEqual(["back\\slash"]);
    expect(await found("Search=everywhere")).toEqual([]);
    const first = (await own.get("/Department?Search=100&Limit=1")).body;
    expect(await found(`Search=100&Cursor=${first.Next}`)).toEqual(["100 a"]);
  });

  test("by a foreign key finds references, and records without one", async () => {
    expect(await usernames(`Department=${sales.Id}`)).toEqual(["Ada & co+1"]);
    expect(await usernames("department=0&Is_Active=true")).toHaveLength(4);
  });

  test("by a date matches the date as returned", async () => {
    const { body } = await caller.get("/User/Bob?Name=Name");
    expect(await usernames(`Creation_Date=${body.Creation_Date}`)).toContain(body.Username);
  });

  test.each([
    ["Color=red", /Color is not a filter. Filters are Limit, Cursor, Search, Id, Name, Username/],
    ["CreatedBy=1", /CreatedBy is not a filter/],
    ["tenant_id=1", /tenant_id is not a filter/],
    ["__proto__=1", /__proto__ is not a filter/],
    ["Name=a&name=b", /Name is repeated in the query/],
    ["Is_Active=maybe", /Is_Active is true or false/],
    ["Is_Active=", /Is_Active is true or false/],
    ["Id=abc", /Id is a whole number/],
    ["Department=Sales", /Department is a whole number/],
    ["Last_Login=2026-02-30", /Last_Login is a date/],
    ["Name=%00", /NUL/],
    ["Search=%00", /NUL/],
    [`Search=${"x".repeat(201)}`, /Search has 201 characters; the limit is 200/],
    ["Search=a&search=b", /Search is repeated in the query/],
    ["Limit=1&Limit=2", /Limit is repeated in the query/],
    ["Cursor=&Cursor=", /Cursor is repeated in the query/],
    ["Limit=0", /Limit/],
    ["Limit=201", /Limit/],
    ["Limit=x", /Limit/],
    ["Cursor=x", /Cursor/],
    [`Cursor=${Buffer.from(Bun.randomUUIDv7()).toString("base64url")}`, /Cursor/],
    [`Cursor=${Buffer.from("99999999999999999999").toString("base64url")}`, /Cursor/],
  ])("%s is 400", async (query, says) => {
    expectError(await caller.get(`/User?${query}`), 400, "Bad Input", says);
  });
});

test("a look-up accepts no parameter except Name", async () => {
  for (const method of ["GET", "DELETE"]) {
    const answer = await caller.send(method, "/User/ada?Name=Username&Name=Email");
    expectError(answer, 400, "Bad Input", /Name is repeated in the query/);
    for (const other of ["name", "Field", "Name ", ""]) {
      const { body } = await caller.patch("/User", { External_Id: Bun.randomUUIDv7() });
      const query = new URLSearchParams([[other, "External_Id"]]);
      const refused = await caller.send(method, `/User/${body.Id}?${query}`);
      expectError(refused, 400, "Bad Input", /is not a parameter here. The parameters are Name/);
      expect((await caller.get(`/User/${body.Id}`)).status).toBe(200);
    }
  }
});

test("a slash after the Id is named as the error", async () => {
  for (const path of ["/User/1002/", "/User/1002/Name"]) {
    expectError(await caller.get(path), 400, "Bad Input", /contains a slash/);
  }
});

test("a path that ends in a slash is an empty Id, not a list", async () => {
  expectError(await caller.get("/User/?Name=Username"), 400, "Bad Input", /ends in a slash/);
  expectError(await caller.remove("/User/"), 400, "Bad Input", /ends in a slash/);
});
