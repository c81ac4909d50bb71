// A network connection between a process and PostgreSQL or Temporal, which can be cut, made silent, and repaired.

import { createServer, connect as dial, type Socket } from "node:net";

export interface Relay extends AsyncDisposable {
  /** DATABASE_URL through the relay. */
  databaseUrl: string;
  /** The relay's own address, for clients without such a URL. */
  address: string;
  /** Ends all connections and refuses new ones. */
  cut(): void;
  /** Ends all connections and closes new ones at once, like a load balancer without servers. */
  abandon(): void;
  /** Drops everything silently: connections stay open, and new ones are accepted. */
  swallow(): void;
  mend(): void;
  /** Open connections go nowhere, silently; new ones are rejected. */
  strand(): void;
  /** New connections then go to this server; open ones stay. */
  lead(databaseUrl: string): void;
}

/** @example await using relay = await startRelay(shared().databaseUrl); */
export async function startRelay(databaseUrl: string): Promise<Relay> {
  let { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const stranded = new Set<Socket>();
  let isCut = false;
  let isAbandoned = false;
  let swallows = false;
  const server = createServer((near) => {
    if (isCut) return near.resetAndDestroy();
    if (isAbandoned)
      return near
        .on("error", () => {})
        .resume()
        .end();
    const far = dial(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on("data", (bytes) => swallows || stranded.has(one) || other.write(bytes));
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    databaseUrl: url.href,
    address: url.host,
    cut() {
      isCut = true;
      end();
    },
    abandon() {
      isAbandoned = true;
      end();
    },
    swallow() {
      swallows = true;
    },
    mend() {
      isCut = false;
      isAbandoned = false;
      swallows = false;
    },
    strand() {
      isCut = true;
      for (const socket of sockets) stranded.add(socket);
    },
    lead(databaseUrl) {
      ({ hostname, port } = new URL(databaseUrl));
    },
    async [Symbol.asyncDispose]() {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
