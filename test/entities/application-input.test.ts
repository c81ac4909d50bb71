import { describe, expect, test } from "bun:test";
import { cases, expectError, unique } from "../world/api.ts";
import { adminIdOf } from "../world/planted.ts";
import { eventsOf, rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const caller = await newTenant();

const upsert = (body: unknown) => caller.patch("/Application", body);

async function made(fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = await upsert(fields);
  expect({ status: answer.status, errors: answer.body.Errors }).toEqual({ status: 200, errors: undefined });
  return answer.body;
}

async function parentOf(id: unknown): Promise<string | null> {
  const [row] = await rowsOf<{ parent_id: number }>("applications", { id });
  return row!.parent_id === null ? null : String(row!.parent_id);
}

describe("fields", () => {
  test("an absent field stays unchanged, null and empty clear it", async () => {
    const full = { Description: "text", WebSiteURL: "https://example.com", Is_Active: true, Is_System: true };
    const { Id } = await made({ Name: unique("clear"), ...full });
    expect(await made({ Id, Is_EndUser: true })).toMatchObject({ ...full, Is_EndUser: true });
    expect(await made({ Id, Description: null })).toMatchObject({ ...full, Description: "" });
    expect(await made({ Id, WebSiteURL: "" })).toMatchObject({ WebSiteURL: "", Is_Active: true });
    expect(await made({ Id, Is_Active: null, Name: null })).toMatchObject({ Is_Active: false, Name: "" });
  });

  test.each([
    [{ Name: 5 }, /Name/],
    [{ Name: ["x"] }, /Name/],
    [{ Description: {} }, /Description/],
    [{ Description: false }, /Description/],
    [{ Is_Active: "true" }, /Is_Active/],
    [{ Is_Active: 1 }, /Is_Active/],
    [{ WebSiteURL: 0 }, /WebSiteURL/],
    [{ Nmae: "x" }, /Nmae is not a field of Application/],
    [{ name: "x" }, /name is not a field/],
    [{ constructor: "x" }, /constructor/],
    [JSON.parse('{"__proto__": {"Name": "x"}}'), /__proto__/],
    [{ TenantId: "x" }, /TenantId/],
    [{ Name: "a\0b" }, /Name.*NUL/],
    [{ Description: "\ud800" }, /Description.*surrogate/],
    [{ ExternalId: "x\udc00" }, /ExternalId.*surrogate/],
    [{ Description: "x".repeat(10_001) }, /Description has 10001 characters.*10000/],
  ])("%j is 400 Bad Input naming the field", async (body, says) => {
    expectError(await upsert(body), 400, "Bad Input", says);
  });

  test("all wrong fields are named at once", async () => {
    const answer = await upsert({ Name: 5, Is_Active: "no", Color: "red", Description: "fine" });
    expect(answer.body.Errors).toHaveLength(3);
    expectError(answer, 400, "Bad Input", /Name[\s\S]*Is_Active[\s\S]*Color/);
  });

  test("an unknown field's name is shortened and freed of control characters in the error", async () => {
    const answer = await upsert({ [`\u0007\n${"x".repeat(5_000)}`]: 1 });
    expect(answer.body.Errors[0]).toMatch(/^\?\?x{58}…/);
  });

  test.each(["Name", "ApplicationKey", "ExternalId"])(
    "%s can have its maximum number of characters, of any script",
    async (field) => {
      const characters = Array.from({ length: 500 }, () =>
        String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000)),
      );
      const value = characters.join("");
      expect(await made({ [field]: value })).toMatchObject({ [field]: value });
      expectError(await upsert({ [field]: `${value}x` }), 400, "Bad Input", new RegExp(`${field} has 501 characters`));
    },
  );

  test("text is stored as sent, without spaces at its ends", async () => {
    const text = " 日本語 😀 'quoted' \"twice\" \\ %s $1 <b>\u2028\n\t; drop table users; -- ";
    expect(await made({ Name: unique("text"), Description: text })).toMatchObject({
      Description: text.trim(),
    });
  });
});

describe("read-only fields", () => {
  test("a record can be sent back as read", async () => {
    const record = await made({ Name: unique("echo"), Description: "x" });
    expect(await made({ ...record, Description: "y" })).toMatchObject({ Id: record.Id, Description: "y" });
  });

  test("a date can be sent back in another notation of the same time, or as null", async () => {
    const record = await made({ Name: unique("echo") });
    const other = String(record.CreatedOn).replace("Z", "+00:00");
    expect((await upsert({ Id: record.Id, CreatedOn: other, ModifiedOn: null })).status).toBe(200);
  });

  test.each(cases("2001-01-01T00:00:00Z", "never", 5, true, {}, [], { toString: null }, { valueOf: 1, toString: 1 }))(
    "CreatedOn %j is rejected, for an update and for an insert",
    async (value) => {
      const record = await made({ Name: unique("echo") });
      expectError(await upsert({ Id: record.Id, CreatedOn: value }), 400, "Bad Input", /CreatedOn/);
      expectError(await upsert({ Name: unique("new"), ModifiedOn: value }), 400, "Bad Input", /ModifiedOn/);
    },
  );
});

