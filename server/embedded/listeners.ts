// Whether it is our child that answers on a port, or somebody who was faster.

import { readdir, readFile, readlink } from "node:fs/promises";

/** A listening socket's state in /proc/net/tcp. */
const LISTEN = "0A";

/**
 * Throws unless a process of this group listens on the port. Says nothing where the system does not tell.
 * @param group the number of a detached child, which leads a group of its own
 */
export async function requireListener(group: number, port: number): Promise<void> {
  const listens = process.platform === "linux" ? await procTells(group, port) : await lsofTells(group, port);
  if (listens === false) throw new Error(`process ${group} does not listen on port ${port}`);
}

async function procTells(group: number, port: number): Promise<boolean | undefined> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  if (tables.every((table) => table === "")) return undefined;
  const sockets = new Set(tables.flatMap((table) => listeningSockets(table, port)));
  const owned = await Promise.all((await membersOf(group)).map(socketsOf));
  return owned.flat().some((socket) => sockets.has(socket));
}

/** @param table its columns are sl, local_address, rem_address, st, …; the tenth is the socket's inode */
function listeningSockets(table: string, port: number): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  return table.split("\n").flatMap((line) => {
    const columns = line.trim().split(/\s+/);
    return columns[1]?.endsWith(`:${hexPort}`) && columns[3] === LISTEN ? [`socket:[${columns[9]}]`] : [];
  });
}

async function membersOf(group: number): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(pids.map(groupOf));
  return pids.filter((_, i) => groups[i] === String(group));
}

async function groupOf(pid: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // "pid (name) state parent group …", where the name may hold spaces and brackets itself.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2];
}

async function socketsOf(pid: string): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
}

async function lsofTells(group: number, port: number): Promise<boolean | undefined> {
  if (!Bun.which("lsof")) return undefined;
  const lsof = Bun.spawn(["lsof", "-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fg"], {
    detached: true,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  return (await new Response(lsof.stdout).text()).split("\n").includes(`g${group}`);
}
