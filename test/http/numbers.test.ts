// Numbers that JSON readers round are rejected in every body, instead of being stored as different numbers.

import { describe, expect, test } from "bun:test";
import { API, type Api, expectError, ok } from "../world/api.ts";
import { operationsOf, readDocument } from "../world/documented.ts";
import { newTenant, request } from "../world/tenant.ts";

const ROUNDED = [
  ...["9007199254740993", "-9007199254740993", "1e400", "1e-400", "0.1234567890123456789", "5.0000000000000001"],
  "1".repeat(1_000),
];
const KEPT = ["9007199254740991", "9007199254740992", "1e2", "-12.50", "0.1", "1e300", "0.30000000000000004"];

const send = (caller: Api, method: string, path: string, body: string) =>
  request(method, API + path, {
    headers: { authorization: `Bearer ${caller.token}`, "content-type": "application/json" },
    body,
  });

async function withAttributes(): Promise<Api> {
  const caller = await newTenant();
  const UserAttributes = [
    { Name: "level", Type: "Number" },
    { Name: "tags", Type: "Texts" },
  ];
  await ok(caller.patch("/TenantSettings", { UserAttributes }));
  return caller;
}

describe.concurrent("a number in a body", () => {
  test("is rejected if it would be rounded, naming its field, alone and in arrays", async () => {
    const caller = await withAttributes();
    for (const number of ROUNDED) {
      const says = (path: string) =>
        new RegExp(`^${RegExp.escape(path)} is ${number.slice(0, 60)}…?, which JSON readers`);
      for (const [body, path] of [
        [`{"Username":"a","Attributes":{"level":${number}}}`, "Attributes.level"],
        [`{"Attributes":{"tags":["x", ${number} ]}}`, "Attributes.tags[1]"],
        [`{"Attributes":{"undefined":${number}}}`, "Attributes.undefined"],
        [`{"Id":${number}}`, "Id"],
        [`{"Department":{"Id":${number}}}`, "Department.Id"],
        [`[{"Name":"a"},{"Attributes":{"level":${number}}}]`, "Record 1: Attributes.level"],
        [number, "The body"],
      ] as const) {
        for (const method of ["PATCH", "POST"]) {
          expectError(await send(caller, method, "/User", body), 400, "Bad Input", says(path));
        }
      }
    }
    expect((await ok(caller.get("/User?Name=a"))).Items).toEqual([]);
  });

  test("is stored and answered as it was sent, if it can be", async () => {
    const caller = await withAttributes();
    for (const number of KEPT) {
      const { status, body } = await send(
        caller,
        "PATCH",
        "/User",
        `{"Username":"a","Attributes":{"level":${number}}}`,
      );
      expect([number, status, body.Attributes]).toEqual([number, 200, { level: Number(number) }]);
      expect((await ok(caller.get(`/User/${body.Id}`))).Attributes).toEqual({ level: Number(number) });
    }
    const texts = `{"Username":"b","External_Id":"9007199254740993","Attributes":{"tags":["1e400"]}}`;
    expect((await send(caller, "PATCH", "/User", texts)).body).toMatchObject({ External_Id: "9007199254740993" });
  });

  test("is rejected by every operation with a body, whatever the field", async () => {
    const caller = await newTenant();
    const takers = operationsOf(await readDocument()).filter(
      ({ path, operation }) => path.startsWith(API) && operation.requestBody?.content["application/json"],
    );
    expect(takers.length).toBeGreaterThan(20);
    for (const { path, method, operation } of takers) {
      const parameters = (operation.parameters ?? []) as unknown as { in: string; schema: { format?: string } }[];
      const isUuid = parameters.some((one) => one.in === "path" && one.schema.format === "uuid");
      const address = path.slice(API.length).replaceAll(/\{\w+\}/g, isUuid ? Bun.randomUUIDv7() : caller.clientId);
      const body = `{"Some":{"nested":[true,{"field":1e400}]}}`;
      const answer = await send(caller, method.toUpperCase(), address, body);
      expect({ path, method, status: answer.status, Errors: answer.body.Errors }).toEqual({
        ...{ path, method, status: 400 },
        Errors: [expect.stringMatching(/^Some\.nested\[1\]\.field is 1e400, which JSON readers round/)],
      });
    }
    expect((await ok(caller.get("/User"))).Items).toHaveLength(1);
  });
});
