import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";

/** Ports this process has given away, whose owners may not listen yet. */
export type Reserved = Set<number>;

export interface PortSearch {
  /** Where the search for each port begins; 0 takes any. */
  preferred: number[];
  host: string;
  reserved: Reserved;
  say(line: string): void;
}

/**
 * Starts something on free ports. Between the look for a port and its use somebody else may take it; then the next one
 * is tried.
 * @param start leaves nothing on its ports when it fails
 */
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
      say(`somebody else took port ${taken.join(" and ")} meanwhile; trying the next`);
      for (const port of ports) if (!taken.includes(port)) reserved.delete(port);
    }
  }
}

/**
 * From below the ports that systems give to outgoing connections: a part that was killed needs its own again, and one of
 * those would soon be in use.
 */
const anyPort = () => randomInt(10_000, 30_000);

/** The first port from `preferred` upwards that nothing listens on; any free one if `preferred` is 0. */
export async function nextFreePort(preferred: number, host: string, reserved: Reserved): Promise<number> {
  for (let port = preferred || anyPort(); port <= 65_535; port++) {
    if (reserved.has(port) || (await isTaken(port, host))) continue;
    reserved.add(port);
    return port;
  }
  throw new Error(`There is no free port from ${preferred} upwards on ${host}.`);
}

/**
 * Binding alone does not tell: a listener on all addresses may leave 127.0.0.1 free to bind on some systems, and one on
 * [::1] would take what browsers send to "localhost". So both loopback addresses are called as well.
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
