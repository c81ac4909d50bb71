// The database under the tests of entities: rows that the API cannot create in time, and what it does not say.

import type { Sql } from "../../server/platform/db/sql.ts";

/** @returns their Ids */
export async function insertUsers(sql: Sql, tenantId: string, count: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    insert into users (tenant_id, username)
    select ${tenantId}, gen_random_uuid()::text from generate_series(1, ${count}::int) returning id`;
  return rows.map(({ id }) => id);
}

/** Sessions that wait for a lock. */
export async function countWaiting(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return row!.count;
}

let counted = 0;

/** The statements that write a table, each with the number of its rows. */
export async function countStatements(sql: Sql, table: string, work: () => Promise<unknown>): Promise<string[]> {
  const name = `counted_${++counted}`;
  await sql.unsafe(`
    create table ${name} (id bigint generated always as identity, text text);
    create function ${name}() returns trigger language plpgsql as $$ begin
      insert into ${name} (text) select lower(tg_op) || ' ' || count(*) from changed; return null; end $$;
    create trigger ${name}_insert after insert on ${table} referencing new table as changed
      for each statement execute function ${name}();
    create trigger ${name}_update after update on ${table} referencing new table as changed
      for each statement execute function ${name}();
    create trigger ${name}_delete after delete on ${table} referencing old table as changed
      for each statement execute function ${name}()`);
  await work();
  await sql.unsafe(`drop function ${name}() cascade`);
  const found = await sql.unsafe<{ text: string }[]>(`select text from ${name} order by id`);
  return found.map(({ text }) => text);
}
