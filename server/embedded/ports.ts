import { connect, createServer } from "node:net";

/** Ports this process has given away, whose owners may not listen yet. */
export type Reserved = Set<number>;

/** The first port from `preferred` upwards that nothing listens on; any free one if `preferred` is 0. */
export async function nextFreePort(preferred: number, host: string, reserved: Reserved): Promise<number> {
  for (let port = preferred || (await anyFreePort(host)); port <= 65_535; port++) {
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

function anyFreePort(host: string): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen({ port: 0, host }, () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
