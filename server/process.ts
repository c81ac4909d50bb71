// What every entry shares: how it is told to stop, and how it says why it cannot start.

import { type Config, ConfigError, readConfig } from "./config.ts";
import { migrate } from "./db/migrate.ts";

export type ProductionConfig = Config & { databaseUrl: string; masterKey: string };

/** A reason not to start that a person can act on: it is told as it stands, without a stack. */
export class CannotStart extends Error {
  override name = "CannotStart";
}

/**
 * @param found problems that the entry has found by itself, to be told with the others
 * @throws ConfigError also if DATABASE_URL or MASTER_KEY is missing; only `start` can do without them
 */
export function readProductionConfig(env: Record<string, string | undefined>, found: string[] = []): ProductionConfig {
  const problems = [...found];
  if (!env.DATABASE_URL) problems.push("DATABASE_URL is missing; it must be the address of a PostgreSQL database");
  if (!env.MASTER_KEY) problems.push("MASTER_KEY is missing; it must be 32 random bytes in base64");
  return readConfig(env, problems) as ProductionConfig;
}

/**
 * Brings the database up to date.
 * @returns the names of the migrations that were applied
 * @throws CannotStart if PostgreSQL cannot be reached or refuses us
 */
export async function prepareDatabase(databaseUrl: string): Promise<string[]> {
  try {
    return await migrate(databaseUrl);
  } catch (error) {
    const { host, pathname } = new URL(databaseUrl);
    throw new CannotStart(`PostgreSQL at ${host}${pathname} cannot be used: ${(error as Error).message}`);
  }
}

let stopping = false;

/** Runs an entry; a failure to start is told in words and ends the process with 1. */
export async function runEntry(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    // What is taken down while it starts has every reason to fail.
    if (stopping) return;
    console.error(error instanceof ConfigError || error instanceof CannotStart ? error.message : error);
    process.exit(1);
  }
}

/** Stops once, on SIGTERM or SIGINT, and, under `start`, when `start` itself is gone. */
export function onStop(stop: () => Promise<void>): void {
  const once = async () => {
    if (stopping) return;
    stopping = true;
    await stop().catch((error) => console.error(error));
    process.exit(0);
  };
  process.on("SIGTERM", once);
  process.on("SIGINT", once);
  if (process.env.GATEHOUSE_SUPERVISED === "1") {
    process.stdin.on("end", once);
    process.stdin.on("error", once);
    process.stdin.resume();
  }
}
