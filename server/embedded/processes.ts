// What `start` has to know about processes it did not spawn itself: those an earlier start left behind.

import { readFile } from "node:fs/promises";

const POLL = 50;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The command line of a process, or "" if it is gone: a number alone may long belong to another program. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ").trim();
  }
  if (process.platform === "win32") return "";
  return ps("args=", pid);
}

/** The parent's number, or undefined if the process is gone. */
export async function parentOf(pid: number): Promise<number | undefined> {
  if (pid === process.pid) return process.ppid;
  if (process.platform === "win32") return undefined;
  if (process.platform !== "linux") return Number(await ps("ppid=", pid)) || undefined;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // "pid (name) state parent …", where the name may hold spaces and brackets itself.
  const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(parent) || undefined;
}

async function ps(column: string, pid: number): Promise<string> {
  const child = Bun.spawn(["ps", "-o", column, "-p", String(pid)], { stdout: "pipe", stderr: "ignore" });
  return (await new Response(child.stdout).text()).trim();
}

/**
 * Runs a small program to its end. In a group of its own, so that Ctrl-C in the terminal does not end it half-way and
 * pass for its failure.
 */
export async function runProgram(command: string[], user?: { uid: number; gid: number }) {
  const child = Bun.spawn(command, { ...user, detached: true, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const output = await new Response(child.stdout).text();
  return { success: (await child.exited) === 0, output: output.trim() };
}

/**
 * Ends a detached child with all that it has started when the signal is aborted.
 * @returns lets go of the signal
 */
export function endWith(signal: AbortSignal, child: { pid: number; kill(signal: NodeJS.Signals): void }): () => void {
  const end = () => (process.platform === "win32" ? child.kill("SIGTERM") : sendSignal(-child.pid, "SIGTERM"));
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  return () => signal.removeEventListener("abort", end);
}

/** Stops a process by `signal`, and by SIGKILL if that took longer than `grace` milliseconds. */
export async function stopByPid(pid: number, signal: NodeJS.Signals, grace: number): Promise<void> {
  sendSignal(pid, signal);
  if (await goneWithin(pid, grace)) return;
  sendSignal(pid, "SIGKILL");
  await goneWithin(pid, 2_000);
}

/** Sends a signal to a process, or with a negative number to its group; nobody of ours there is no error. */
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

/** A process that ended but was not yet waited for by its parent still has its number, though no command line. */
async function isRunning(pid: number): Promise<boolean> {
  return isAlive(pid) && (process.platform === "win32" || (await commandLine(pid)) !== "");
}

/** The pid in the first line of a pid file, or undefined if there is none. */
export async function readPid(file: string): Promise<number | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  const pid = Number.parseInt(text.split("\n")[0] ?? "", 10);
  return pid > 0 ? pid : undefined;
}
