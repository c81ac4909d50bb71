// The installation that a command works on: an external one by its variables, or a running `start`.

import { type Config, ConfigError } from "../../platform/config/config.ts";
import { CannotStart } from "../../platform/errors.ts";
import { prepareDatabase } from "../../platform/process.ts";
import { createVault, type Vault } from "../../platform/vault.ts";
import { masterKeyFile, type RunningInstallation, readRunning } from "../embedded/data-directory.ts";

/**
 * DATABASE_URL, or the PostgreSQL of a running `start`.
 * @param prepare default: applies the migrations
 * @throws CannotStart if there is neither
 */
export async function installationOf(config: Config, prepare?: Prepare): Promise<RunningInstallation> {
  return (await databaseOf(config, prepare)).installation;
}

type Prepare = Parameters<typeof prepareDatabase>[1];

/** The same, with the names of the applied migrations. @throws CannotStart */
export async function databaseOf(
  { databaseUrl, publicUrl, temporal, dataDir }: Config,
  prepare?: Prepare,
): Promise<{ installation: RunningInstallation; applied: string[] }> {
  if (databaseUrl) {
    const applied = await prepareDatabase(databaseUrl, prepare);
    return {
      installation: { databaseUrl, publicUrl, temporalUi: temporal.uiUrl, temporalAddress: temporal.address },
      applied,
    };
  }
  const running = readRunning(dataDir);
  if (running) {
    const applied = await prepareDatabase(running.databaseUrl, prepare).catch(() => undefined);
    if (applied) return { installation: running, applied };
  }
  throw new CannotStart(
    `No Gatehouse runs in ${dataDir}. Leave \`bun run start\` running in another terminal, or set DATABASE_URL.`,
  );
}

/** Uses MASTER_KEY, or the key that `start` keeps. @throws ConfigError if there is neither */
export async function vaultOf({ databaseUrl, masterKey, masterKeyPrevious, dataDir }: Config): Promise<Vault> {
  if (masterKey) return createVault(masterKey, masterKeyPrevious);
  const kept = Bun.file(masterKeyFile(dataDir));
  if (!databaseUrl && (await kept.exists())) return createVault((await kept.text()).trim(), masterKeyPrevious);
  throw new ConfigError(["MASTER_KEY is missing; it must be the one of the API and the workers"]);
}
