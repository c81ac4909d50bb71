// `bun run backup FILE`: backs up the database that `start` keeps in DATA_DIR, whether it runs or not.

import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createKeyRotation } from "../../identity/index.ts";
import { type Config, readConfig } from "../../platform/config/config.ts";
import { connect } from "../../platform/db/sql.ts";
import { CannotStart } from "../../platform/errors.ts";
import { interruption, refuseUsage, runEntry } from "../../platform/process.ts";
import type { Vault } from "../../platform/vault.ts";
import { CLUSTER, writeBackup } from "../embedded/backup.ts";
import { type DataDirectory, readRunning, takeDataDirectory } from "../embedded/data-directory.ts";
import { Part } from "../embedded/part.ts";
import { onFreePorts } from "../embedded/ports.ts";
import { preparePostgresql } from "../embedded/postgresql.ts";
import { stopLeftovers } from "../embedded/processes.ts";
import { vaultOf } from "./target.ts";

const USAGE = `Usage: bun run backup FILE

Writes a backup of the database in DATA_DIR (.gatehouse) to the new file FILE. Gatehouse may be running or stopped.
\`bun run restore FILE\` restores it. It does not contain MASTER_KEY: store that separately.`;

const HOST = "127.0.0.1";

await runEntry("backup", async ({ say, ...output }) => {
  const [file, ...rest] = process.argv.slice(2);
  if (!file || rest.length > 0 || file.startsWith("-")) refuseUsage({ say, ...output }, USAGE);
  const config = readConfig(process.env);
  if (config.databaseUrl) {
    throw new CannotStart(
      "This backs up the database of `bun run start`. With DATABASE_URL, use the tools of that PostgreSQL " +
        "(docs/operations.md, Backup).",
    );
  }
  const { dataDir } = config;
  if (!existsSync(join(dataDir, CLUSTER)))
    throw new CannotStart(`There is no database in ${dataDir}. Set DATA_DIR to the directory of \`bun run start\`.`);
  const vault = await vaultOf(config);
  const target = resolve(file);
  const signal = interruption("The backup was interrupted. It has left no file.");
  const write = async (databaseUrl: string) => {
    await requireItsKey(databaseUrl, vault);
    await writeBackup({ databaseUrl, dataDir, file: target, vault, say, signal });
  };
  await withDatabase(config, say, signal, write);
  const size = (statSync(target).size / 1024 / 1024).toFixed(1);
  say(
    `${target} is the backup (${size} MiB). It does not contain MASTER_KEY, which is needed to restore it: store ` +
      `${config.masterKey ? "MASTER_KEY" : join(dataDir, "master.key")} separately.`,
    { file: target },
  );
});

/** With a different MASTER_KEY, the restored database could not be started. @throws WrongMasterKey */
async function requireItsKey(databaseUrl: string, vault: Vault): Promise<void> {
  const sql = connect(databaseUrl, "gatehouse backup", 1);
  try {
    await createKeyRotation(sql, vault).requireOpen();
  } finally {
    await sql.end();
  }
}

/** Starts PostgreSQL for the time of the backup if `start` does not run. */
async function withDatabase(
  { dataDir }: Config,
  say: (line: string) => void,
  signal: AbortSignal,
  work: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  let directory: DataDirectory;
  try {
    directory = takeDataDirectory(dataDir);
  } catch (error) {
    const running = readRunning(dataDir);
    if (!running) throw error;
    return work(running.databaseUrl);
  }
  try {
    await stopLeftovers(dataDir, say);
    const { part, url } = await preparePostgresql({ dataDir, say, signal });
    await onFreePorts({ preferred: [0], host: HOST, reserved: new Set(), say }, async ([port]) => {
      const postgresql = new Part(part(port!), say);
      try {
        await postgresql.start();
        await work(url(port!));
      } finally {
        await postgresql.stop();
      }
    });
  } finally {
    directory.release();
  }
}
