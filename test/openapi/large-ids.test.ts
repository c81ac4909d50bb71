// Every path of the API with a parameter: Ids beyond PostgreSQL's integers are unknown, or refused.

import { expect, test } from "bun:test";
import { API } from "../world/api.ts";
import { operationsOf, readDocument } from "../world/documented.ts";
import { newTenant } from "../world/tenant.ts";

const operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith(API) && path.includes("{"));

test.each(["2147483648", "9007199254740991", "9223372036854775808"])("no record has the Id %s", async (id) => {
  const api = await newTenant();
  expect(operations.length).toBeGreaterThan(50);
  for (const { path, method } of operations) {
    const filled = path.slice(API.length).replaceAll(/\{\w+\}/g, id);
    const { status } = await api.call(
      method.toUpperCase(),
      filled,
      method === "post" || method === "patch" ? {} : undefined,
    );
    expect({ method, filled, status, isRefused: [400, 404].includes(status) }).toMatchObject({ isRefused: true });
  }
});
