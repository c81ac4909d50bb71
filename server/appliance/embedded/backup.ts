// The backup file of the embedded PostgreSQL, a compressed and sealed tar archive (docs/decisions/0010-backup-by-files.md).

import { createWriteStream, existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { connect } from "../../platform/db/sql.ts";
import { CannotStart } from "../../platform/errors.ts";
import type { Vault } from "../../platform/vault.ts";
import { appliedMigrations, beginOnlineBackup, endOnlineBackup } from "./backup.store.ts";
import { sealed } from "./backup-seal.ts";
import { MAJOR_VERSION, PASSWORD_FILE } from "./postgresql.ts";
import { TAR_END, type TarEntry, tarHeader, tarPadding } from "./tar.ts";

export const DESCRIPTION = "gatehouse-backup.json";
/** The folder of the cluster in DATA_DIR, and in a backup. */
export const CLUSTER = "postgres";
const READ_BYTES = 1024 * 1024;
const PROGRESS_MS = 1_000;
/** The fastest level: a higher one takes much longer and makes the file only a tenth smaller. */
const COMPRESSION = { level: 1 };

/** The first entry of a backup. */
export interface Description {
  TakenOn: string;
  PostgreSQL: string;
  Migrations: string[];
  /** Before compression. */
  Bytes: number;
}

export type Say = (line: string) => void;

export interface BackupOptions {
  databaseUrl: string;
  dataDir: string;
  file: string;
  vault: Vault;
  say: Say;
  /** Ends it without a file. */
  signal: AbortSignal;
}

/** Writes a backup while PostgreSQL runs; the file appears when it is complete. @throws CannotStart, the signal's reason */
export async function writeBackup(options: BackupOptions): Promise<void> {
  const { databaseUrl, file, vault, signal } = options;
  requireNew(file);
  // Of its own, because two backups to the same file would write into each other's draft.
  const draft = `${file}.${Bun.randomUUIDv7()}.part`;
  const sql = connect(databaseUrl, "gatehouse backup", 1, { max_lifetime: null });
  try {
    const out = createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true });
    const seal = (bytes: AsyncIterable<Buffer>) => sealed(bytes, vault);
    await pipeline(Readable.from(archive(sql, options)), createGzip(COMPRESSION), seal, out, { signal });
    requireNew(file);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    signal.throwIfAborted();
    throw isAboutFile(error) ? new CannotStart(`${file} cannot be written: ${(error as Error).message}`) : error;
  } finally {
    await sql.end();
  }
}

function requireNew(file: string): void {
  if (existsSync(file)) throw new CannotStart(`${file} already exists. Choose a new file.`);
}

async function* archive(sql: ReturnType<typeof connect>, { dataDir, say }: BackupOptions) {
  const cluster = realpathSync(join(dataDir, CLUSTER));
  const files = await filesOf(cluster);
  const description: Description = {
    TakenOn: new Date().toISOString(),
    PostgreSQL: MAJOR_VERSION,
    Migrations: await appliedMigrations(sql),
    Bytes: files.reduce((total, { size }) => total + size, 0),
  };
  const progress = createProgress("backed up", description.Bytes, say);
  yield* textEntry(DESCRIPTION, JSON.stringify(description, null, 2));
  yield* textEntry(PASSWORD_FILE, await Bun.file(join(dataDir, PASSWORD_FILE)).text());
  const session = await sql.reserve();
  try {
    await beginOnlineBackup(session);
    // Listed again, because files may have been added before it began.
    for (const { path } of await filesOf(cluster)) yield* fileEntry(cluster, path, progress);
    const { label, lastWal } = await endOnlineBackup(session);
    yield* textEntry(`${CLUSTER}/backup_label`, label);
    const firstWal = /^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)/.exec(label)![1]!;
    const wal = (await readdir(join(cluster, WAL))).filter((name) => name >= firstWal && name <= lastWal);
    for (const name of wal.toSorted()) yield* fileEntry(cluster, `${WAL}/${name}`, progress);
  } finally {
    session.release();
  }
  yield TAR_END;
}

const WAL = "pg_wal";
/** PostgreSQL creates the content of these folders at its start. The needed part of pg_wal is copied last. */
const EMPTIED = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//;
/** Files that only a running server needs. */
const LEFT_OUT = /^(postmaster\.(pid|opts)|backup_label|.*\/pgsql_tmp.*|(.*\/)?pg_internal\.init(\.\d+)?)$/;

/** Folders and files in an order in which each folder comes before its content, and the control file last. */
async function filesOf(cluster: string): Promise<{ path: string; size: number }[]> {
  const entries = await readdir(cluster, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({
    path: join(entry.parentPath, entry.name)
      .slice(cluster.length + 1)
      .replaceAll("\\", "/"),
    isDirectory: entry.isDirectory(),
  }));
  const kept = paths.filter(({ path }) => !EMPTIED.test(path) && !LEFT_OUT.test(path));
  const isControl = ({ path }: { path: string }) => Number(path === "global/pg_control");
  return kept
    .toSorted((a, b) => isControl(a) - isControl(b) || (a.path < b.path ? -1 : 1))
    .map(({ path, isDirectory }) => ({ path, size: isDirectory ? 0 : Bun.file(join(cluster, path)).size }));
}

function* textEntry(name: string, text: string) {
  const content = Buffer.from(text);
  yield tarHeader({ name, isDirectory: false, size: content.length });
  yield content;
  yield tarPadding(content.length);
}

/** The write-ahead log repairs torn pages. Shrunk files are filled with zeros, deleted ones skipped. */
async function* fileEntry(cluster: string, path: string, progress: Progress): AsyncGenerator<Buffer> {
  const handle = await open(join(cluster, path)).catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!handle) return;
  try {
    const stat = await handle.stat();
    const entry: TarEntry = { name: `${CLUSTER}/${path}`, isDirectory: stat.isDirectory(), size: stat.size };
    if (entry.isDirectory) entry.size = 0;
    yield tarHeader(entry);
    for await (const bytes of contentOf(handle, entry.size)) {
      progress(bytes.length);
      yield bytes;
    }
    yield tarPadding(entry.size);
  } finally {
    await handle.close();
  }
}

async function* contentOf(handle: FileHandle, size: number) {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.alloc(Math.min(READ_BYTES, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    const isShorter = bytesRead === 0;
    yield isShorter ? buffer : buffer.subarray(0, bytesRead);
    at += isShorter ? buffer.length : bytesRead;
  }
}

type Progress = (bytes: number) => void;

export function createProgress(what: string, total: number, say: Say): Progress {
  let done = 0;
  let saidAt = performance.now();
  return (bytes) => {
    done += bytes;
    if (performance.now() - saidAt < PROGRESS_MS) return;
    saidAt = performance.now();
    const percent = Math.min(99, Math.floor((done / total) * 100));
    say(`${what}: ${percent} % (${Math.round(done / 1024 / 1024)} of ${Math.round(total / 1024 / 1024)} MiB)`);
  };
}

/** An error of the file system, such as a missing folder or a full disk. */
export function isAboutFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
