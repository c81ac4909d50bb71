// Restores a backup into a DATA_DIR without a database; `start` then recovers it.

import { existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { chown, type FileHandle, mkdir, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { CannotStart } from "../../platform/errors.ts";
import type { Vault } from "../../platform/vault.ts";
import { CLUSTER, createProgress, DESCRIPTION, type Description, isAboutFile, type Say } from "./backup.ts";
import { openSealed, type SealedFile } from "./backup-seal.ts";
import { writePrivately } from "./data-directory.ts";
import { makeOwnedDirectory, type OsUser } from "./postgres-user.ts";
import { MAJOR_VERSION, PASSWORD_FILE } from "./postgresql.ts";
import { temporalFiles } from "./processes.ts";
import { DamagedTar, readTar } from "./tar.ts";

export interface RestoreOptions {
  file: string;
  /** Locked by the caller. */
  dataDir: string;
  /** The names of this code's migrations. */
  migrations: readonly string[];
  vault: Vault;
  /** The user that PostgreSQL runs as, if it is another. */
  user: OsUser | undefined;
  say: Say;
  /** Ends it, leaving no files. */
  signal: AbortSignal;
}

type Entries = ReturnType<typeof readTar>;

/** @throws CannotStart if it cannot be restored, or the signal's reason; then no files are left */
export async function restoreBackup(options: RestoreOptions): Promise<Description> {
  const { file, dataDir, signal } = options;
  requireEmpty(dataDir);
  let handle: FileHandle | undefined;
  try {
    if (!(await stat(file)).isFile())
      throw new CannotStart(`${file} is not a file. Name a file that \`bun run backup\` wrote.`);
    handle = await open(file);
    return await restoreFrom(handle, options);
  } catch (error) {
    signal.throwIfAborted();
    throw refusal(file, error);
  } finally {
    await handle?.close();
  }
}

async function restoreFrom(handle: FileHandle, options: RestoreOptions): Promise<Description> {
  const { file, dataDir, user, vault, say, signal } = options;
  const sealed = await openSealed(handle, file, vault);
  await readToEnd(sealed, signal, createProgress("checked", sealed.size, say));
  const draft = join(dataDir, `${CLUSTER}.restored`);
  if (existsSync(draft)) rmSync(realpathSync(draft), { recursive: true, force: true });
  rmSync(draft, { recursive: true, force: true });
  const real = await makeOwnedDirectory(draft, user, say);
  try {
    const place = async (bytes: AsyncIterable<Uint8Array>) => {
      const entries = readTar(bytes);
      const description = JSON.parse(await textOf(entries, DESCRIPTION)) as Description;
      requireFit(description, options);
      const password = await textOf(entries, PASSWORD_FILE);
      await placeFiles(entries, real, user, createProgress("restored", description.Bytes, say));
      return { description, password };
    };
    // Ends after the seal was checked again.
    const { description, password } = await pipeline(Readable.from(sealed.read()), createGunzip(), place, { signal });
    writePrivately(join(dataDir, PASSWORD_FILE), password);
    renameSync(draft, join(dataDir, CLUSTER));
    return description;
  } catch (error) {
    for (const path of [real, draft]) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/** Checks the seal before anything in the file is read or written. It is checked again when the file is read. */
async function readToEnd(sealed: SealedFile, signal: AbortSignal, progress: (bytes: number) => void): Promise<void> {
  for await (const bytes of sealed.read()) {
    signal.throwIfAborted();
    progress(bytes.length);
  }
}

function requireEmpty(dataDir: string): void {
  const places = [join(dataDir, CLUSTER), join(dataDir, PASSWORD_FILE), temporalFiles(dataDir).folder];
  const found = places.filter((path) => existsSync(path));
  if (found.length === 0) return;
  throw new CannotStart(`${dataDir} is not empty: ${found.join(", ")}. Set DATA_DIR to a new directory.`);
}

/** Before anything is written. @throws CannotStart */
function requireFit(description: Description, { file, migrations }: RestoreOptions): void {
  if (description.PostgreSQL !== MAJOR_VERSION) {
    throw new CannotStart(
      `${file} was created by PostgreSQL ${description.PostgreSQL}; this one is ${MAJOR_VERSION}. Restore it with the version of Gatehouse that made it.`,
    );
  }
  const unknown = description.Migrations.filter((name) => !migrations.includes(name));
  if (unknown.length > 0) {
    throw new CannotStart(`${file} was created by newer code (${unknown.join(", ")}). Restore it with that version.`);
  }
}

async function textOf(entries: Entries, name: string): Promise<string> {
  const { value } = await entries.next();
  if (value?.name !== name) throw new DamagedTar(`${name} is missing`);
  return Buffer.concat(await Array.fromAsync(value.content)).toString("utf8");
}

/** @returns the path below the cluster, without steps upwards @throws DamagedTar */
function pathOf(name: string): string {
  const [folder, ...steps] = name.split("/");
  const isPlain = (step: string) => /^[\w.-]+$/.test(step) && step !== "." && step !== "..";
  if (folder === CLUSTER && steps.length > 0 && steps.every(isPlain)) return steps.join("/");
  throw new DamagedTar(`it has a file named ${JSON.stringify(name)}`);
}

async function placeFiles(
  entries: Entries,
  cluster: string,
  user: OsUser | undefined,
  progress: (bytes: number) => void,
) {
  for await (const { name, isDirectory, content } of entries) {
    const path = join(cluster, pathOf(name));
    if (isDirectory) {
      await mkdir(path, { mode: 0o700 });
      if (user) await chown(path, user.uid, user.gid);
      continue;
    }
    const handle = await open(path, "wx", 0o600);
    try {
      if (user) await handle.chown(user.uid, user.gid);
      for await (const bytes of content) {
        await handle.writeFile(bytes);
        progress(bytes.length);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

function refusal(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof CannotStart) return error;
  if (code === "ENOENT" && !existsSync(file))
    return new CannotStart(`There is no file ${file}. Name a file that \`bun run backup\` wrote.`);
  if (error instanceof DamagedTar || error instanceof SyntaxError || code?.startsWith("Z_")) {
    return new CannotStart(`${file} is not a complete Gatehouse backup: ${message}.`);
  }
  return isAboutFile(error) ? new CannotStart(`The backup cannot be restored: ${message}`) : error;
}
