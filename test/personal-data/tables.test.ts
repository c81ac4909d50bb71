// Compares the declarations of server/data/personal-data/tables.ts with the schema.

import { expect, test } from "bun:test";
import { PERSONAL_DATA } from "../../server/data/personal-data/tables.ts";
import { columnsOf, foreignKeysOf } from "../world/postgresql.ts";

interface Column {
  table: string;
  column: string;
}

/** Partitions are declared with their table. */
const columns = await columnsOf();
const byTable = Map.groupBy(columns, ({ table }) => table);

test("the declared tables are those of the database", () => {
  expect([...PERSONAL_DATA.keys()].toSorted()).toEqual([...byTable.keys()].toSorted());
});

test("every column of rows about a person is exported or withheld", () => {
  for (const [table, declared] of PERSONAL_DATA) {
    if ("how" in declared) continue;
    const { column, exported, withheld } = declared;
    const all = new Set([...exported, ...withheld, column, "tenant_id"]);
    const own = byTable.get(table)!.map((one) => one.column);
    expect({ table, undeclared: own.filter((name) => !all.has(name)) }).toEqual({ table, undeclared: [] });
    expect({ table, unknown: [...all].filter((name) => !own.includes(name) && name !== "tenant_id") }).toEqual({
      table,
      unknown: [],
    });
    expect({ table, both: exported.filter((name) => withheld.includes(name)) }).toEqual({ table, both: [] });
  }
});

test("every column that may name a User is declared", async () => {
  const keys = (await foreignKeysOf()).filter(
    ({ column, target }) => column !== "tenant_id" && ["users", "sessions", "totp_secrets"].includes(target),
  );
  const named = columns.filter(({ column }) => /(^|_)user_id$|_by_id$|^actor_id$|^subject_id$/.test(column));
  const isDeclared = ({ table, column }: Column) => {
    const declared = PERSONAL_DATA.get(table)!;
    if (!("how" in declared)) return column === declared.column || (declared.mentions ?? []).includes(column);
    if (declared.how === "Nothing") return false;
    // A started sign-in at a provider references a session only for a short time.
    return "mentions" in declared.how ? declared.how.mentions.includes(column) : true;
  };
  expect([...keys, ...named].filter((one) => !isDeclared(one))).toEqual([]);
});

test("columns with a person's words or address are in no table that is declared to have nothing", () => {
  const telling = columns.filter(({ column }) =>
    /^(address|user_agent|email|username|payload|response_body)$/.test(column),
  );
  expect(telling.length).toBeGreaterThan(5);
  expect(telling.filter(({ table }) => (PERSONAL_DATA.get(table) as { how?: unknown }).how === "Nothing")).toEqual([]);
});
