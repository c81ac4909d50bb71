// Processes that `start` did not spawn: leftovers of an earlier start, and its launchers.

import { realpathSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const POLL = 50;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A process's command line, or "" if it has ended: its id may already belong to a different program. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ").trim();
  }
  if (process.platform === "win32") return "";
  return ps("args=", pid);
}

async function parentOf(pid: number): Promise<number | undefined> {
  if (pid === process.pid) return process.ppid;
  if (process.platform === "win32") return undefined;
  if (process.platform !== "linux") return Number(await ps("ppid=", pid)) || undefined;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // "pid (name) state parent …"; the name may contain spaces and brackets.
  const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(parent) || undefined;
}

async function ps(column: string, pid: number): Promise<string> {
  const child = Bun.spawn(["ps", "-o", column, "-p", String(pid)], { stdout: "pipe", stderr: "ignore" });
  return (await new Response(child.stdout).text()).trim();
}

/** Runs a short program. It has its own process group, so Ctrl-C does not interrupt it and look like its failure. */
export async function runProgram(command: string[], user?: { uid: number; gid: number }) {
  const child = Bun.spawn(command, { ...user, detached: true, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const output = await new Response(child.stdout).text();
  return { success: (await child.exited) === 0, output: output.trim() };
}

/** Ends a detached child with its group when the signal is aborted. @returns a function that detaches */
export function endWith(signal: AbortSignal, child: { pid: number; kill(signal: NodeJS.Signals): void }): () => void {
  const end = () => (process.platform === "win32" ? child.kill("SIGTERM") : sendSignal(-child.pid, "SIGTERM"));
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  return () => signal.removeEventListener("abort", end);
}

/** Stops a process with `signal`, and with SIGKILL after `grace` milliseconds. */
async function stopByPid(pid: number, signal: NodeJS.Signals, grace: number): Promise<void> {
  sendSignal(pid, signal);
  if (await goneWithin(pid, grace)) return;
  sendSignal(pid, "SIGKILL");
  await goneWithin(pid, 2_000);
}

/** Signals a process, or a group for a negative id; a missing or foreign one is ignored. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

async function goneWithin(pid: number, milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds;
  while (await isRunning(pid)) {
    if (Date.now() >= end) return false;
    await Bun.sleep(POLL);
  }
  return true;
}

/** A zombie process keeps its id but has no command line. */
async function isRunning(pid: number): Promise<boolean> {
  return isAlive(pid) && (process.platform === "win32" || (await commandLine(pid)) !== "");
}

async function readPid(file: string): Promise<number | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  const pid = Number.parseInt(text.split("\n")[0] ?? "", 10);
  return pid > 0 ? pid : undefined;
}

// A killed `start` leaves PostgreSQL and Temporal running on unknown ports.

type Say = (line: string) => void;

/** Stops leftovers of this DATA_DIR. Call it only with the lock held. */
export async function stopLeftovers(dataDir: string, say: Say = () => {}): Promise<void> {
  await stopLeftoverTemporal(dataDir, say);
  await stopLeftoverPostgresql(join(dataDir, "postgres"), say);
}

export async function stopLeftoverPostgresql(cluster: string, say: Say): Promise<void> {
  const pidFile = join(cluster, "postmaster.pid");
  const pid = await readPid(pidFile);
  if (!pid) return;
  const command = await commandLine(pid);
  if (command.includes("postgres") && command.includes(realpathSync(cluster))) {
    say(`stopping the PostgreSQL an earlier start left running (process ${pid})`);
    await stopByPid(pid, "SIGINT", 5_000);
  } else if (isAlive(pid)) {
    // A different program has this id now, so PostgreSQL could refuse to start. The file of a dead server must stay,
    // because PostgreSQL uses it to detect remaining children.
    rmSync(pidFile, { force: true });
  }
}

export async function stopLeftoverTemporal(dataDir: string, say: Say): Promise<void> {
  const pid = await findTemporalProcess(dataDir);
  if (!pid) return;
  say(`stopping the Temporal server an earlier start left running (process ${pid})`);
  await stopByPid(pid, "SIGTERM", 3_000);
}

async function findTemporalProcess(dataDir: string): Promise<number | undefined> {
  const { database, pidFile } = temporalFiles(dataDir);
  const pid = await readPid(pidFile);
  return pid && (await commandLine(pid)).includes(database) ? pid : undefined;
}

/** The bytes of its store; undefined: no Temporal of this DATA_DIR runs here. */
export async function temporalBytes(dataDir: string): Promise<number | undefined> {
  if (!(await findTemporalProcess(dataDir))) return undefined;
  const { database } = temporalFiles(dataDir);
  const log = Bun.file(`${database}-wal`);
  return Bun.file(database).size + ((await log.exists()) ? log.size : 0);
}

export function temporalFiles(dataDir: string) {
  const folder = join(dataDir, "temporal");
  return { folder, database: join(folder, "temporal.db"), pidFile: join(folder, "temporal.pid") };
}

// `bun run start`, and `npx bun run start`: launchers that receive signals before this process.

const LAUNCHER_POLL = 500;
const MAX_CHAIN_LENGTH = 4;

/**
 * Calls `gone` when a launcher ends without forwarding a signal: `bun run` cannot when killed, and the shell of npx
 * does not for SIGTERM. Has no effect if a shell or service manager started this process directly.
 */
export async function watchLaunchers(env: Record<string, string | undefined>, gone: () => void): Promise<void> {
  if (!env.npm_lifecycle_event) return;
  const launchers = await launchersOf(process.pid, (env.npm_config_user_agent ?? "").startsWith("npm/"));
  const timer = setInterval(async () => {
    if (await isWhole(launchers)) return;
    clearInterval(timer);
    gone();
  }, LAUNCHER_POLL);
  timer.unref();
}

/** The parent; with npx, all processes up to npx itself. Closing the terminal does not count. */
async function launchersOf(pid: number, npx: boolean): Promise<number[]> {
  const chain = [pid];
  while (chain.length <= MAX_CHAIN_LENGTH) {
    const parent = await parentOf(chain.at(-1) as number);
    if (!parent) break;
    chain.push(parent);
    if (!npx || (await commandLine(parent)).startsWith("npm ")) return chain;
  }
  return chain.slice(0, 2);
}

async function isWhole(chain: number[]): Promise<boolean> {
  const parents = await Promise.all(chain.slice(0, -1).map(parentOf));
  return parents.every((parent, i) => parent === chain[i + 1]);
}
