// Compares the declarations of server/data/personal-data/tables.ts with the schema.

import { expect, test } from "bun:test";
import { PERSONAL_DATA } from "../../server/data/personal-data/tables.ts";
import { db } from "../world/tenant.ts";

interface Column {
  table: string;
  column: string;
}

/** Partitions are declared with their table. */
const columns = await db()<Column[]>`
  select c.relname as table, a.attname as column
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped`;
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
  const keys = await db()<Column[]>`
    select c.conrelid::regclass::text as table, a.attname as column
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
    where c.contype = 'f' and c.confrelid in ('users'::regclass, 'sessions'::regclass, 'totp_secrets'::regclass)
      and a.attname <> 'tenant_id' and c.conparentid = 0`;
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
