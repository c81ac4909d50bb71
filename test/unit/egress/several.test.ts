// A name with several addresses (RFC 8305): only the first that connects gets the request.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer } from "node:tls";
import { generate } from "selfsigned";
import { startBlackHole } from "../../support/black-hole.ts";
import { failureOf, request, TENANT, tls, trustingEgress } from "../../support/egress.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/** All addresses have the same port. */
const GOOD = "127.0.0.1";
const [DROPS, SILENT, RESETS, PLAIN, CLOSED] = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"];
const [STRANGE, SLOW] = ["127.0.0.7", "127.0.0.8"];
const TIMEOUT_MS = 5_000;

let port: number;
let hole: Disposable;
const servers: Server[] = [];
/** By the address that received them. */
let requests: string[] = [];

function listen(server: Server, address: string, at: number): Promise<void> {
  servers.push(server);
  return new Promise((resolve, reject) => server.once("error", reject).listen(at, address, resolve));
}

const answering = (address: string, delayMs = 0, certificate = tls) =>
  createServer(certificate, (socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      requests.push(address);
      setTimeout(() => socket.write(OK), delayMs);
    });
  });

const raw = (onConnection: (socket: Socket) => void) =>
  createTcpServer((socket) => {
    socket.on("error", () => {});
    onConnection(socket);
  });

beforeAll(async () => {
  const good = answering(GOOD);
  await listen(good, GOOD, 0);
  port = (good.address() as { port: number }).port;
  await listen(answering(SLOW, 600), SLOW, port);
  await listen(
    raw(() => {}),
    SILENT,
    port,
  );
  await listen(
    raw((socket) => socket.once("data", () => socket.resetAndDestroy())),
    RESETS,
    port,
  );
  await listen(
    raw((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    PLAIN,
    port,
  );
  const strange = await generate([{ name: "commonName", value: "localhost" }]);
  await listen(answering(STRANGE, 0, { cert: strange.cert, key: strange.private }), STRANGE, port);
  hole = await startBlackHole(DROPS, port);
});
afterAll(() => {
  for (const server of servers) server.close();
  hole[Symbol.dispose]();
});
beforeEach(() => {
  requests = [];
});

/** An egress for which `localhost` has these addresses. */
function at(...addresses: string[]) {
  const egress = trustingEgress(["127.0.0.0/8", "::1"], async () => addresses);
  return async () => {
    const began = performance.now();
    const outcome = await egress.post(request(`https://localhost:${port}/`, { timeoutMs: TIMEOUT_MS }));
    return {
      outcome: failureOf(outcome),
      ms: performance.now() - began,
      detail: "detail" in outcome && outcome.detail,
    };
  };
}

describe("if the first address", () => {
  test.each([
    ["drops every packet", DROPS],
    ["connects and says nothing", SILENT],
    ["resets the connection", RESETS],
    ["speaks no TLS", PLAIN],
    ["has a certificate that is not trusted", STRANGE],
    ["has nothing that listens", CLOSED],
    ["is of a family without a way", "::1"],
  ])("%s, the next one gets the post, once", async (_, first) => {
    const { outcome, ms } = await at(first, GOOD)();
    expect(outcome).toBe("answered 200");
    expect(requests).toEqual([GOOD]);
    expect(ms).toBeLessThan(TIMEOUT_MS / 2);
  });

  test("and the following ones are dead, the last one gets it", async () => {
    expect((await at(DROPS, SILENT, CLOSED, RESETS, "::1", PLAIN, GOOD)()).outcome).toBe("answered 200");
    expect(requests).toEqual([GOOD]);
  });

  test("is dead with all of its family, the other family is tried second", async () => {
    const dead = Array.from({ length: 12 }, (_, last) => `::${last + 0x10}`);
    const egress = trustingEgress(["127.0.0.1", "::/8"], async () => [...dead, GOOD]);
    expect(failureOf(await egress.post(request(`https://localhost:${port}/`)))).toBe("answered 200");
  });

  test("is slow to answer, only it gets the post, which may have been processed", async () => {
    const { outcome, ms } = await at(SLOW, GOOD)();
    expect(outcome).toBe("answered 200");
    expect(ms).toBeGreaterThan(600);
    expect(requests).toEqual([SLOW]);
  });

  test("breaks after the post was written, no other one gets it", async () => {
    const breaking = createServer(tls, (socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        requests.push("breaking");
        socket.destroy();
      });
    });
    await listen(breaking, "127.0.0.9", port);
    expect((await at("127.0.0.9", GOOD)()).outcome).toBe("reset");
    expect(requests).toEqual(["breaking"]);
  });
});

test("the address that worked is tried first from then on", async () => {
  const post = at(DROPS, GOOD);
  expect((await post()).ms).toBeGreaterThan(240);
  // Over a new connection too, because none is kept for this long.
  for (const wait of [0, 900]) {
    await Bun.sleep(wait);
    const posts = [await post(), await post(), await post(), await post()];
    expect(posts.map(({ outcome }) => outcome)).toEqual(Array(4).fill("answered 200"));
    // If each tried the dead address first, it would take longer, even on a fast machine.
    expect(Math.min(...posts.map(({ ms }) => ms))).toBeLessThan(240);
  }
});

test("concurrent posts are each sent once", async () => {
  const egress = trustingEgress(["127.0.0.0/8"], async () => [DROPS, SILENT, GOOD, SLOW]);
  const post = () => egress.post(request(`https://localhost:${port}/`, { timeoutMs: 60_000 }));
  const outcomes = await Promise.all(Array.from({ length: 20 }, post));
  expect(outcomes.map(failureOf)).toEqual(Array(20).fill("answered 200"));
  expect(requests).toHaveLength(20);
});

test("where all are dead, the post fails with the reason of one that answered", async () => {
  expect((await at(CLOSED, "::1")()).outcome).toBe("refused");
  expect((await at(STRANGE, CLOSED)()).outcome).toBe("tls");
  expect((await at(CLOSED, PLAIN, "::1")()).outcome).toBe("tls");
  expect(requests).toEqual([]);
});

test("where none answers, the post ends with its timeout", async () => {
  const egress = trustingEgress(["127.0.0.0/8"], async () => [DROPS, SILENT]);
  const outcome = await egress.post(request(`https://localhost:${port}/`, { timeoutMs: 700 }));
  expect(outcome).toMatchObject({ failure: "timeout", detail: expect.stringContaining("700 ms") });
  expect(outcome.kind !== "unsent" && outcome.durationMs).toBeWithin(690, 3_000);
});

test("a guarded fetch does the same", async () => {
  const egress = trustingEgress(["127.0.0.0/8"], async () => [DROPS, GOOD]);
  expect((await egress.fetch(TENANT, `https://localhost:${port}/`, { method: "GET", timeoutMs: 5_000 })).status).toBe(
    200,
  );
});
