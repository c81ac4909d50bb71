import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { failureOf, request, startRawReceiver, startReceiver, trustingEgress } from "../support/egress.ts";

const CHUNK = new Uint8Array(64 * 1024).fill(65);

async function answerOf(response: () => Response, timeoutMs = 5000) {
  await using receiver = startReceiver(response);
  const egress = trustingEgress([`localhost:${receiver.port}`]);
  return await egress.post(request(`https://localhost:${receiver.port}/?ApiKey=secret`, { timeoutMs }));
}

describe("an answer's body", () => {
  test("of 10 MiB is a success, and 4 KiB are kept", async () => {
    const outcome = await answerOf(() => new Response(new Uint8Array(10 * 1024 * 1024).fill(65)));
    expect(outcome).toMatchObject({ kind: "response", status: 200, body: "A".repeat(4096) });
  });

  test("without an end is abandoned after 64 KiB, and the connection closed", async () => {
    const left = Promise.withResolvers<void>();
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(CHUNK),
          cancel: () => left.resolve(),
        }),
      );
    expect(await answerOf(endless)).toMatchObject({ kind: "response", status: 200 });
    await left.promise;
  });

  test("that exceeds the time limit is a timeout, though its status was 200", async () => {
    const dripping = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(10);
            controller.enqueue(CHUNK.slice(0, 1));
          },
        }),
      );
    const outcome = await answerOf(dripping, 150);
    expect(outcome).toMatchObject({ failure: "timeout", detail: expect.stringContaining("150 ms") });
    expect(outcome.kind !== "unsent" && outcome.durationMs).toBeWithin(140, 5000);
  });

  test("that is compressed is read only up to the limit of its text", async () => {
    const bomb = gzipSync(new Uint8Array(10 * 1024 * 1024).fill(65));
    const outcome = await answerOf(() => new Response(bomb, { headers: { "Content-Encoding": "gzip" } }));
    expect(outcome).toMatchObject({ kind: "response", status: 200, body: "A".repeat(4 * 1024) });
  });

  test("is stored as text that PostgreSQL accepts", async () => {
    const outcome = await answerOf(() => new Response(new Uint8Array([65, 0, 66, 0xff, 0xc3])));
    expect(outcome).toMatchObject({ body: "ABÿÃ" });
  });

  test("is not cut within a character", async () => {
    const outcome = await answerOf(() => new Response("€".repeat(2000)));
    expect(outcome).toMatchObject({ body: "€".repeat(1365) });
  });
});

describe("the time limit", () => {
  test("covers a receiver that accepts the request and does not answer", async () => {
    using receiver = await startRawReceiver(() => {});
    const egress = trustingEgress([`localhost:${receiver.port}`], async () => ["127.0.0.1"]);
    const outcome = await egress.post(request(`https://localhost:${receiver.port}/`, { timeoutMs: 100 }));
    expect(failureOf(outcome)).toBe("timeout");
  });

  test("is separate for a resolver that does not answer", async () => {
    const outcome = await trustingEgress([], () => new Promise(() => {})).post(
      request("https://receiver.test/", { timeoutMs: 50 }),
    );
    expect(outcome).toMatchObject({ failure: "dns", detail: "receiver.test was not resolved in time (5000 ms)" });
  });

  test("the caller can abort a post before it", async () => {
    const asked = Promise.withResolvers<void>();
    using receiver = await startRawReceiver(() => asked.resolve());
    const egress = trustingEgress([`localhost:${receiver.port}`], async () => ["127.0.0.1"]);
    const caller = new AbortController();
    const url = `https://localhost:${receiver.port}/`;
    const outcome = egress.post(request(url, { signal: caller.signal }));
    await asked.promise;
    caller.abort();
    expect(failureOf(await outcome)).toBe("cancelled");
    expect(failureOf(await egress.post(request(url, { signal: caller.signal })))).toBe("cancelled");
  });
});

describe("an invalid answer", () => {
  test.each([
    ["a closed connection", "reset", (): string => ""],
    ["a body shorter than announced", "reset", () => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"],
    ["a length that is no number", "protocol", () => "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"],
    ["an endless head", "too-large", () => `HTTP/1.1 200 OK\r\nX-Long: ${"a".repeat(2_000_000)}\r\n\r\n`],
  ])("%s is %s", async (_, word, bytes) => {
    using receiver = await startRawReceiver((socket) => socket.end(bytes()));
    const egress = trustingEgress([`localhost:${receiver.port}`], async () => ["127.0.0.1"]);
    expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`)))).toBe(word);
  });
});
