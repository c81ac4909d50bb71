// Migrations beside requests, and older code beside a newer schema.

import { expect, test } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../server/platform/db/migrate.ts";
import type { Sql } from "../../server/platform/db/sql.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { ROOT } from "../support/pages.ts";
import { until } from "../world/api.ts";
import { holdReading, waitingSessions } from "../world/locks.ts";
import { addRows, countOf, removeRows, rowsOf, setRows } from "../world/rows.ts";

const EXPANDING = {
  "900-column.sql": "alter table departments add column floor integer not null default 0;",
  "901-index.sql":
    "-- Without a transaction.\ncreate index concurrently departments_floor on departments (tenant_id, floor);",
  "902-check.sql": "alter table departments add constraint floors check (floor < 200) not valid;",
  "903-check.sql": "alter table departments validate constraint floors;",
};

/** A copy of our migrations with these. */
function folderWith(files: Record<string, string>): string {
  const folder = temporaryDirectory("migrations");
  cpSync(join(ROOT, "server/platform/db/migrations"), folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const indexOf = (sql: Sql) => ({ indexrelid: sql`'departments_floor'::regclass` });

test("a column, an index and a constraint are added beside a long transaction, and no statement waits behind them", async () => {
  await using database = await newEmptyDatabase();
  const { sql, url } = database;
  await migrate(url);
  const tenant = Bun.randomUUIDv7();
  await addRows("tenants", { id: tenant, name: "acme" }, sql);
  const write = (name: string) => addRows("departments", { tenant_id: tenant, name }, sql);
  const waiting = async () =>
    (await waitingSessions(sql)).some((session) => session.application_name === "gatehouse migrate");

  await using long = await holdReading("departments", sql);
  const migrated = migrate(url, folderWith(EXPANDING));
  await until("the migration to wait for the transaction", waiting);
  for (let count = 0; count < 20; count++) await write(`beside ${count}`);
  expect((await rowsOf("migrations", {}, sql)).filter(({ name }) => name.startsWith("90"))).toEqual([]);
  await long.release();

  expect(await migrated).toEqual(Object.keys(EXPANDING));
  await write("after");
  expect(await countOf("departments", { floor: 0 }, sql)).toBe(21);
  expect(await rowsOf("pg_index", indexOf(sql), sql)).toMatchObject([{ indisvalid: true }]);
  await expect(setRows("departments", {}, { floor: 300 }, sql)).rejects.toThrow("floors");
});

test("an index that an interrupted migration left is built again", async () => {
  await using database = await newEmptyDatabase();
  const { sql, url } = database;
  const { "900-column.sql": column, "901-index.sql": index } = EXPANDING;
  const folder = folderWith({ "900-column.sql": column, "901-index.sql": index });
  await migrate(url, folder);
  await setRows("pg_index", indexOf(sql), { indisvalid: false }, sql);
  await removeRows("migrations", { name: "901-index.sql" }, sql);
  expect(await migrate(url, folder)).toEqual(["901-index.sql"]);
  expect(await rowsOf("pg_index", indexOf(sql), sql)).toMatchObject([{ indisvalid: true }]);
});

test("older code starts on a schema that newer code has added to, but not if a part is gone that it uses", async () => {
  await using database = await newEmptyDatabase();
  await migrate(database.url, folderWith(EXPANDING));
  expect(await migrate(database.url)).toEqual([]);

  const dropped = "alter table departments drop column floor;";
  const unusedHere = { "904-floor.sql": `-- Contract: unused since 0.1.0.\n${dropped}` };
  await migrate(database.url, folderWith({ ...EXPANDING, ...unusedHere }));
  expect(await migrate(database.url)).toEqual([]);

  const usedHere = { "905-search.sql": "-- Contract: unused since 99.0.0.\ndrop index departments_parent;" };
  await migrate(database.url, folderWith({ ...EXPANDING, ...unusedHere, ...usedHere }));
  await expect(migrate(database.url)).rejects.toThrow("newer code has used this database (905-search.sql)");
});
