// Figures of running processes, from Linux's /proc.

import { readdir } from "node:fs/promises";

const TICKS_PER_SECOND = 100;

/** The direct children of a process. */
export async function childrenOf(pid: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    pids.map(async (child) => ((await stat(child)).parent === pid ? child : undefined)),
  );
  return parents.filter((child) => child !== undefined);
}

/** CPU of a process and its descendants, including ended ones. */
export async function cpuSeconds(pid: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(async (each) => ({ pid: each, ...(await stat(each)) })));
  const ticksOf = (root: number): number =>
    stats.reduce((sum, { pid: each, parent, cpuTicks, endedTicks }) => {
      if (each === root) return sum + cpuTicks + endedTicks;
      return parent === root ? sum + ticksOf(each) : sum;
    }, 0);
  return ticksOf(pid) / TICKS_PER_SECOND;
}

/** CPU of each thread of a process. Several threads may have the same name. */
export async function cpuSecondsOfThreads(pid: number): Promise<{ id: number; thread: string; cpu: number }[]> {
  const ids = await readdir(`/proc/${pid}/task`).catch(() => []);
  const threads = ids.map(async (id) => {
    const path = `${pid}/task/${id}`;
    return { id: Number(id), thread: (await read(`/proc/${path}/comm`)).trim(), cpu: (await stat(path)).cpuTicks };
  });
  return (await Promise.all(threads)).map((each) => ({ ...each, cpu: each.cpu / TICKS_PER_SECOND }));
}

/** The time of all cores by state, since the machine was started. */
export async function machineSeconds(): Promise<Record<string, number>> {
  const [, user, nice, system, idle, iowait, irq, softirq, steal] = (await read("/proc/stat")).split(/\s+/).map(Number);
  const ticks = { busy: user! + nice! + system! + irq! + softirq!, idle: idle!, disk: iowait!, stolen: steal! };
  return Object.fromEntries(Object.entries(ticks).map(([state, count]) => [state, count / TICKS_PER_SECOND]));
}

export async function residentMiB(pid: number): Promise<number> {
  return sumOf(pid, "Rss");
}

/** Proportional set size: shared memory is divided between its processes. */
export async function allocated(pid: number): Promise<number> {
  return sumOf(pid, "Pss");
}

export async function describeProcess(pid: number): Promise<string> {
  const words = (await read(`/proc/${pid}/cmdline`)).split("\0").filter(Boolean);
  const script = words
    .find((word) => word.endsWith(".ts"))
    ?.split("/")
    .slice(-2)
    .join("/");
  return script ?? words[0]?.split("/").pop() ?? String(pid);
}

async function sumOf(pid: number, field: "Rss" | "Pss"): Promise<number> {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(await read(`/proc/${pid}/smaps_rollup`));
  const children = pid === process.pid ? [] : await childrenOf(pid);
  const own = Number(line?.[1] ?? 0) / 1024;
  const isSupervisor = (await describeProcess(pid)).endsWith("main.ts");
  if (isSupervisor) return own;
  return (await Promise.all(children.map((child) => sumOf(child, field)))).reduce((sum, size) => sum + size, own);
}

async function stat(pid: number | string): Promise<{ parent: number; cpuTicks: number; endedTicks: number }> {
  const text = await read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) =>
    Number(fields[at]),
  ) as number[];
  return { parent: parent!, cpuTicks: user! + system!, endedTicks: endedUser! + endedSystem! };
}

async function read(path: string): Promise<string> {
  return Bun.file(path)
    .text()
    .catch(() => "");
}
