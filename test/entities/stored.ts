// The statements of a change.

import type { Sql } from "../../server/platform/db/sql.ts";

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
