import { describe, expect, test } from "bun:test";
import { cases, expectError } from "../world/api.ts";
import { setUsers } from "../world/planted.ts";
import { eventsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const NOTHING = { Id: 0, ExternalId: "", Name: "", Type: "" };

describe.concurrent("a User", () => {
  test("is created with a Department and read back, and the event has the same shape", async () => {
    const caller = await newTenant();
    const sales = await caller.made("Department", { Name: "Sales", ExternalId: "S" });
    const fields = {
      Name: "Ada Example",
      Username: "ada",
      Email: "ada@example.com",
      MobilePhone: "+1 555 0100",
      External_Id: "hr-1",
      GivenName: "Ada",
      FamilyName: "Example",
      Locale: "en-GB",
      ZoneInfo: "Europe/London",
      Picture: "https://example.com/ada.png",
      MiddleName: "King",
      Nickname: "Countess",
      Profile: "https://example.com/ada",
      Website: "https://ada.example.com",
      Gender: "female",
      BirthDate: "1815-12-10",
      Address: "1 Square\nLondon",
      EmailVerified: true,
      MobilePhoneVerified: false,
      Attributes: {},
      Is_Active: true,
    };
    const user = await caller.made("User", { ...fields, Department: { FieldType: "Name", Value: "Sales" } });
    const client = { Id: Number(caller.clientId), ExternalId: "", Name: "demo-client", Type: "Application" };
    expect(user).toEqual({
      ...fields,
      Id: expect.any(Number),
      Creation_Date: DATE,
      Last_Login: "1900-01-01T12:00:00Z",
      Department: { Id: sales.Id, ExternalId: "S", Name: "Sales", Type: "Department" },
      ModifiedBy: client,
      CreatedBy: client,
    });
    expect((await caller.get("/User/ada?Name=Username")).body).toEqual(user);
    expect((await eventsOf(caller.tenantId)).at(-1)).toEqual({
      type: "Created",
      recordId: String(user.Id),
      sequences: [1],
      data: user,
    });
  });

  test("with a new Email or MobilePhone is unverified unless the request says otherwise", async () => {
    const caller = await newTenant();
    const both = { EmailVerified: true, MobilePhoneVerified: true };
    const { Id } = await caller.made("User", { Username: "ada", Email: "a@example.com", MobilePhone: "1", ...both });
    const changed = (fields: object) => caller.made("User", { Id, ...fields });
    expect(await changed({ Email: "a@example.com", MobilePhone: "1" })).toMatchObject(both);
    expect(await changed({ Email: "b@example.com" })).toMatchObject({ ...both, EmailVerified: false });
    expect(await changed({ Email: "c@example.com", EmailVerified: true })).toMatchObject(both);
    expect(await changed({ Email: "d@example.com", EmailVerified: true })).toMatchObject(both);
    expect(await changed({ MobilePhone: null })).toMatchObject({ ...both, MobilePhoneVerified: false });
    expect(await changed({ EmailVerified: false })).toMatchObject({ EmailVerified: false });
    const answer = await caller.patch("/User", { Id, Email: "", EmailVerified: true, MobilePhoneVerified: true });
    expectError(answer, 400, "Bad Input", /EmailVerified cannot be true: the User has no Email\./);
    expect(answer.body.Errors).toHaveLength(2);
  });

  test.each(["1990-5-31", "31.05.1990", "1990-13-01", "90", "1990-05"])("%p is not a BirthDate", async (BirthDate) => {
    const caller = await newTenant();
    const answer = await caller.patch("/User", { Username: "ada", BirthDate });
    expectError(answer, 400, "Bad Input", /BirthDate must be a date such as 1990-05-31/);
  });

  test("can be sent back as read, and its Department cleared", async () => {
    const caller = await newTenant();
    await caller.made("Department", { Name: "Sales" });
    const user = await caller.made("User", { Username: "ada", Department: { FieldType: "Name", Value: "Sales" } });
    expect(await caller.made("User", user)).toEqual(user);
    expect(await eventsOf(caller.tenantId)).toHaveLength(2);
    expect(await caller.made("User", { Id: user.Id, Department: NOTHING })).toMatchObject({ Department: NOTHING });
  });

  test("a Username of several is 400 Bad Input; their Id or External_Id still finds one", async () => {
    const caller = await newTenant();
    const one = await caller.made("User", { Username: "twin", External_Id: "1" });
    const two = await caller.made("User", { Username: "other", External_Id: "2" });
    await caller.made("User", { Id: two.Id, Username: "twin" });
    const answer = await caller.patch("/User", { Username: "twin", Name: "Twin" });
    expectError(answer, 400, "Bad Input", /Username points at several User records/);
    expect(await caller.made("User", { Id: one.Id, Username: "twin", Name: "One" })).toMatchObject({ Name: "One" });
    expect(await caller.made("User", { External_Id: "2", Name: "Two" })).toMatchObject({ Id: two.Id, Name: "Two" });
  });

  test("an External_Id of another is 409 naming it", async () => {
    const caller = await newTenant();
    await caller.made("User", { External_Id: "1" });
    const { Id } = await caller.made("User", { External_Id: "2" });
    expectError(
      await caller.patch("/User", { Id, External_Id: "1" }),
      409,
      "Conflict",
      /^External_Id is already used by another User/,
    );
  });

  test.each(cases("abc", true, {}, 1.5, "007"))("Id %p is 400: not an integer", async (Id) => {
    const caller = await newTenant();
    expectError(await caller.patch("/User", { Id, Name: "x" }), 400, "Bad Input", /Id/);
  });

  test.each(cases(-1, 2_147_483_648, Number.MAX_SAFE_INTEGER))("Id %p is 404: no such User", async (Id) => {
    const caller = await newTenant();
    expectError(await caller.patch("/User", { Id, Name: "x" }), 404, "Not Found");
  });

  test("Last_Login and Creation_Date are read-only", async () => {
    const caller = await newTenant();
    for (const field of ["Last_Login", "Creation_Date"]) {
      const answer = await caller.patch("/User", { Username: "ada", [field]: "2026-01-31T12:00:00Z" });
      expectError(answer, 400, "Bad Input", new RegExp(`${field} is set by the server`));
    }
  });

  test("another tenant's Department cannot be referenced", async () => {
    const [caller, other] = [await newTenant(), await newTenant()];
    const { Id } = await other.made("Department", { Name: "Theirs", ExternalId: "T" });
    for (const Department of [{ Id }, { ExternalId: "T" }, { FieldType: "Name", Value: "Theirs" }]) {
      const answer = await caller.patch("/User", { Username: "ada", Department });
      expectError(answer, 400, "Bad Input", /Department points at no record/);
    }
  });
});

describe.concurrent("a Department", () => {
  test("with Name and ExternalId of other records is 409 naming both", async () => {
    const caller = await newTenant();
    const [own] = (await caller.patch("/Department", [{ Name: "own" }, { Name: "a" }, { ExternalId: "b" }])).body;
    const taken = { Id: own.Id, Name: "a", ExternalId: "b" };
    const alone = await caller.patch("/Department", taken);
    expectError(alone, 409, "Conflict");
    const both = ["Name is already used by another Department.", "ExternalId is already used by another Department."];
    expect(alone.body.Errors.sort()).toEqual(both.sort());
    const array = await caller.patch("/Department", [{ Name: "first" }, taken]);
    expect(array.body.Errors.sort()).toEqual(both.map((text) => `Record 1: ${text}`).sort());
  });

  test("is created below another and read back, and its event has the same shape", async () => {
    const caller = await newTenant();
    const top = await caller.made("Department", { Name: "Top" });
    const fields = { Name: "Sub", ExternalId: "s", Description: "Below", Is_Active: true };
    const made = await caller.made("Department", { ...fields, ParentId: { Id: top.Id, Type: "Department" } });
    const client = { Id: Number(caller.clientId), ExternalId: "", Name: "demo-client", Type: "Application" };
    expect(made).toEqual({
      ...fields,
      Id: expect.any(Number),
      ParentId: { Id: top.Id, ExternalId: "", Name: "Top", Type: "Department" },
      ModifiedOn: DATE,
      ModifiedBy: client,
      CreatedOn: DATE,
      CreatedBy: client,
    });
    expect((await caller.get(`/Department/${made.Id}`)).body).toEqual(made);
    expect((await eventsOf(caller.tenantId)).at(-1)?.data).toEqual(made);
  });

  test("shows the current name of the referenced record", async () => {
    const caller = await newTenant();
    const top = await caller.made("Department", { Name: "Top" });
    const { Id } = await caller.made("Department", { Name: "Sub", ParentId: { Id: top.Id } });
    await caller.made("Department", { Id: top.Id, Name: "Board" });
    expect((await caller.get(`/Department/${Id}`)).body.ParentId.Name).toBe("Board");
  });

  test("cannot be its own parent", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("Department", { Name: "Self" });
    const answer = await caller.patch("/Department", { Id, ParentId: { Id } });
    expectError(answer, 400, "Bad Input", /ParentId points at the Department itself/);
  });

  test("cannot be its own ancestor at any depth, alone or in an array", async () => {
    const caller = await newTenant();
    const [a, b, c] = (await caller.patch("/Department", [{ Name: "a" }, { Name: "b" }, { Name: "c" }])).body;
    await caller.made("Department", { Id: b.Id, ParentId: { Id: a.Id } });
    await caller.made("Department", { Id: c.Id, ParentId: { Id: b.Id } });
    const circle = { Id: a.Id, ParentId: { Id: c.Id } };
    const says = new RegExp(`^ParentId points at Department ${c.Id}, which is below ${a.Id} itself`);
    expectError(await caller.patch("/Department", circle), 400, "Bad Input", says);
    const [d, e] = [{ Name: "d" }, { Name: "e", ParentId: { FieldType: "Name", Value: "d" } }];
    const closing = { Name: "d", ParentId: { FieldType: "Name", Value: "e" } };
    const array = await caller.patch("/Department", [d, e, closing]);
    expectError(array, 400, "Bad Input", /^Record 2: ParentId points at Department/);
    await caller.made("Department", { Id: b.Id, ParentId: null });
    expect((await caller.made("Department", circle)).ParentId.Id).toBe(c.Id);
  });

  test("has at most a hundred ancestors", async () => {
    const caller = await newTenant();
    const chain = Array.from({ length: 102 }, (_, index) => ({
      Name: `level ${index}`,
      ParentId: index === 0 ? null : { FieldType: "Name", Value: `level ${index - 1}` },
    }));
    const answer = await caller.patch("/Department", chain);
    const says = /^Record 101: ParentId places the Department below more than 100 others/;
    expectError(answer, 400, "Bad Input", says);
    expect((await caller.patch("/Department", chain.slice(0, 101))).status).toBe(200);
  });
});

