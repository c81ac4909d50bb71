// Any JSON body causes 200 or a well-formed error record with a documented Type.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Answer, API } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";

/** Possible responses to a well-formed JSON body of moderate size. */
const STATUS_OF: Record<string, number> = {
  "/Errors/Bad Input": 400,
  "/Errors/Multible Rows": 400,
  "/Errors/Not Found": 404,
  "/Errors/Conflict": 409,
};

const field = fc.constantFrom(
  ...["Id", "Name", "ExternalId", "External_Id", "ApplicationKey", "Username", "Description", "Is_Active"],
  ...["ModifiedOn", "CreatedOn", "Creation_Date", "Last_Login", "ApplicationId", "AuthenticationId", "Department"],
  ...["ParentId", "ModifiedBy", "CreatedBy", "__proto__", "constructor", "toString"],
);
const reference = fc.record(
  {
    FieldType: fc.constantFrom("Id", "ExternalId", "Name", "x"),
    Value: fc.jsonValue({ maxDepth: 1 }),
    Id: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.string()),
    ExternalId: fc.jsonValue({ maxDepth: 0 }),
    Type: fc.constantFrom("Application", "User", "Department", "x", ""),
  },
  { requiredKeys: [] },
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  reference,
  fc.string({ unit: "binary" }),
  fc.date({ noInvalidDate: true }).map((date) => date.toJSON()),
);
const record = fc.dictionary(fc.oneof(field, field, fc.string()), value, { maxKeys: 4 });
const body = fc.oneof(fc.jsonValue(), record, record, fc.array(record, { maxLength: 4 }));

function expectDocumented(answer: Answer, instance: string): void {
  if (answer.status === 200) return;
  const { Type, Title, ...rest } = answer.body;
  expect({ type: Type, status: answer.status }).toEqual({ type: Type, status: STATUS_OF[Type]! });
  expect(Title).toMatch(/./);
  expect(rest).toEqual({
    Errors: expect.any(Array),
    StatusCode: answer.status,
    Instance: instance,
    RequestKey: answer.headers.get("x-request-id"),
  });
  for (const text of answer.body.Errors) expect(text).toMatch(/./);
  expect(answer.body.Errors.length).toBeWithin(1, 22);
}

test.concurrent.each(["Application", "Department", "User"])("any JSON body of type %s", async (entity) => {
  const caller = await newTenant();
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      expectDocumented(await caller.patch(`/${entity}`, sent), `${API}/${entity}`);
    }),
    { numRuns: 150 },
  );
});

test.concurrent("any query of a list", async () => {
  const caller = await newTenant();
  const name = fc.oneof(fc.constantFrom("Limit", "Cursor", "Id", "Name", "Last_Login", "Is_Active"), fc.string());
  const query = fc.dictionary(name, fc.oneof(fc.string({ unit: "binary" }), fc.nat().map(String)), { maxKeys: 3 });
  await fc.assert(
    fc.asyncProperty(query, async (filters) => {
      const text = new URLSearchParams(
        Object.entries(filters).map(([key, one]) => [key.toWellFormed(), one.toWellFormed()]),
      );
      expectDocumented(await caller.get(`/User?${text}`), `${API}/User`);
    }),
    { numRuns: 60 },
  );
});
