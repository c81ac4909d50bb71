// `bun run db:types`: checks every SQL statement of the code against the schema. PostgreSQL parses it and describes its
// columns, which must match the row type in the code.

import { expect, test } from "bun:test";
import { db } from "../world/tenant.ts";
import { type Kind, readStatements, type Statement, VALUE } from "./statements.ts";

/**
 * Templates with parts known only at run time, such as an entity's columns; tables.test.ts runs those of plain tables.
 * The test names their files.
 */
const MAX_UNREAD = 157;

const SAMPLES: Record<Kind, unknown> = {
  date: new Date(),
  bytes: new Uint8Array(),
  boolean: true,
  bigint: 1n,
  json: {},
  other: "",
};

/** PostgreSQL's types by their numbers, as the driver returns them. */
const DRIVER_TYPES: Record<number, string> = {
  16: "boolean",
  20: "number",
  21: "number",
  23: "number",
  25: "string",
  700: "number",
  701: "number",
  1043: "string",
  1082: "Date",
  1114: "Date",
  1184: "Date",
  1700: "string",
  2950: "string",
};

test("PostgreSQL can prepare every statement, and its columns match the row's type", async () => {
  const { statements, unread } = readStatements(["server", "activities"]);
  expect(statements.length).toBeGreaterThan(380);
  expect((await Promise.all(statements.map(problemsOf))).flat()).toEqual([]);
  const files = Map.groupBy(unread, (problem) => problem.split(":")[0]);
  for (const [file, problems] of files) console.log(`${file}: ${problems.length} templates are not checked`);
  if (unread.length > MAX_UNREAD) expect(unread).toEqual([]);
});

test("a wrong column, a wrong table and a wrong type are found", async () => {
  const of = (text: string, type = "string") =>
    problemsOf({ place: "here", text, parameters: [], fields: [{ name: "name", type }] });
  expect(await of("select name from tenants")).toEqual([]);
  expect(await of("select nam from tenants")).toEqual(['here: column "nam" does not exist']);
  expect(await of("select name from tenant")).toEqual(['here: relation "tenant" does not exist']);
  expect(await of("select id from tenants")).toEqual(["here: no column name"]);
  expect(await of("select 1 as name")).toEqual(["here: name is number, not string"]);
});

async function problemsOf({ place, text, parameters, fields }: Statement): Promise<string[]> {
  let next = 0;
  const numbered = text.replaceAll(VALUE, () => `$${++next}`);
  const sql = db();
  const values = parameters.map((kind) => (kind === "json" ? sql.json({}) : SAMPLES[kind]));
  try {
    const { columns } = await sql.unsafe(numbered, values as never[]).describe();
    return fields.flatMap(({ name, type }) => {
      const column = columns?.find((one) => one.name === name);
      if (!column) return [`${place}: no column ${name}`];
      const own = DRIVER_TYPES[column.type];
      return type && own && own !== type ? [`${place}: ${name} is ${own}, not ${type}`] : [];
    });
  } catch (error) {
    return [`${place}: ${(error as Error).message}`];
  }
}
