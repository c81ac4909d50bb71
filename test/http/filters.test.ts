// Filters of all lists, from the OpenAPI document: impossible values are rejected.

import { expect, test } from "bun:test";
import { API } from "../world/api.ts";
import { operationsOf, readDocument, resolve } from "../world/documented.ts";
import { newTenant } from "../world/tenant.ts";

const document = await readDocument();
const caller = await newTenant();

interface Parameter {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: JSON Schema
  schema: any;
}

const LISTS = operationsOf(document)
  .filter(({ path, method }) => method === "get" && path.startsWith(API) && !path.includes("{"))
  .map(({ path, operation }) => ({
    path: path.slice(API.length),
    parameters: (operation.parameters ?? [])
      .map((one: unknown) => resolve(document, one))
      .filter((one: { in: string }) => one.in === "query")
      .map(({ name, schema }: Parameter): Parameter => ({ name, schema: resolve(document, schema) })),
  }))
  .filter(({ parameters }) => parameters.length > 0) as { path: string; parameters: Parameter[] }[];

const filtersOf = LISTS.flatMap(({ path, parameters }) => parameters.map((one) => ({ path, ...one })));

/** Values that no record can have. */
function impossible({ type, format, pattern, enum: words, maxLength, minLength }: Parameter["schema"]): string[] {
  if (words) return ["nonsense", words[0] === words[0].toLowerCase() ? words[0].toUpperCase() : words[0].toLowerCase()];
  if (type === "boolean") return ["yes", "1", "truefalse"];
  if (type === "integer") return ["x", "1.5", "99999999999999999999"];
  if (format === "uuid" || format === "date-time") return ["x", "2026-02-30"];
  if (pattern) return ["\u0001", "not one?"];
  return [...(maxLength ? ["x".repeat(maxLength + 1)] : []), ...(minLength ? [""] : [])];
}

const ask = (path: string, query: [string, string][]) => caller.get(`${path}?${new URLSearchParams(query)}`);

test.each(filtersOf)("$path rejects invalid values of $name, and names it", async ({ path, name, schema }) => {
  for (const value of impossible(schema)) {
    const { status, body } = await ask(path, [[name, value]]);
    expect({ value, status, names: String(body.Errors).includes(name) }).toEqual({ value, status: 400, names: true });
  }
});

test.each(LISTS)("$path rejects repeated and unknown filters, and names them", async ({ path, parameters }) => {
  for (const { name } of parameters) {
    const twice = await ask(path, [
      [name, "1"],
      [name, "2"],
    ]);
    expect({ name, status: twice.status, says: String(twice.body.Errors) }).toMatchObject({ status: 400 });
    expect(String(twice.body.Errors)).toContain(`${name} is repeated in the query`);
    const misspelt = await ask(path, [[`${name}s`, "1"]]);
    expect({ name, status: misspelt.status }).toEqual({ name, status: 400 });
    expect(String(misspelt.body.Errors)).toContain(`${name}s is not a filter`);
  }
});

test("every range of time rejects an end before its start", async () => {
  const timed = LISTS.filter(({ parameters }) =>
    ["From", "To"].every((name) => parameters.some((one) => one.name === name)),
  );
  expect(timed.length).toBeGreaterThan(2);
  for (const { path, parameters } of timed) {
    for (const [from, to] of [
      ["2026-02-01", "2026-01-01"],
      ["2026-01-01", "2026-01-01"],
    ]) {
      const { status, body } = await ask(path, [
        ["From", from!],
        ["To", to!],
      ]);
      expect({ path, status, errors: body.Errors }).toEqual({ path, status: 400, errors: ["From must be before To."] });
    }
    if (!parameters.some(({ name }) => name === "Last")) continue;
    const { status, body } = await ask(path, [
      ["Last", "1h"],
      ["To", "2020-01-01"],
    ]);
    expect({ path, status, errors: body.Errors }).toEqual({
      ...{ path, status: 400, errors: ["To must be within the period of Last."] },
    });
  }
});
