// What every entry shares: how it is told to stop, and how it says why it cannot start.

import { join } from "node:path";
import { type Config, ConfigError } from "./config.ts";

export type ProductionConfig = Config & { databaseUrl: string; masterKey: string };

/** @throws ConfigError if DATABASE_URL or MASTER_KEY is missing; only `start` can do without them */
export function requireProduction(config: Config): ProductionConfig {
  const problems: string[] = [];
  if (!config.databaseUrl) problems.push("DATABASE_URL is missing; it must be the address of a PostgreSQL database");
  if (!config.masterKey) problems.push("MASTER_KEY is missing; it must be 32 random bytes in base64");
  if (problems.length > 0) throw new ConfigError(problems);
  return config as ProductionConfig;
}

/** Runs an entry; a failure to start is told in words and ends the process with 1. */
export async function runEntry(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    process.exit(1);
  }
}

/** Stops once, on SIGTERM or SIGINT, and, under `start`, when `start` itself is gone. */
export function onStop(stop: () => Promise<void>): void {
  let stopping = false;
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

/** For a command: DATABASE_URL, or the PostgreSQL of a `start` that is running; with neither it ends the process. */
export async function databaseOf(config: Config): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl;
  const running = Bun.file(join(config.dataDir, "database-url"));
  if (await running.exists()) return (await running.text()).trim();
  console.error("No database: set DATABASE_URL, or leave `bun run start` running in another terminal.");
  process.exit(1);
}

/** For a command: MASTER_KEY, or the one that `start` keeps; with neither it ends the process. */
export async function masterKeyOf(config: Config): Promise<string> {
  if (config.masterKey) return config.masterKey;
  const kept = Bun.file(join(config.dataDir, "master.key"));
  if (!config.databaseUrl && (await kept.exists())) return (await kept.text()).trim();
  console.error("No master key: set MASTER_KEY to the one that the API and the workers have.");
  process.exit(1);
}
