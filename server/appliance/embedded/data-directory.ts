// DATA_DIR: the data that `start` keeps between runs, and the lock for exclusive use.

import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../platform/config/config.ts";

/** The maximum bytes of a log in DATA_DIR. */
export const LOG_LIMIT = 10 * 1024 * 1024;

export interface DataDirectory {
  path: string;
  /** Releases the directory; a killed process releases it, too. */
  release(): void;
  /** Releases it, and leaves nothing behind. */
  abandon(): void;
}

/**
 * The system releases SQLite's lock when the process ends, so neither `kill -9` nor a reused process id leaves one.
 * @throws ConfigError if it cannot be created or written, Error if another process has it
 */
export function takeDataDirectory(path: string): DataDirectory {
  const pidFile = join(path, "start.pid");
  const lockFile = join(path, "start.lock");
  const isOurs = !existsSync(lockFile);
  let lock: Database | undefined;
  try {
    // As root, PostgreSQL runs as a different user, who must be able to traverse it.
    makeDirectory(path, process.getuid?.() === 0 ? 0o711 : 0o700);
    lock = new Database(lockFile);
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
    writeFileSync(pidFile, `${process.pid}\n`);
    removeRunning(path);
  } catch (error) {
    lock?.close();
    const { code, message } = error as { code?: string; message: string };
    if (code !== "SQLITE_BUSY") {
      throw new ConfigError([`DATA_DIR is "${path}"; it must be a directory that this user can write to (${message})`]);
    }
    const pid = existsSync(pidFile) ? readFileSync(pidFile, "utf8").trim() : "unknown";
    const address = readRunning(path)?.publicUrl ?? "still starting";
    throw new Error(
      `Gatehouse is already running in ${path} (process ${pid}, ${address}). ` +
        "Stop it first, or set DATA_DIR to another directory.",
    );
  }
  const taken = lock;
  const abandon = () => {
    if (isOurs) for (const file of [pidFile, lockFile]) rmSync(file, { force: true });
    taken.close();
  };
  return { path, release: () => taken.close(), abandon };
}

/** Ignores the umask. */
export function makeDirectory(path: string, mode: number): void {
  if (mkdirSync(path, { recursive: true, mode })) chmodSync(path, mode);
}

export function masterKeyFile(dataDir: string): string {
  return join(dataDir, "master.key");
}

/** A secret in a file of mode 0600, created on first use. */
export function keptSecret(file: string, make: () => string): string {
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const secret = make();
  writePrivately(file, `${secret}\n`);
  return secret;
}

export function newMasterKey(): string {
  return randomBytes(32).toString("base64");
}

export function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** Writes a file atomically, readable only by its owner. */
export function writePrivately(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

export interface RunningInstallation {
  databaseUrl: string;
  publicUrl: string;
  temporalUi: string;
  temporalAddress: string;
}

export function writeRunning(dataDir: string, running: RunningInstallation): void {
  const { databaseUrl, publicUrl, temporalUi, temporalAddress } = running;
  const text = JSON.stringify({ databaseUrl, publicUrl, temporalUi, temporalAddress }, null, 2);
  writePrivately(runningFile(dataDir), `${text}\n`);
}

/** Undefined if none is running; a killed one may still be listed. */
export function readRunning(dataDir: string): RunningInstallation | undefined {
  const file = runningFile(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as RunningInstallation) : undefined;
}

export function removeRunning(dataDir: string): void {
  rmSync(runningFile(dataDir), { force: true });
}

function runningFile(dataDir: string): string {
  return join(dataDir, "running.json");
}

/** Opens DATA_DIR/logs/NAME.log for appending, after rotating a large one. */
export function openLog(dataDir: string, name: string): { file: string; fd: number } {
  const folder = join(dataDir, "logs");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${name}.log`);
  if (existsSync(file) && statSync(file).size > LOG_LIMIT) renameSync(file, `${file}.1`);
  return { file, fd: openSync(file, "a", 0o600) };
}

/** Rotates logs that parts have open: each is copied and truncated. */
export function rotateLogs(dataDir: string): void {
  const folder = join(dataDir, "logs");
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name);
    if (!name.endsWith(".log") || statSync(file).size <= LOG_LIMIT) continue;
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
  }
}
