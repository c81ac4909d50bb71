// Directories that the test run removes at its end.

import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preparePostgresql } from "../../server/embedded/postgresql.ts";

const root = () => process.env.GATEHOUSE_TEST_ROOT ?? tmpdir();
const pattern = () => join(root(), "new-data");

/** A new directory that PostgreSQL's own user can reach. */
export function temporaryDirectory(name: string): string {
  const path = mkdtempSync(join(root(), `gatehouse-${name}-`));
  chmodSync(path, 0o711);
  return path;
}

/** Makes the cluster that `newDataDirectory` copies: to copy one is a sixth of the work of making it. */
export async function prepareDataDirectories(signal: AbortSignal): Promise<void> {
  mkdirSync(pattern(), { mode: 0o711 });
  await preparePostgresql({ dataDir: pattern(), say: () => {}, signal });
  // Commits are written, but the disk is not waited for: processes are killed here, machines are not.
  appendFileSync(join(pattern(), "postgres", "postgresql.conf"), "fsync = off\n");
}

/** A DATA_DIR with an empty database, where there is one to copy; for what a first start does, take a temporary one. */
export function newDataDirectory(name: string): string {
  const path = temporaryDirectory(name);
  if (!existsSync(pattern())) return path;
  for (const part of ["postgres", "postgres.password"]) {
    // Only this keeps the owner.
    const { exitCode, stderr } = Bun.spawnSync(["cp", "-a", realpathSync(join(pattern(), part)), join(path, part)]);
    if (exitCode !== 0) throw new Error(`No copy of the database: ${stderr}`);
  }
  return path;
}
