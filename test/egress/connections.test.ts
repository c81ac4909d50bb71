// Kept connections: isolation, and the effects of their end.

import { describe, expect, test } from "bun:test";
import { createServer as createTcpServer, type Socket } from "node:net";
import { createServer, TLSSocket } from "node:tls";
import { failureOf, request, tls, trustingEgress } from "../support/egress.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const toLoopback = async () => ["127.0.0.1"];

interface Seen {
  /** Requests on each connection, in the order of arrival. */
  requests: number[];
}

/** Uses TLS, and answers each request of a connection by the given function. */
async function startServer(onRequest: (socket: TLSSocket, count: number, idleMs: number) => void) {
  const seen: Seen = { requests: [] };
  const server = createServer(tls, (socket) => {
    const at = seen.requests.push(0) - 1;
    let last = performance.now();
    socket.on("error", () => {});
    socket.on("data", () => {
      if (socket.writableEnded) return;
      const idle = performance.now() - last;
      onRequest(socket, ++seen.requests[at]!, idle);
      last = performance.now();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const egress = trustingEgress(["127.0.0.0/8"], toLoopback);
  const post = async () => failureOf(await egress.post(request(`https://localhost:${port}/`)));
  return { seen, post, [Symbol.dispose]: () => void server.close() };
}

describe("a connection", () => {
  test("serves one post after another", async () => {
    using server = await startServer((socket) => socket.write(OK));
    for (let count = 0; count < 5; count++) expect(await server.post()).toBe("answered 200");
    expect(server.seen.requests).toEqual([5]);
  });

  test("is not used longer than its peer announces", async () => {
    using server = await startServer((socket, count) => {
      if (count > 1) socket.destroy();
      else socket.write(OK.replace("\r\n\r\n", "\r\nKeep-Alive: timeout=1\r\n\r\n"));
    });
    for (let count = 0; count < 3; count++) expect(await server.post()).toBe("answered 200");
    expect(server.seen.requests).toEqual([1, 1, 1]);
  });

  test("closed by a receiver after a second costs no post, even if both cross", async () => {
    // A receiver closes a connection after this idle time, just as the next request arrives.
    using server = await startServer((socket, count, idleMs) => {
      if (count > 1 && idleMs > 900) socket.destroy();
      else socket.write(OK);
    });
    for (let count = 0; count < 3; count++) {
      expect(await server.post()).toBe("answered 200");
      await Bun.sleep(1_000);
    }
    expect(server.seen.requests).toEqual([1, 1, 1]);
  });

  test("closed by its peer costs no post", async () => {
    using server = await startServer((socket) => socket.end(OK));
    for (let count = 0; count < 50; count++) expect(await server.post()).toBe("answered 200");
    expect(server.seen.requests).toEqual(Array(50).fill(1));
  });

  test("closed after the request was sent is a failure, because it may have been processed", async () => {
    using server = await startServer((socket, count) => {
      if (count > 1) socket.destroy();
      else socket.write(OK);
    });
    expect([await server.post(), await server.post()]).toEqual(["answered 200", "reset"]);
    expect(server.seen.requests).toEqual([2]);
  });

  test("is not kept for a peer that has closed one during a request", async () => {
    using server = await startServer((socket, count) => {
      if (count > 1) socket.destroy();
      else socket.write(OK);
    });
    expect([await server.post(), await server.post()]).toEqual(["answered 200", "reset"]);
    for (let count = 0; count < 10; count++) expect(await server.post()).toBe("answered 200");
    expect(server.seen.requests).toEqual([2, ...Array(10).fill(1)]);
  });
});

describe("a success without a length", () => {
  /** Ends its answer by the given function, which gets the TCP connection. */
  async function answered(text: string, end: (socket: TLSSocket, raw: Socket) => void): Promise<string> {
    const server = createTcpServer((raw) => {
      raw.on("error", () => {});
      const socket = new TLSSocket(raw, { isServer: true, ...tls });
      socket.on("error", () => {});
      socket.once("data", () => socket.write(text, () => end(socket, raw)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as { port: number };
      return failureOf(
        await trustingEgress([`localhost:${port}`], toLoopback).post(request(`https://localhost:${port}/`)),
      );
    } finally {
      server.close();
    }
  }

  const HEADS = { "to the connection's end": "HTTP/1.1 200 OK\r\n\r\nabc", empty: "HTTP/1.0 204 No Content\r\n\r\n" };

  test.each(Object.entries(HEADS))("that goes %s counts when the connection is closed", async (_, head) => {
    expect(await answered(head, (socket) => socket.end())).toMatch(/^answered 20[04]$/);
  });

  test("that is reset in the middle does not count", async () => {
    const reset = (_: TLSSocket, raw: Socket) => void setTimeout(() => raw.resetAndDestroy(), 50);
    expect(await answered("HTTP/1.1 200 OK\r\n\r\nabc", reset)).toBe("reset");
    expect(await answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", reset)).toBe("reset");
  });

  test("with chunks that do not end does not count", async () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    expect(await answered(head, (socket) => socket.end())).toBe("reset");
  });
});
