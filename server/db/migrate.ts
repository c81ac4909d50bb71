import { join } from "node:path";
import { makePartitionsAhead } from "./partitions.ts";
import { connect, type Queries, type Sql } from "./sql.ts";

const FOLDER = join(import.meta.dir, "migrations");
/** An arbitrary constant for the lock that serializes migrations. */
const MIGRATION_LOCK = 7_203_415;
const INSUFFICIENT_PRIVILEGE = "42501";

/** The schema does not match this code; the message says what to do. */
class OtherSchema extends Error {
  override name = "OtherSchema";
}

/**
 * In one transaction, with the partitions of the days to come. Without pending migrations a role needs no DDL rights.
 * @returns the names of the applied migrations
 * @throws OtherSchema if newer code has changed the database, or this role may not apply the pending migrations
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const sql = connect(databaseUrl, "gatehouse migrate", 1);
  try {
    const before = await dueMigrations(sql);
    const applied = before.length === 0 ? [] : await apply(sql, before);
    await makePartitionsAhead(sql);
    return applied;
  } finally {
    await sql.end();
  }
}

function apply(sql: Sql, before: string[]): Promise<string[]> {
  return sql
    .begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      await tx`
          create table if not exists migrations (
            name text primary key, digest text, applied_on timestamptz not null default now())`;
      const due = await dueMigrations(tx);
      for (const name of due) {
        const text = await textOf(name);
        await tx.unsafe(text);
        await tx`insert into migrations (name, digest) values (${name}, ${digestOf(text)})`;
      }
      return due;
    })
    .catch((error) => {
      if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
      throw new OtherSchema(
        `${described(before)}, and this role may not create them (${error.message}). Run \`bun run migrate\` as the ` +
          "role that owns the tables.",
      );
    }) as Promise<string[]>;
}

/** @throws OtherSchema if the schema does not match this code */
export async function requireSchema(sql: Queries): Promise<void> {
  const due = await dueMigrations(sql);
  if (due.length === 0) return;
  throw new OtherSchema(`${described(due)}. Run \`bun run migrate\`, or start the API, which does the same.`);
}

/** @throws OtherSchema if the database has an unknown migration, or a different one of the same name */
async function dueMigrations(sql: Queries): Promise<string[]> {
  const names = await migrationNames();
  const [table] = await sql<{ there: boolean }[]>`select to_regclass('migrations') is not null as there`;
  if (!table!.there) return names;
  const rows = await sql<{ name: string; digest: string | null }[]>`
    select name, to_jsonb(m) ->> 'digest' as digest from migrations m`;
  const applied = new Map(rows.map(({ name, digest }) => [name, digest]));
  const unknown = [...applied.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new OtherSchema(
      `newer code has used this database (${unknown.join(", ")}). Start that version, or restore a backup from before it.`,
    );
  }
  for (const [name, digest] of applied) {
    if (digest !== digestOf(await textOf(name))) {
      throw new OtherSchema(
        `it was created by a different ${name}, of a development version. Start that version, or use an empty database.`,
      );
    }
  }
  return names.filter((name) => !applied.has(name));
}

export async function migrationNames(): Promise<string[]> {
  return (await Array.fromAsync(new Bun.Glob("*.sql").scan(FOLDER))).sort();
}

function textOf(name: string): Promise<string> {
  return Bun.file(join(FOLDER, name)).text();
}

function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

function described(due: string[]): string {
  return `it lacks ${due.length === 1 ? "a migration" : `${due.length} migrations`} of this code (the first is ${due[0]})`;
}
