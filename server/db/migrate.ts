import { join } from "node:path";
import { connect } from "./connection.ts";

const FOLDER = join(import.meta.dir, "migrations");
/** Any constant of our own: it keeps two starting processes from migrating at once. */
const MIGRATION_LOCK = 7_203_415;

/**
 * Applies every migration not applied yet, in the order of its number, in one transaction.
 * @returns the names of those applied
 * @throws Error if the database has one that is not here, for newer code has changed it
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const sql = connect(databaseUrl, "gatehouse migrate", 1);
  try {
    const names = (await Array.fromAsync(new Bun.Glob("*.sql").scan(FOLDER))).sort();
    return await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      await tx`create table if not exists migrations (name text primary key, applied_on timestamptz not null default now())`;
      const applied = new Set((await tx<{ name: string }[]>`select name from migrations`).map((row) => row.name));
      const unknown = [...applied].filter((name) => !names.includes(name));
      if (unknown.length > 0) {
        throw new Error(
          `newer code has been here (${unknown.join(", ")}). Start that, or go back to a backup from before it.`,
        );
      }
      const due = names.filter((name) => !applied.has(name));
      for (const name of due) {
        await tx.unsafe(await Bun.file(join(FOLDER, name)).text());
        await tx`insert into migrations (name) values (${name})`;
      }
      return due;
    });
  } finally {
    await sql.end();
  }
}
