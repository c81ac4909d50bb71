// Common parts of all entries: stopping, and reporting why they cannot start.

import type { Logger } from "pino";
import { type Config, ConfigError, readConfig } from "./config/config.ts";
import { parseDatabaseUrl } from "./db/address.ts";
import { outageOf } from "./db/failures.ts";
import { migrate } from "./db/migrate.ts";
import { refuseSharedSessions } from "./db/sql.ts";
import { CannotStart } from "./errors.ts";
import { createOutageLog } from "./log.ts";
import { createOutput, type Output } from "./output.ts";
import { WrongMasterKey } from "./vault.ts";

export type ProductionConfig = Config & { databaseUrl: string; masterKey: string };

/** @param found earlier problems, reported together @throws ConfigError also without DATABASE_URL or MASTER_KEY */
export function readProductionConfig(env: Record<string, string | undefined>, found: string[] = []): ProductionConfig {
  const config = readConfig(env, found, {
    DATABASE_URL: "it must be the address of a PostgreSQL database",
    MASTER_KEY: "it must be 32 random bytes in base64",
  }) as ProductionConfig;
  return { ...config, mail: { ...config.mail, isKept: isSupervised() && !config.mail.smtp } };
}

/**
 * @param prepare default: applies the migrations
 * @returns the names of the applied migrations
 * @throws CannotStart if PostgreSQL is unreachable or rejects logins
 */
export async function prepareDatabase(databaseUrl: string, prepare = migrate): Promise<string[]> {
  try {
    await refuseSharedSessions(databaseUrl);
    return await prepare(databaseUrl);
  } catch (error) {
    throw cannotBeUsed(databaseUrl, error);
  }
}

const ASK_AGAIN_MS = 250;

/** For processes that survive the database's restart, or start before it. @throws CannotStart if retrying is useless */
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
      away({ error: message }, `${placeOf(databaseUrl)} is unavailable: ${message}; retrying`);
      await Bun.sleep(ASK_AGAIN_MS);
    }
  }
}

/** A wrong password or a missing database is permanent. */
function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test((error as NodeJS.ErrnoException).code ?? "");
}

function cannotBeUsed(databaseUrl: string, error: unknown): Error {
  if (error instanceof CannotStart || error instanceof WrongMasterKey) return new CannotStart(error.message);
  return new CannotStart(`${placeOf(databaseUrl)} cannot be used: ${(error as Error).message}`);
}

function placeOf(databaseUrl: string): string {
  return `PostgreSQL at ${parseDatabaseUrl(databaseUrl).place}`;
}

let stopping = false;

/** Runs an entry. A failure is reported and ends the process: with status 2 for wrong settings, otherwise 1. */
export async function runEntry(part: string, main: (output: Output) => Promise<void>): Promise<void> {
  const output = createOutput(process.env, part);
  endOnFault(output);
  try {
    await main(output);
  } catch (error) {
    // Errors are expected when stopping during the start.
    if (stopping) return;
    output.fail(wordsFor(error) ?? error);
    process.exit(exitCodeOf(error));
  }
}

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

export function refuseUsage(output: Output, usage: string): never {
  output.fail(usage);
  process.exit(2);
}

/** @returns undefined for bugs, which are reported with their stack */
function wordsFor(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof CannotStart || error instanceof WrongMasterKey) {
    return error.message;
  }
  return outageOf(error) ? `PostgreSQL cannot be used: ${(error as Error).message}` : undefined;
}

/** Under `start`. */
const isSupervised = () => process.env.GATEHOUSE_SUPERVISED === "1";

/** Stops once, on SIGTERM or SIGINT, or under `start` when `start` has ended. */
export function onStop(stop: () => Promise<void>): void {
  const once = async () => {
    if (stopping) return;
    stopping = true;
    await stop().catch((error) => console.error(error));
    process.exit(0);
  };
  process.on("SIGTERM", once);
  process.on("SIGINT", once);
  if (isSupervised()) {
    process.stdin.on("end", once);
    process.stdin.on("error", once);
    process.stdin.resume();
  }
}

/** Aborts at SIGTERM or SIGINT, so that a command removes what it has begun. */
export function interruption(message: string): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"]) process.once(name, () => controller.abort(new CannotStart(message)));
  return controller.signal;
}