describe("foreign keys", () => {
  const shapes: [string, (parent: Record<string, unknown>) => unknown][] = [
    ["FieldType Id", (parent) => ({ FieldType: "Id", Value: parent.Id })],
    ["FieldType Id with a number", (parent) => ({ FieldType: "Id", Value: Number(parent.Id) })],
    ["FieldType ExternalId", (parent) => ({ FieldType: "ExternalId", Value: parent.ExternalId })],
    ["FieldType Name", (parent) => ({ FieldType: "Name", Value: parent.Name })],
    [
      "the abstract shape with Id",
      (parent) => ({ Id: Number(parent.Id), ExternalId: "", Name: "", Type: "Application" }),
    ],
    ["the abstract shape with a text Id", (parent) => ({ Id: parent.Id })],
    ["the abstract shape with ExternalId", (parent) => ({ Id: 0, ExternalId: parent.ExternalId })],
  ];

  test.each(shapes)("ApplicationId by %s", async (_, shape) => {
    const parent = await made({ Name: unique("parent"), ExternalId: unique("parent") });
    const child = await made({ Name: unique("child"), ApplicationId: shape(parent) });
    expect(await parentOf(child.Id)).toBe(String(parent.Id));
  });

  test("null and an empty abstract shape clear it; absent leaves it unchanged", async () => {
    const parent = await made({ Name: unique("parent") });
    const { Id } = await made({ Name: unique("child"), ApplicationId: { Id: parent.Id } });
    await made({ Id, Description: "other" });
    expect(await parentOf(Id)).toBe(String(parent.Id));
    await made({ Id, ApplicationId: null });
    expect(await parentOf(Id)).toBeNull();
    await made({ Id, ApplicationId: { Id: parent.Id } });
    await made({ Id, ApplicationId: { Id: 0, ExternalId: "", Name: "", Type: "" } });
    expect(await parentOf(Id)).toBeNull();
  });

  test("a changed foreign key is a change with its event", async () => {
    const own = await newTenant();
    const parent = (await own.patch("/Application", { Name: "parent" })).body;
    const child = (await own.patch("/Application", { Name: "child" })).body;
    await own.patch("/Application", { Id: child.Id, ApplicationId: { Id: parent.Id } });
    await own.patch("/Application", { Id: child.Id, ApplicationId: { FieldType: "Name", Value: "parent" } });
    expect((await eventsOf(own.tenantId)).map((event) => event.type)).toEqual(["Created", "Created", "Updated"]);
  });

  test.each(
    cases(
      "text",
      5,
      true,
      [],
      { FieldType: "Color", Value: "x" },
      { FieldType: "Id", Value: "abc" },
      { FieldType: "Id" },
      { FieldType: "Name", Value: "" },
      { FieldType: "Name", Value: "a\0b" },
      { FieldType: {}, Value: 1 },
      { Name: "by name needs a FieldType" },
      { FieldType: "Name", Value: "parent", Id: 1001 },
      { FieldType: "Id", Value: 1001, ExternalId: "other" },
      { Value: 1001 },
      { Id: 1, Color: "x" },
      { Id: -1 },
      { Id: 1.5 },
      { ExternalId: 5 },
    ),
  )("%j is not a foreign key: 400 naming it", async (value) => {
    for (const field of ["ApplicationId", "AuthenticationId", "ModifiedBy", "CreatedBy"]) {
      expectError(await upsert({ Name: unique("x"), [field]: value }), 400, "Bad Input", new RegExp(field));
    }
  });

  test.each([
    { Id: 999_999_999 },
    { Id: Number.MAX_SAFE_INTEGER },
    { ExternalId: "nobody" },
    { FieldType: "Name", Value: "nobody" },
  ])("%j matches no record: 400 naming it", async (value) => {
    for (const field of ["ApplicationId", "AuthenticationId", "ModifiedBy", "CreatedBy"]) {
      expectError(await upsert({ Name: unique("x"), [field]: value }), 400, "Bad Input", new RegExp(field));
    }
  });

  test("another tenant's record cannot be referenced", async () => {
    const other = await newTenant();
    for (const field of ["ApplicationId", "ModifiedBy"]) {
      const value = { Id: Number(other.clientId), Type: "Application" };
      expectError(await upsert({ Name: unique("x"), [field]: value }), 400, "Bad Input", /points at no record/);
    }
  });

  test("an Application cannot be its own parent", async () => {
    const { Id } = await made({ Name: unique("self") });
    expectError(await upsert({ Id, ApplicationId: { Id } }), 400, "Bad Input", /ApplicationId/);
  });

  test("ModifiedBy and CreatedBy are resolved, but the server's own value is stored", async () => {
    const admin = await adminIdOf(caller);
    const client = { Id: Number(caller.clientId), Type: "Application" };
    for (const actor of [{ Id: admin, Type: "User" }, { FieldType: "Name", Value: "Administrator" }, client, null]) {
      const record = await made({ Name: unique("actor"), ModifiedBy: actor, CreatedBy: actor });
      expect(record).toMatchObject({ ModifiedBy: client, CreatedBy: client });
    }
  });
});
