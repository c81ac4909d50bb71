// Attributes of Users: only those that the tenant has defined in its TenantSettings.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { asTyped, TEXT_LIMIT } from "../../server/platform/text.ts";
import { type Api, expectError, ok, unique } from "../world/api.ts";
import { eventsOf, rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const DEFINED = [
  { Name: "costCentre", Type: "Text", Description: "Pays for the person" },
  { Name: "floor", Type: "Number", Description: "" },
  { Name: "isRemote", Type: "Boolean", Description: "" },
  { Name: "skills", Type: "Texts", Description: "" },
];
const VALUES = { costCentre: "4711", floor: -1.5, isRemote: false, skills: ["Bun", "Cedar é"] };

const typed = (_: string, value: unknown) => (typeof value === "string" ? asTyped(value, TEXT_LIMIT).text : value);

const define = (api: Api, UserAttributes: unknown) => api.patch("/TenantSettings", { UserAttributes });

async function newOrganisation(): Promise<Api> {
  const api = await newTenant();
  expect((await ok(define(api, DEFINED))).UserAttributes).toEqual(DEFINED);
  return api;
}

const save = (api: Api, body: object) => api.patch("/User", body);

async function newUser(api: Api, Attributes?: unknown) {
  return ok(save(api, { External_Id: unique("hr"), Name: "Ana", ...(Attributes !== undefined && { Attributes }) }));
}

describe("a User's Attributes", () => {
  test("are those defined by the tenant, in the record, in lists and in the payload", async () => {
    const api = await newOrganisation();
    const user = await newUser(api, VALUES);
    expect(user.Attributes).toEqual(VALUES);
    expect((await ok(api.get(`/User/${user.Id}`))).Attributes).toEqual(VALUES);
    expect((await ok(api.get(`/User?External_Id=${user.External_Id}`))).Items[0].Attributes).toEqual(VALUES);
    expect((await eventsOf(api.tenantId)).at(-1)!.data).toMatchObject({ Attributes: VALUES });
    expect((await newUser(api)).Attributes).toEqual({});
  });

  test("absent in a body stay, null removes one, and null for all removes all", async () => {
    const api = await newOrganisation();
    const { Id } = await newUser(api, VALUES);
    const after = async (Attributes: unknown) => (await ok(save(api, { Id, Attributes }))).Attributes;
    expect(await after({ floor: 3 })).toEqual({ ...VALUES, floor: 3 });
    const { floor: _, ...others } = VALUES;
    expect(await after({ floor: null })).toEqual(others);
    const events = await eventsOf(api.tenantId);
    // An unchanged definition causes no event.
    expect(await after({ costCentre: "4711", floor: null })).toEqual(others);
    expect(await eventsOf(api.tenantId)).toHaveLength(events.length);
    expect((await ok(save(api, { Id, Name: "Ana B" }))).Attributes).toEqual(others);
    expect(await after(null)).toEqual({});
  });

  test("are rejected by name, all invalid ones at once, and nothing is written", async () => {
    const api = await newOrganisation();
    const { Id } = await newUser(api, VALUES);
    const wrong = { costCentre: "", floor: "3", isRemote: 1, skills: ["x".repeat(201)], shoeSize: 43, __proto: null };
    const answer = await save(api, { Id, Name: "Other", Attributes: wrong });
    expectError(answer, 400, "Bad Input");
    expect(answer.body.Errors).toEqual([
      "Attributes.costCentre must be a string of 1 to 1000 characters, or null.",
      "Attributes.floor must be a number, or null.",
      "Attributes.isRemote must be true, false or null.",
      "Attributes.skills must be a list of 1 to 50 strings of 1 to 200 characters, or null.",
      expect.stringContaining("shoeSize is not defined in the tenant's UserAttributes."),
      expect.stringContaining("__proto is not defined in the tenant's UserAttributes."),
    ]);
    expect(await ok(api.get(`/User/${Id}`))).toMatchObject({ Name: "Ana", Attributes: VALUES });
    for (const shape of [[], "x", 7, true]) {
      const refused = await save(api, { Id, Attributes: shape });
      expectError(refused, 400, "Bad Input", /^Attributes must be an object or null\.$/);
    }
  });

  test("have a limit of 4,000 bytes", async () => {
    const api = await newOrganisation();
    const long = Array.from({ length: 25 }, () => "x".repeat(180));
    const answer = await save(api, { Name: "Ana", Attributes: { skills: long } });
    expectError(answer, 400, "Bad Input", /^Attributes have \d+ bytes in JSON; the limit is 4000\.$/);
    const max = await newUser(api, { skills: long.slice(0, 20) });
    const more = await save(api, { Id: max.Id, Attributes: { costCentre: "x".repeat(900) } });
    expectError(more, 400, "Bad Input", /the limit is 4000/);
  });

  test("in an array reject the whole array with the record's index", async () => {
    const api = await newOrganisation();
    const record = () => ({ External_Id: unique("hr"), Attributes: VALUES });
    const good = await ok(api.patch("/User", [record(), record()]));
    expect(good.map(({ Attributes }: { Attributes: object }) => Attributes)).toEqual([VALUES, VALUES]);
    const answer = await api.patch("/User", [record(), { ...record(), Attributes: { floor: "up" } }]);
    expectError(answer, 400, "Bad Input", /^Record 1: Attributes\.floor must be a number/);
  });

  test("of any value are returned as typed, or rejected without a change", async () => {
    const api = await newOrganisation();
    const { Id } = await newUser(api, VALUES);
    const value = fc.oneof(
      ...[fc.string({ unit: "grapheme", maxLength: 20 }), fc.double(), fc.boolean(), fc.constant(null)],
      ...[fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }), fc.jsonValue()],
    );
    const key = fc.constantFrom("costCentre", "floor", "isRemote", "skills", "other", "__proto__", "constructor", "");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 3 }), async (sent) => {
        const before = (await ok(api.get(`/User/${Id}`))).Attributes;
        const answer = await save(api, { Id, Attributes: sent });
        const after = (await ok(api.get(`/User/${Id}`))).Attributes;
        if (answer.status === 400) return expect(after).toEqual(before);
        expect(answer.status).toBe(200);
        const kept = Object.entries({ ...before, ...JSON.parse(JSON.stringify(sent), typed) }).filter(
          ([, one]) => one !== null,
        );
        expect(after).toEqual(Object.fromEntries(kept));
      }),
      { numRuns: 60 },
    );
  });

  test("of another tenant are unknown here", async () => {
    const [api, other] = [await newOrganisation(), await newTenant()];
    expectError(await save(other, { Attributes: VALUES }), 400, "Bad Input", /costCentre is not defined/);
    await ok(define(other, [{ Name: "floor", Type: "Text" }]));
    expect((await newUser(other, { floor: "third" })).Attributes).toEqual({ floor: "third" });
    expect((await newUser(api, { floor: 3 })).Attributes).toEqual({ floor: 3 });
  });

  test("are neither filters nor visible to policies", async () => {
    const api = await newOrganisation();
    expectError(await api.get("/User?Attributes=x"), 400, "Bad Input");
    const Policy = `permit (principal, action, resource is User) when { resource.Attributes.floor == 3 };`;
    expect((await api.patch("/Policy", { Name: "floor", Policy })).status).toBe(400);
  });
});