describe.concurrent("ModifiedBy and CreatedBy in the input", () => {
  test("are looked up among Users and Applications, or by Type", async () => {
    const caller = await newTenant();
    const user = await caller.made("User", { Username: "ada", External_Id: "ada" });
    for (const actor of [
      { Id: Number(caller.clientId) },
      { ExternalId: "ada" },
      { Id: user.Id, Type: "User" },
      { FieldType: "Name", Value: "demo-client" },
    ]) {
      expect((await caller.patch("/Department", { Name: "by", ModifiedBy: actor })).status).toBe(200);
    }
    for (const [actor, says] of [
      [{ Id: user.Id, Type: "Department" }, /points at a User or Application, but its Type is Department/],
      [{ ExternalId: "ada", Type: "Application" }, /points at no record/],
      [{ Id: 1, Type: 5 }, /ModifiedBy must be/],
    ] as const) {
      const answer = await caller.patch("/Department", { Name: "by", ModifiedBy: actor });
      expectError(answer, 400, "Bad Input", says);
    }
  });

  test("a foreign key with the Type of another entity is rejected", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("Department", { Name: "Sales" });
    const answer = await caller.patch("/User", { Username: "ada", Department: { Id, Type: "Application" } });
    expectError(answer, 400, "Bad Input", /Department points at a Department, but its Type is Application/);
  });
});

