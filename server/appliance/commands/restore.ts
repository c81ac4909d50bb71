// `bun run restore FILE`: restores a backup into a DATA_DIR without a database.

import { join, resolve } from "node:path";
import { readConfig } from "../../platform/config/config.ts";
import { migrationNames } from "../../platform/db/migrate.ts";
import { CannotStart } from "../../platform/errors.ts";
import { interruption, refuseUsage, runEntry } from "../../platform/process.ts";
import { takeDataDirectory } from "../embedded/data-directory.ts";
import { postgresUser } from "../embedded/postgres-user.ts";
import { restoreBackup } from "../embedded/restore.ts";
import { vaultOf } from "./target.ts";

const USAGE = `Usage: bun run restore FILE

Restores a backup of \`bun run backup\` into DATA_DIR (.gatehouse), which must not contain a database. It needs the MASTER_KEY of
the installation that was backed up, as a variable or as the file master.key in DATA_DIR. The key proves that the file is
unchanged: take it from your own copy, not from the place of the backup.`;

await runEntry("restore", async ({ say, ...output }) => {
  const [file, ...rest] = process.argv.slice(2);
  if (!file || rest.length > 0 || file.startsWith("-")) refuseUsage({ say, ...output }, USAGE);
  const config = readConfig(process.env);
  const { dataDir } = config;
  if (config.databaseUrl) {
    throw new CannotStart("This restores a database for `bun run start`. Unset DATABASE_URL.");
  }
  const directory = takeDataDirectory(dataDir);
  try {
    const vault = await vaultOf(config);
    const signal = interruption("The restore was interrupted. It has left no files.");
    const user = await postgresUser(say, signal);
    const options = { file: resolve(file), dataDir, migrations: await migrationNames(), vault, user, say, signal };
    const { TakenOn } = await restoreBackup(options);
    say(
      `The database of ${TakenOn} is restored in ${join(dataDir, "postgres")}. \`bun run start\` continues from there` +
        `${config.masterKey ? ", with the same MASTER_KEY" : ""}. Receivers may get later events a second time.`,
      { takenOn: TakenOn },
    );
    directory.release();
  } catch (error) {
    directory.abandon();
    throw error;
  }
});