describe("UserAttributes", () => {
  test("with values of Users stay, with their types", async () => {
    const api = await newOrganisation();
    const { Id } = await newUser(api, VALUES);
    const without = DEFINED.filter(({ Name }) => Name !== "floor");
    const retyped = [...without, { Name: "floor", Type: "Text", Description: "" }];
    for (const changed of [without, retyped]) {
      const answer = await define(api, changed);
      expectError(answer, 409, "Conflict", /^UserAttributes: 1 User has a value of floor\./);
    }
    // Its meaning and position can change.
    const described = [...without, { Name: "floor", Type: "Number", Description: "Where the desk is" }];
    expect((await ok(define(api, described))).UserAttributes).toEqual(described);
    await ok(save(api, { Id, Attributes: { floor: null } }));
    expect((await ok(define(api, retyped))).UserAttributes).toEqual(retyped);
  });

  test("changed concurrently with a User's value never leave a value without a definition", async () => {
    const api = await newOrganisation();
    for (let round = 0; round < 8; round++) {
      const { Id } = await newUser(api);
      const [saved, taken] = await Promise.all([save(api, { Id, Attributes: { floor: 3 } }), define(api, [])]);
      const { Attributes } = await ok(api.get(`/User/${Id}`));
      const { UserAttributes } = await ok(api.get("/TenantSettings"));
      if (saved.status === 200) {
        expect({ taken: taken.status, Attributes }).toEqual({ taken: 409, Attributes: { floor: 3 } });
        expect(UserAttributes).toEqual(DEFINED);
        await ok(save(api, { Id, Attributes: null }));
      } else {
        expect({ saved: saved.status, taken: taken.status, Attributes }).toEqual({
          saved: 400,
          taken: 200,
          Attributes: {},
        });
        await ok(define(api, DEFINED));
      }
    }
  });

  test.each<[string, unknown, RegExp]>([
    ["no list", { floor: "Number" }, /UserAttributes must be a list of at most 50\./],
    ["too many", Array.from({ length: 51 }, (_, index) => ({ Name: `a${index}`, Type: "Text" })), /at most 50/],
    ["no object", ["floor"], /UserAttributes\[0\] must be/],
    ["another field", [{ Name: "a", Type: "Text", Size: 3 }], /UserAttributes\[0\] must be/],
    ["a Name with a space", [{ Name: "a b", Type: "Text" }], /UserAttributes\[0\]\.Name must have/],
    ["a Name that begins with _", [{ Name: "__proto__", Type: "Text" }], /\.Name must have/],
    ["a Name twice", [DEFINED[0], DEFINED[0]], /UserAttributes\[1\]|UserAttributes\[0\]\.Name occurs twice/],
    ["another Type", [{ Name: "a", Type: "Date" }], /\.Type must be Text or Number or Boolean or Texts/],
    ["a long Description", [{ Name: "a", Type: "Text", Description: "x".repeat(201) }], /Description must be/],
  ])("with %s are rejected", async (_, wrong, says) => {
    const api = await newTenant();
    expectError(await define(api, wrong), 400, "Bad Input", says);
    expect((await ok(api.get("/TenantSettings"))).UserAttributes).toEqual([]);
  });

  test("changed are in the audit log", async () => {
    const api = await newTenant();
    await ok(define(api, DEFINED.slice(0, 1)));
    const { Items } = await ok(api.get("/AuditEvent?Kind=TenantSettings.Changed"));
    expect(Items[0].Details).toEqual({
      Changed: ["UserAttributes"],
      UserAttributes: { Added: [DEFINED[0]], Removed: [] },
    });
    const [row] = await rowsOf("tenants", { id: api.tenantId });
    expect(row!.user_attributes).toEqual([DEFINED[0]]);
  });
});