describe.concurrent("dates", () => {
  test.each(["2026-02-30", "2026-02-29", "2025-04-31T12:00:00Z", "2026-00-10", "2026-01-00", "1900-02-29"])(
    "%s is not a calendar date",
    async (text) => {
      const caller = await newTenant();
      const value = `base64|${Buffer.from(text).toString("base64")}`;
      const answer = await caller.get(`/User/${value}?Name=Last_Login`);
      expectError(answer, 400, "Bad Input", /is a date such as/);
    },
  );

  test.each(["2024-02-29", "2000-02-29T23:59:59.999Z", "2026-12-31T23:59Z"])("%s is a valid date", async (text) => {
    const caller = await newTenant();
    const value = `base64|${Buffer.from(text).toString("base64")}`;
    expect((await caller.get(`/User/${value}?Name=Last_Login`)).status).toBe(404);
  });

  test("a record is found by its date as returned, also one set by the database", async () => {
    const caller = await newTenant();
    await setUsers(caller, { last_login: "2026-01-31T10:20:30.4567Z" });
    const { body } = await caller.get("/User/admin?Name=Username");
    for (const field of ["Creation_Date", "Last_Login"]) {
      const value = `base64|${Buffer.from(body[field]).toString("base64")}`;
      expect((await caller.get(`/User/${value}?Name=${field}`)).body).toEqual(body);
    }
  });
});

test("thousands of unknown fields get twenty errors and the count of the rest", async () => {
  const caller = await newTenant();
  const body = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, 1]));
  const answer = await caller.patch("/User", body);
  expectError(answer, 400, "Bad Input", /f0 is not a field of User/);
  expect(answer.body.Errors).toHaveLength(21);
  expect(answer.body.Errors.at(-1)).toBe("… and 1980 more.");
});
