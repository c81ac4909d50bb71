// Filters of all lists, from the OpenAPI document: each narrows its list, and impossible values are rejected.

import { expect, test } from "bun:test";
import { API, ok, until } from "../world/api.ts";
import { operationsOf, readDocument, resolve } from "../world/documented.ts";
import { arrangeTwo } from "../world/every-path.ts";
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

type Item = Record<string, unknown>;

/** `ActorType` of an item is its Actor.Type. */
function valueFor(item: Item, filter: string): unknown {
  for (const [name, value] of Object.entries(item)) {
    if (name === filter) return value;
    if (filter.startsWith(name) && typeof value === "object" && value !== null) {
      return (value as Record<string, unknown>)[filter.slice(name.length)];
    }
  }
  return undefined;
}

/** They name a part of a value, such as 4xx. */
const OF_PARTS = ["Reason", "Route", "Status"];

test("a filter leaves exactly the records with its value", async () => {
  const api = await newTenant();
  await arrangeTwo(api);
  await until("nothing to change meanwhile", async () => {
    const lists = await Promise.all(["/Erasure", "/Redelivery"].map((path) => ok(api.get(path))));
    return lists.every(({ Items }) => Items.every(({ State }: Item) => State === "Completed"));
  });
  const all: [string, string][] = [["Limit", "200"]];
  const narrowed: string[] = [];
  for (const { path, parameters } of LISTS.filter((one) => one.parameters.some(({ name }) => name === "Limit"))) {
    const { Items }: { Items: Item[] } = await ok(api.get(`${path}?${new URLSearchParams(all)}`));
    for (const { name } of parameters.filter((one) => !OF_PARTS.includes(one.name))) {
      // An Id of several kinds of records needs its kind.
      const kind = parameters.find((one) => one.name === name.replace(/Id$/, "Type") && one.name !== name);
      const isAsked = (item: Item) => {
        const value = valueFor(item, name);
        return /string|number|boolean/.test(typeof value) && value !== "";
      };
      for (const item of new Map(Items.filter(isAsked).map((one) => [valueFor(one, name), one])).values()) {
        const asked = [name, ...(kind ? [kind.name] : [])].map((one): [string, string] => [
          one,
          String(valueFor(item, one)),
        ]);
        const isWanted = (one: Item) => asked.every(([field, value]) => String(valueFor(one, field)) === value);
        const wanted = Items.filter(isWanted);
        const { Items: found }: { Items: Item[] } = await ok(
          api.get(`${path}?${new URLSearchParams([...all, ...asked])}`),
        );
        const others = found.filter((one) => !isWanted(one));
        // The log of requests has meanwhile become longer.
        const missing = wanted.filter((one) => !found.some((other) => Bun.deepEquals(one, other)));
        expect({ path, asked, others, missing }).toEqual({ path, asked, others: [], missing: [] });
        if (wanted.length < Items.length) narrowed.push(`${path} ${name}`);
      }
    }
  }
  const named = filtersOf.filter(({ name }) => name === "Name").map(({ path, name }) => `${path} ${name}`);
  expect(narrowed).toEqual(expect.arrayContaining(named));
});
