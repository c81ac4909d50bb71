// The order of checks: media type, scopes, body.

import { expect, test } from "bun:test";
import { API } from "../world/api.ts";
import { operationsOf, readDocument, resolve } from "../world/documented.ts";
import { newTenant } from "../world/tenant.ts";

test("the media type is checked before the scopes, and the body after them, for every body", async () => {
  const document = await readDocument();
  const taking = operationsOf(document).filter(
    ({ path, operation }) =>
      path.startsWith(API) && resolve(document, operation.requestBody)?.content?.["application/json"],
  );
  expect(taking.length).toBeGreaterThan(10);
  const reader = await (await newTenant()).withScope("AccessManager:Read");
  for (const { method, path } of taking) {
    const ask = async (type: string) => {
      const to = path.slice(API.length).replace(/\{[^}]+\}/g, "1");
      return (await reader.send(method.toUpperCase(), to, { headers: { "content-type": type }, body: "{" })).status;
    };
    expect({ method, path, plain: await ask("text/plain"), json: await ask("application/json") }).toEqual({
      ...{ method, path },
      plain: 415,
      json: 403,
    });
  }
});
