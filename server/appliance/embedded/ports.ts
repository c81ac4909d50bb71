import { randomInt } from "node:crypto";
import { readdir, readFile, readlink } from "node:fs/promises";
import { connect, createServer } from "node:net";

/** Ports assigned by this process that may not be in use yet. */
export type Reserved = Set<number>;

export interface PortSearch {
  /** The first ports to try; 0 is any. */
  preferred: number[];
  host: string;
  reserved: Reserved;
  say(line: string): void;
}

/** If another process takes a port in between, the next is tried. @param start must release its ports when it fails */
export async function onFreePorts<T>(search: PortSearch, start: (ports: number[]) => Promise<T>): Promise<T> {
  const { preferred, host, reserved, say } = search;
  for (;;) {
    const ports: number[] = [];
    for (const first of preferred) ports.push(await nextFreePort(first, host, reserved));
    try {
      return await start(ports);
    } catch (error) {
      const taken: number[] = [];
      for (const port of ports) if (await isTaken(port, host)) taken.push(port);
      if (taken.length === 0) throw error;
      say(`another process took port ${taken.join(" and ")} meanwhile; trying the next`);
      for (const port of ports) if (!taken.includes(port)) reserved.delete(port);
    }
  }
}

/** Below the ephemeral ports: a restarted part needs its port again, which a connection could otherwise use. */
const anyPort = () => randomInt(10_000, 30_000);

/** The first free port from `preferred` upwards; any free one for 0. */
export async function nextFreePort(preferred: number, host: string, reserved: Reserved): Promise<number> {
  for (let port = preferred || anyPort(); port <= 65_535; port++) {
    if (reserved.has(port) || (await isTaken(port, host))) continue;
    reserved.add(port);
    return port;
  }
  throw new Error(`There is no free port from ${preferred} upwards on ${host}. Stop a program that listens there.`);
}

/**
 * Binding is not sufficient: on some systems 127.0.0.1 can be bound despite a listener on all addresses, and a listener
 * on [::1] would get requests to "localhost". So both loopback addresses are also connected to.
 */
export async function isTaken(port: number, host: string): Promise<boolean> {
  if (!(await canBind(port, host))) return true;
  const answers = await Promise.all(["127.0.0.1", "::1"].map((address) => answersAt(port, address)));
  return answers.includes(true);
}

function canBind(port: number, host: string): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(!["EADDRINUSE", "EACCES"].includes(error.code ?? "")));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(true)));
  });
}

function answersAt(port: number, address: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ port, host: address });
    const finish = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.setTimeout(500, () => finish(false));
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
  });
}

// Checks that our child listens on a port, not a different process.

const LISTEN = "0A";

/** Throws unless this group listens; accepts if the system does not tell. @param group the id of its detached leader */
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
  // "pid (name) state parent group …"; the name may contain spaces and brackets.
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
