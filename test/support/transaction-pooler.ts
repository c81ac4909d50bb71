// A pooler that gives each transaction any free session, like pgbouncer with pool_mode=transaction.

import { createServer, connect as dial, type Socket } from "node:net";

const READY = "Z".charCodeAt(0);
const IDLE = "I".charCodeAt(0);

interface Session {
  socket: Socket;
  /** The client of the current transaction. */
  client: Socket | undefined;
}

/** @returns DATABASE_URL through the pooler */
export async function startTransactionPooler(databaseUrl: string): Promise<AsyncDisposable & { databaseUrl: string }> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  /** The last used session is used next. */
  const free: Session[] = [];
  const server = createServer((client) => {
    // A separate session for the handshake, shared afterwards.
    let session: Session | undefined = openSession(client);
    keep(client);
    client.on("data", (bytes: Buffer) => {
      if (session?.client !== client) session = free.pop();
      if (!session) return client.destroy();
      session.client = client;
      session.socket.write(bytes);
    });
  });

  function openSession(client: Socket): Session {
    const socket = dial(Number(port), hostname);
    const session: Session = { socket, client };
    keep(socket);
    let rest = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      session.client?.write(bytes);
      rest = Buffer.concat([rest, bytes]);
      while (rest.length > 4 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, rest.readUInt32BE(1) + 1);
        rest = rest.subarray(message.length);
        if (message[0] !== READY || message[5] !== IDLE) continue;
        session.client = undefined;
        free.push(session);
      }
    });
    return session;
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    databaseUrl: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
