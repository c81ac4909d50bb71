// What every entry shares: how it is told to stop, and how it says why it cannot start.

import type { Logger } from "pino";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { outageOf } from "./db/failures.ts";
import { migrate } from "./db/migrate.ts";
import { refuseSharedSessions } from "./db/sql.ts";
import { CannotStart } from "./errors.ts";
import { createOutageLog } from "./log.ts";
import { createOutput, type Output } from "./output.ts";
import { WrongMasterKey } from "./vault.ts";

export type ProductionConfig = Config & { databaseUrl: string; masterKey: string };

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
    await refuseSharedSessions(databaseUrl);
    return await migrate(databaseUrl);
  } catch (error) {
    throw cannotBeUsed(databaseUrl, error);
  }
}

const ASK_AGAIN_MS = 250;

/**
 * Asks a database again and again until it is there: for processes that are to outlive its restart, also one that
 * begins before them.
 * @param onAway called each time that it is not
 * @throws CannotStart where waiting is of no use
 */
export async function onceDatabaseIsThere<T>(
  databaseUrl: string,
  log: Logger,
  ask: () => Promise<T>,
  onAway = () => {},
): Promise<T> {
  const away = createOutageLog(log);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!outageOf(error) || isRefusal(error)) throw cannotBeUsed(databaseUrl, error);
      onAway();
      const { message } = error as Error;
      away({ error: message }, `${placeOf(databaseUrl)} is away: ${message}. It is asked again until it is there`);
      await Bun.sleep(ASK_AGAIN_MS);
    }
  }
}

/** A wrong password, or a database that does not exist, does not become right by itself. */
function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test((error as NodeJS.ErrnoException).code ?? "");
}

function cannotBeUsed(databaseUrl: string, error: unknown): Error {
  if (error instanceof CannotStart || error instanceof WrongMasterKey) return new CannotStart(error.message);
  return new CannotStart(`${placeOf(databaseUrl)} cannot be used: ${(error as Error).message}`);
}

function placeOf(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host}${pathname}`;
}

let stopping = false;

/** Runs an entry; a failure is told in words and ends the process: with 2 if the settings are wrong, else with 1. */
export async function runEntry(part: string, main: (output: Output) => Promise<void>): Promise<void> {
  const output = createOutput(process.env, part);
  endOnFault(output);
  try {
    await main(output);
  } catch (error) {
    // What is taken down while it starts has every reason to fail.
    if (stopping) return;
    output.fail(wordsFor(error) ?? error);
    process.exit(exitCodeOf(error));
  }
}

/** Has a fault of ours told as all else is; by itself the runtime prints text. */
export function endOnFault(output: Output): void {
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => {
      output.fail(error);
      process.exit(1);
    });
  }
}

export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError ? 2 : 1;
}

/** Ends a command that was not called as its usage says. */
export function refuseUsage(output: Output, usage: string): never {
  output.fail(usage);
  process.exit(2);
}

/** @returns undefined for what can only be a fault of ours: its stack is the best there is */
function wordsFor(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof CannotStart || error instanceof WrongMasterKey) {
    return error.message;
  }
  return outageOf(error) ? `PostgreSQL cannot be used: ${(error as Error).message}` : undefined;
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
