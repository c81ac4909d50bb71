// Directories that the test run removes at its end.

import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preparePostgresql } from "../../server/appliance/embedded/postgresql.ts";

const root = () => process.env.GATEHOUSE_TEST_ROOT ?? tmpdir();
const pattern = () => join(root(), "new-data");

/** A new directory that PostgreSQL's own user can reach. */
export function temporaryDirectory(name: string): string {
  const path = mkdtempSync(join(root(), `gatehouse-${name}-`));
  chmodSync(path, 0o711);
  return path;
}

/** Makes the cluster that `newDataDirectory` copies, because copying takes a sixth of the time. */
export async function prepareDataDirectories(signal: AbortSignal): Promise<void> {
  mkdirSync(pattern(), { mode: 0o711 });
  await preparePostgresql({ dataDir: pattern(), say: () => {}, signal });
  // Commits do not wait for the disk: tests kill processes, not machines.
  appendFileSync(join(pattern(), "postgres", "postgresql.conf"), "fsync = off\nmax_connections = 300\n");
}

/** A DATA_DIR with an empty database, if there is one to copy. Tests of a first start use a temporary directory. */
export function newDataDirectory(name: string): string {
  const path = temporaryDirectory(name);
  if (!existsSync(pattern())) return path;
  for (const part of ["postgres", "postgres.password"]) {
    // Only this command keeps the owner.
    const { exitCode, stderr } = Bun.spawnSync(["cp", "-a", realpathSync(join(pattern(), part)), join(path, part)]);
    if (exitCode !== 0) throw new Error(`No copy of the database: ${stderr}`);
  }
  return path;
}
