// A + in a query is a space. Where it cannot be one, the error explains how to write a plus sign.

import { expect, test } from "bun:test";
import { API, expectError, ok } from "../world/api.ts";
import { operationsOf, readDocument } from "../world/documented.ts";
import { newTenant } from "../world/tenant.ts";

const EXPLAINED = /%2B for a plus sign/;

interface Filter {
  name: string;
  in: string;
  schema: { type?: string; format?: string; maxLength?: number; enum?: unknown; anyOf?: unknown; pattern?: string };
}

test("every filter of every list explains it: in dates, addresses, telephone numbers, numbers and words", async () => {
  const caller = await newTenant();
  let tried = 0;
  for (const { path, method, operation } of operationsOf(await readDocument())) {
    if (!path.startsWith(API) || method !== "get" || path.includes("{")) continue;
    for (const { name, in: where, schema } of (operation.parameters ?? []) as unknown as Filter[]) {
      if (where !== "query" || name === "Cursor") continue;
      const isText = schema.type === "string" && !schema.format && !schema.pattern;
      // The offset of From and To is understood, as before.
      const isMoment = schema.format === "date-time" && /^(From|To|OutcomeFrom|OutcomeTo)$/.test(name);
      const wrong = isMoment ? ["soon+now"] : isText ? [] : ["2026-01-31T12:00:00+02:00", "+1", "true+"];
      for (const value of [...wrong, "ana+test@example.com", "+351912345678", "%2B351+912+x@y", "Etc/GMT+3"]) {
        if (value === "%2B351+912+x@y" && isText) continue;
        const address = `${path.slice(API.length)}?${name}=${value}`;
        const answer = await caller.get(address);
        expect({ address, status: answer.status }).toEqual({ address, status: 400 });
        expectError(answer, 400, "Bad Input", EXPLAINED);
        expect(answer.body.Errors[0]).toStartWith(name);
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(300);
});

test("written %2B, it finds records; as a space, it stays one", async () => {
  const caller = await newTenant();
  const sent = {
    Email: "ana+test@example.com",
    MobilePhone: "+351 912 345 678",
    ZoneInfo: "Etc/GMT+3",
    Name: "Ana Reis",
  };
  const { Id, Creation_Date } = await ok(caller.patch("/User", { Username: "ana+1", ...sent }));
  const local = `${new Date(+new Date(Creation_Date) + 7_200_000).toISOString().slice(0, -1)}%2B02:00`;
  for (const query of [
    ...["Email=ana%2Btest@example.com", "MobilePhone=%2B351+912+345+678", "ZoneInfo=Etc/GMT%2B3", "Name=Ana+Reis"],
    ...["Username=ana%2B1", "Search=ana%2Btest@example", "Search=na+Re", `Creation_Date=${local}`],
  ]) {
    const { Items } = await ok(caller.get(`/User?${query}`));
    expect([query, Items.map((item: { Id: number }) => item.Id)]).toEqual([query, [Id]]);
  }
  const answer = await caller.get(`/User/${Id}?Name=ana+b@example.com`);
  expectError(answer, 400, "Bad Input", EXPLAINED);
  expect((await caller.get("/User?Name=a+b%zz")).status).toBe(400);
});
