// What a command works on: an outside installation, by its variables, or that of a `start` that is running.

import type { Config } from "../config.ts";
import { masterKeyFile, type RunningInstallation, readRunning } from "../embedded/data-directory.ts";
import { importMasterKey, type MasterKey } from "../master-key.ts";
import { CannotStart, prepareDatabase } from "../process.ts";

/**
 * DATABASE_URL, or the PostgreSQL of a `start` that is running.
 * @throws CannotStart if there is neither
 */
export async function installationOf({
  databaseUrl,
  publicUrl,
  temporal,
  dataDir,
}: Config): Promise<RunningInstallation> {
  if (databaseUrl) {
    await prepareDatabase(databaseUrl);
    return { databaseUrl, publicUrl, temporalUi: temporal.uiUrl, temporalAddress: temporal.address };
  }
  const running = readRunning(dataDir);
  const answers = running && (await prepareDatabase(running.databaseUrl).catch(() => undefined));
  if (answers) return running;
  throw new CannotStart(
    `No Gatehouse runs in ${dataDir}. Leave \`bun run start\` running in another terminal, or set DATABASE_URL.`,
  );
}

/**
 * MASTER_KEY, or the one that `start` keeps.
 * @throws CannotStart if there is neither
 */
export async function masterKeyOf({ databaseUrl, masterKey, masterKeyPrevious, dataDir }: Config): Promise<MasterKey> {
  if (masterKey) return importMasterKey(masterKey, masterKeyPrevious);
  const kept = Bun.file(masterKeyFile(dataDir));
  if (!databaseUrl && (await kept.exists())) return importMasterKey((await kept.text()).trim(), masterKeyPrevious);
  throw new CannotStart("No master key: set MASTER_KEY to the one that the API and the workers have.");
}
