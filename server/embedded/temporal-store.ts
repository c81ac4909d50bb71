// The store of the Temporal that `start` brings up. Its writes do not wait for the disk, which makes Temporal a fifth
// faster. So after a power cut it may hold some of its newest pages and miss others, which no check of the file is sure
// to find. A store that was open when the machine went down is therefore set aside, and so is one whose file is damaged.
// Nothing is lost with it: what counts stands in PostgreSQL, and the reconciler starts the deliveries again.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { endWith, temporalFiles } from "./processes.ts";

/** Linux's name of the time since the machine was last started. */
const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** SQLite's own files beside the database: they belong together. */
const SUFFIXES = ["", "-wal", "-shm"];
/** It reads some 500 MB a second. */
const CHECK_LIMIT_MS = 60_000;
const PROGRESS_MS = 5_000;
const MB = 1_000_000;

export interface StoreOptions {
  dataDir: string;
  say(line: string): void;
  /** Aborted to give up. */
  signal: AbortSignal;
}

/** Elsewhere nothing tells that the machine went down, so what Temporal writes has to be in order on the disk. */
export function synchronousPragma(): string {
  return `synchronous=${bootId() ? "off" : "normal"}`;
}

/** Before Temporal opens it: sets it aside if it cannot be trusted, and marks it as open. */
export async function openStore({ dataDir, say, signal }: StoreOptions): Promise<void> {
  const { folder, openMark } = temporalFiles(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const problem = await problemOf({ dataDir, say, signal });
  if (problem) {
    const place = setAside(dataDir);
    say(`Temporal      its store is set aside in ${place}: ${problem}. Deliveries under way begin again in a new one`);
  }
  writeFileSync(openMark, bootId() ?? "", { flush: true });
  flush(folder);
}

/** After Temporal has ended: once all is on the disk, the store is safe whatever happens to the machine. */
export function closeStore(dataDir: string): void {
  const { openMark } = temporalFiles(dataDir);
  for (const file of filesOf(dataDir)) flush(file);
  rmSync(openMark, { force: true });
}

async function problemOf(options: StoreOptions): Promise<string | undefined> {
  const { database, openMark } = temporalFiles(options.dataDir);
  const files = filesOf(options.dataDir);
  if (files.length === 0) return undefined;
  if (!files.includes(database)) return `${basename(database)} is missing`;
  const openedIn = existsSync(openMark) ? readFileSync(openMark, "utf8") : "";
  if (openedIn !== "" && openedIn !== bootId()) return "the machine went down while it was open";
  return checkStore(database, options);
}

/**
 * Has SQLite look for damage, in a process of its own, so that `start` can tell how far it is and end it.
 * @returns what is wrong, or undefined if nothing is or it took too long
 */
export async function checkStore(
  database: string,
  { say, signal }: Pick<StoreOptions, "say" | "signal">,
  limit = CHECK_LIMIT_MS,
  progressEvery = PROGRESS_MS,
): Promise<string | undefined> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "temporal-store-check.ts"), database], {
    detached: true,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const letGo = endWith(signal, child);
  const began = Date.now();
  const size = Math.ceil(statSync(database).size / MB);
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1_000);
    say(`Temporal      its store of ${size} MB is checked for damage, ${seconds} s so far`);
  }, progressEvery);
  const timer = setTimeout(() => {
    say(`Temporal      its store of ${size} MB is taken as it is: to check it takes more than ${limit / 1_000} s`);
    child.kill("SIGKILL");
  }, limit);
  try {
    const found = await new Response(child.stdout).text();
    await child.exited;
    return found.trim() || undefined;
  } finally {
    clearInterval(progress);
    clearTimeout(timer);
    letGo();
  }
}

/** @returns the folder that its files are in now */
function setAside(dataDir: string): string {
  const date = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const { folder } = temporalFiles(dataDir);
  let place = join(folder, `set-aside-${date}`);
  for (let more = 2; existsSync(place); more++) place = join(folder, `set-aside-${date}-${more}`);
  mkdirSync(place, { mode: 0o700 });
  for (const file of filesOf(dataDir)) renameSync(file, join(place, basename(file)));
  return place;
}

function filesOf(dataDir: string): string[] {
  const { database } = temporalFiles(dataDir);
  return SUFFIXES.map((suffix) => database + suffix).filter((file) => existsSync(file));
}

function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function bootId(): string | undefined {
  return existsSync(BOOT_ID) ? readFileSync(BOOT_ID, "utf8").trim() : undefined;
}
