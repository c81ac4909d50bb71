// A proxy to PostgreSQL that fails one call of the worker's pool, as PostgreSQL or the network does.

import { createServer, connect as dial, type Socket } from "node:net";

export const TROUBLES = ["in recovery", "read-only", "out of connections", "cut before", "cut after"] as const;
export type Trouble = (typeof TROUBLES)[number];

/** SQLSTATEs. */
const CODES = { "in recovery": "57P03", "read-only": "25006", "out of connections": "53300" } as const;
/** The time for which new connections are rejected. */
const OUTAGE_MS = 700;
const POOL = "gatehouse worker\0";

export interface FailingDatabase extends AsyncDisposable {
  databaseUrl: string;
  /** Fails the nth call from now. */
  fail(nth: number, trouble: Trouble): void;
  /** Calls since `fail`, and whether one has failed. */
  seen(): { calls: number; hasFailed: boolean };
}

/** @example await using database = await startFailingDatabase(shared().databaseUrl); */
export async function startFailingDatabase(databaseUrl: string): Promise<FailingDatabase> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let plan: { nth: number; trouble: Trouble } | undefined;
  let calls = 0;
  let hasFailed = false;
  let refusal: { until: number; code: string } | undefined;

  const server = createServer((near) => {
    const far = dial(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true).on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    let isOurs = false;
    let inTransaction = false;
    /** The rest of the failed call is dropped until its Sync. */
    let swallows = false;
    let losesAnswer = false;
    const toServer = frames(true, (type, frame) => {
      if (type === "startup") {
        isOurs = frame.toString("latin1").includes(POOL);
        if (isOurs && refusal && Date.now() < refusal.until) return near.end(errorOf(refusal.code, "FATAL"));
      }
      if (swallows) {
        if (type === "S") swallows = false;
        return;
      }
      const isCall = isOurs && plan && (type === "B" || type === "Q");
      if (isCall && ++calls === plan!.nth) {
        hasFailed = true;
        const { trouble } = plan!;
        if (trouble === "read-only") {
          swallows = type === "B";
          near.write(Buffer.concat([errorOf(CODES[trouble], "ERROR"), readyForQuery(inTransaction ? "E" : "I")]));
          return;
        }
        if (trouble === "cut after") losesAnswer = true;
        else {
          if (trouble !== "cut before") refusal = { until: Date.now() + OUTAGE_MS, code: CODES[trouble] };
          near.destroy();
          return;
        }
      }
      far.write(frame);
    });
    const toClient = frames(false, (type, frame) => {
      if (type === "Z") {
        if (losesAnswer) return near.destroy();
        inTransaction = frame[5] !== "I".charCodeAt(0);
      }
      if (!losesAnswer) near.write(frame);
    });
    near.on("data", toServer);
    far.on("data", toClient);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    databaseUrl: url.href,
    fail(nth, trouble) {
      plan = { nth, trouble };
      calls = 0;
      hasFailed = false;
    },
    seen: () => ({ calls, hasFailed }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Messages of PostgreSQL's protocol 3.0; a client's first message has no type. */
function frames(beginsUntyped: boolean, take: (type: string, frame: Buffer) => unknown) {
  let rest = Buffer.alloc(0);
  let untyped = beginsUntyped;
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = untyped ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const frame = rest.subarray(0, length);
      const type = untyped ? "startup" : String.fromCharCode(rest[0]!);
      rest = rest.subarray(length);
      untyped = false;
      take(type, frame);
    }
  };
}

function errorOf(code: string, severity: string): Buffer {
  const fields = `S${severity}\0V${severity}\0C${code}\0Mthe test has PostgreSQL fail\0\0`;
  return message("E", Buffer.from(fields));
}

const readyForQuery = (status: string) => message("Z", Buffer.from(status));

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
