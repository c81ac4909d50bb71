import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { LOCK_NOT_AVAILABLE } from "./failures.ts";
import { makePartitionsAhead } from "./partitions.ts";
import { connect, type Queries, type Sql, type Timeouts } from "./sql.ts";

const FOLDER = join(import.meta.dir, "migrations");
/** An arbitrary constant for the lock that serializes migrations. */
const MIGRATION_LOCK = 7_203_415;
const INSUFFICIENT_PRIVILEGE = "42501";
/** A request waits at most this long behind a migration that waits for a lock. */
const LOCK_TIMEOUT_MS = 50;
const PAUSE_MS = 100;
/** A process may wait for the migration of a different process, and an index for long transactions. */
const TIMEOUTS: Timeouts = { statement: 0, lock: 0, idle: 60_000 };
/** For tries to get a lock, which a long transaction may hold. */
const PATIENCE_MS = 10 * 60_000;
/** The start of the first line of a migration that removes something; the version and a full stop follow. */
export const CONTRACT = "-- Contract: unused since ";
/** The first line of a migration with `concurrently`, which no transaction allows. */
export const WITHOUT_TRANSACTION = "-- Without a transaction.";

/** The schema does not match this code; the message says what to do. */
class OtherSchema extends Error {
  override name = "OtherSchema";
}

/**
 * Each migration in a transaction of its own, and the partitions of the days to come. Requests continue meanwhile.
 * Without pending migrations a role needs no DDL rights. @param folder of the migrations
 * @returns the names of the applied migrations
 * @throws OtherSchema if newer code has changed the database, or this role may not apply the pending migrations
 */
export async function migrate(databaseUrl: string, folder = FOLDER): Promise<string[]> {
  const sql = connect(databaseUrl, "gatehouse migrate", 1, { max_lifetime: null, timeouts: TIMEOUTS });
  try {
    const before = await dueMigrations(sql, folder);
    const applied = before.length === 0 ? [] : await apply(sql, folder, before);
    await makePartitionsAhead(sql);
    return applied;
  } finally {
    await sql.end();
  }
}

async function apply(sql: Sql, folder: string, before: string[]): Promise<string[]> {
  // Held by the pool's only connection, until it is closed.
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
  try {
    // usable_from: the oldest version whose code works with the schema after the migration.
    await sql`
      create table if not exists migrations (
        name text primary key, digest text not null, usable_from text not null,
        applied_on timestamptz not null default now())`;
    const due = await dueMigrations(sql, folder);
    for (const name of due) await applyOne(sql, name, await textOf(folder, name));
    return due;
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new OtherSchema(
      `${described(before)}, and this role may not create them (${(error as Error).message}). Run \`bun run migrate\` as ` +
        "the role that owns the tables.",
    );
  }
}

/** Gives up a lock that it does not get at once, because requests queue behind it, and tries again. */
async function applyOne(sql: Sql, name: string, text: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      if (text.startsWith(WITHOUT_TRANSACTION)) return await applyStatements(sql, name, text);
      await sql.begin(async (tx) => {
        await tx.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await tx.unsafe(text);
        await markApplied(tx, name, text);
      });
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || Date.now() > end) throw error;
      await Bun.sleep(PAUSE_MS * (1 + Math.random()));
    }
  }
}

/** For `concurrently`, which waits for transactions but blocks none. An index that a failed try left is built again. */
async function applyStatements(sql: Sql, name: string, text: string): Promise<void> {
  for (const statement of statementsOf(text)) {
    const [, index] = /^create (?:unique )?index concurrently (\w+)/i.exec(statement) ?? [];
    if (index) await sql.unsafe(`drop index concurrently if exists ${index}`);
    await sql.unsafe(statement);
  }
  await markApplied(sql, name, text);
}

async function markApplied(sql: Queries, name: string, text: string): Promise<void> {
  await sql`
    insert into migrations (name, digest, usable_from) values (${name}, ${digestOf(text)}, ${usableFrom(text)})`;
}

/** The oldest release whose code works after a migration: any, unless its first line says that it removes something. */
function usableFrom(text: string): string {
  return text.startsWith(CONTRACT) ? text.slice(CONTRACT.length, text.indexOf("\n")).replace(/\.$/, "") : "0.0.0";
}

/** Without comments; for files without functions. */
export function statementsOf(text: string): string[] {
  return text
    .replace(/--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter(Boolean);
}

/** @throws OtherSchema if the schema does not match this code */
export async function requireSchema(sql: Queries): Promise<void> {
  const due = await dueMigrations(sql, FOLDER);
  if (due.length === 0) return;
  throw new OtherSchema(`${described(due)}. Run \`bun run migrate\`, or start the API, which does the same.`);
}

/** @throws OtherSchema if the database has an unknown migration, or a different one of the same name */
async function dueMigrations(sql: Queries, folder: string): Promise<string[]> {
  const names = await migrationNames(folder);
  const [table] = await sql<{ there: boolean }[]>`select to_regclass('migrations') is not null as there`;
  if (!table!.there) return names;
  const rows = await sql<{ name: string; digest: string; usableFrom: string }[]>`
    select name, digest, usable_from as "usableFrom" from migrations`;
  const [known, others] = [
    rows.filter(({ name }) => names.includes(name)),
    rows.filter(({ name }) => !names.includes(name)),
  ];
  for (const { name, digest } of known) {
    if (digest !== digestOf(await textOf(folder, name))) {
      throw new OtherSchema(
        `it was created by a different ${name}, of a development version. Start that version, or use an empty database.`,
      );
    }
  }
  const unknown = others.filter(({ usableFrom }) => Bun.semver.order(version, usableFrom) < 0);
  if (unknown.length > 0) {
    throw new OtherSchema(
      `newer code has used this database (${unknown.map(({ name }) => name).join(", ")}). Start that version, or restore a backup from before it.`,
    );
  }
  return names.filter((name) => !known.some((row) => row.name === name));
}

export async function migrationNames(folder = FOLDER): Promise<string[]> {
  return (await Array.fromAsync(new Bun.Glob("*.sql").scan(folder))).sort();
}

function textOf(folder: string, name: string): Promise<string> {
  return Bun.file(join(folder, name)).text();
}

function digestOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

function described(due: string[]): string {
  return `it lacks ${due.length === 1 ? "a migration" : `${due.length} migrations`} of this code (the first is ${due[0]})`;
}
