// Restores a backup into a DATA_DIR without a database; `start` then recovers it.

import { createReadStream, existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { chown, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { CannotStart } from "../errors.ts";
import { type Vault, WrongMasterKey } from "../vault.ts";
import {
  CLUSTER,
  createProgress,
  DESCRIPTION,
  type Description,
  FORMAT,
  isAboutFile,
  PURPOSE,
  type Say,
} from "./backup.ts";
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
  const { file, dataDir, user, say, signal } = options;
  requireEmpty(dataDir);
  const draft = join(dataDir, `${CLUSTER}.restored`);
  if (existsSync(draft)) rmSync(realpathSync(draft), { recursive: true, force: true });
  rmSync(draft, { recursive: true, force: true });
  const real = await makeOwnedDirectory(draft, user, say);
  try {
    const entries = readTar(pipeline(createReadStream(file, { signal }), createGunzip(), () => {}));
    const description = readDescription(await textOf(entries, DESCRIPTION));
    requireFit(description, options);
    const password = await textOf(entries, PASSWORD_FILE);
    await placeFiles(entries, real, user, createProgress("restored", description.Bytes, say));
    writePrivately(join(dataDir, PASSWORD_FILE), password);
    renameSync(draft, join(dataDir, CLUSTER));
    return description;
  } catch (error) {
    for (const path of [real, draft]) rmSync(path, { recursive: true, force: true });
    signal.throwIfAborted();
    throw refusal(file, error);
  }
}

function requireEmpty(dataDir: string): void {
  const places = [join(dataDir, CLUSTER), join(dataDir, PASSWORD_FILE), temporalFiles(dataDir).folder];
  const found = places.filter((path) => existsSync(path));
  if (found.length === 0) return;
  throw new CannotStart(`${dataDir} is not empty: ${found.join(", ")}. Set DATA_DIR to a new directory.`);
}

/** Other formats may have other fields. @throws DamagedTar, SyntaxError */
function readDescription(text: string): Description {
  const found = JSON.parse(text) as Partial<Description> | null;
  const isComplete =
    typeof found?.PostgreSQL === "string" &&
    typeof found.Bytes === "number" &&
    typeof found.MasterKeyCheck === "string" &&
    Array.isArray(found.Migrations);
  if (typeof found?.Format === "number" && (found.Format !== FORMAT || isComplete)) return found as Description;
  throw new DamagedTar(`${DESCRIPTION} does not describe a backup`);
}

/** Before anything is written. @throws CannotStart */
function requireFit(description: Description, { file, migrations, vault }: RestoreOptions): void {
  if (description.Format !== FORMAT) {
    throw new CannotStart(`${file} is a backup of format ${description.Format}; this code reads format ${FORMAT}.`);
  }
  if (description.PostgreSQL !== MAJOR_VERSION) {
    throw new CannotStart(`${file} was created by PostgreSQL ${description.PostgreSQL}; this one is ${MAJOR_VERSION}.`);
  }
  const unknown = description.Migrations.filter((name) => !migrations.includes(name));
  if (unknown.length > 0) {
    throw new CannotStart(`${file} was created by newer code (${unknown.join(", ")}). Restore it with that version.`);
  }
  try {
    vault.sealFor(PURPOSE).open(Buffer.from(description.MasterKeyCheck, "base64"));
  } catch (error) {
    if (!(error instanceof WrongMasterKey)) throw error;
    throw new CannotStart(`This MASTER_KEY is not that of ${file}. Its secrets can be decrypted only with that key.`);
  }
}

async function textOf(entries: Entries, name: string): Promise<string> {
  const { value } = await entries.next();
  if (value?.name !== name) throw new DamagedTar(`${name} is missing`);
  return Buffer.concat(await Array.fromAsync(value.content)).toString("utf8");
}

/** A path below the cluster, without steps upwards. */
const PATH = new RegExp(`^${CLUSTER}/((?!\\.\\.?(/|$))[\\w.-]+/?)+$`);

async function placeFiles(
  entries: Entries,
  cluster: string,
  user: OsUser | undefined,
  progress: (bytes: number) => void,
) {
  for await (const { name, isDirectory, content } of entries) {
    if (!PATH.test(name)) throw new DamagedTar(`it has a file named ${JSON.stringify(name)}`);
    const path = join(cluster, name.slice(CLUSTER.length + 1));
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
  if (code === "ENOENT" && !existsSync(file)) return new CannotStart(`There is no file ${file}.`);
  if (error instanceof DamagedTar || error instanceof SyntaxError || code?.startsWith("Z_")) {
    return new CannotStart(`${file} is not a complete Gatehouse backup: ${message}.`);
  }
  return isAboutFile(error) ? new CannotStart(`The backup cannot be restored: ${message}`) : error;
}
