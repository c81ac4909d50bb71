// Migrations beside requests, and older code beside a newer schema.

import { expect, test } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "../../server/platform/db/migrate.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { newEmptyDatabase } from "../support/empty-database.ts";
import { ROOT } from "../support/pages.ts";
import { until } from "../world/api.ts";

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

test("a column, an index and a constraint are added beside a long transaction, and no statement waits behind them", async () => {
  await using database = await newEmptyDatabase();
  const { sql, url } = database;
  await migrate(url);
  const tenant = Bun.randomUUIDv7();
  await sql`insert into tenants (id, name) values (${tenant}, 'acme')`;
  const write = (name: string) => sql`insert into departments (tenant_id, name) values (${tenant}, ${name})`;
  const waiting = async () =>
    (await sql`select from pg_stat_activity where application_name = 'gatehouse migrate' and wait_event_type = 'Lock'`)
      .length > 0;

  const long = await sql.reserve();
  await long`begin`;
  await long`select count(*) from departments`;
  const migrated = migrate(url, folderWith(EXPANDING));
  await until("the migration to wait for the transaction", waiting);
  for (let count = 0; count < 20; count++) await write(`beside ${count}`);
  expect(await sql`select from migrations where name like '90%'`).toHaveLength(0);
  await long`commit`;
  long.release();

  expect(await migrated).toEqual(Object.keys(EXPANDING));
  await write("after");
  expect(await sql`select from departments where floor = 0`).toHaveLength(21);
  expect(await sql`select from pg_index where indexrelid = 'departments_floor'::regclass and indisvalid`).toHaveLength(
    1,
  );
  await expect(sql`update departments set floor = 300`.execute()).rejects.toThrow("floors");
});

test("an index that an interrupted migration left is built again", async () => {
  await using database = await newEmptyDatabase();
  const { sql, url } = database;
  await migrate(url);
  await sql`alter table departments add column floor integer`;
  await sql`create index departments_floor on departments (floor)`;
  await sql`update pg_index set indisvalid = false where indexrelid = 'departments_floor'::regclass`;
  const { "901-index.sql": index } = EXPANDING;
  expect(await migrate(url, folderWith({ "901-index.sql": index }))).toEqual(["901-index.sql"]);
  expect(await sql`select from pg_index where indexrelid = 'departments_floor'::regclass and indisvalid`).toHaveLength(
    1,
  );
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
