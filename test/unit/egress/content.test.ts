// Answers in a content coding or a charset are readable, and no answer costs more than its limits.

import { describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, type InputType } from "node:zlib";
import { request, startReceiver, TENANT, trustingEgress } from "../../support/egress.ts";

const KEPT = 4 * 1024;
const CODINGS: [header: string, encode: (text: InputType) => Buffer][] = [
  ["gzip", gzipSync],
  ["GZIP", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["identity, gzip", gzipSync],
  ["deflate, gzip", (text) => gzipSync(deflateSync(text))],
];

async function answered(body: Buffer | string, headers: Record<string, string>) {
  await using receiver = startReceiver(() => new Response(body as BodyInit, { status: 500, headers }));
  const egress = trustingEgress([`localhost:${receiver.port}`], async () => ["127.0.0.1"]);
  const url = `https://localhost:${receiver.port}/`;
  const outcome = await egress.post(request(url));
  if (outcome.kind !== "response") throw new Error(JSON.stringify(outcome));
  const fetched = egress.fetch(TENANT, url, { method: "GET", timeoutMs: 5_000 });
  return {
    status: outcome.status,
    logged: outcome.body,
    fetched: await fetched.then((answer) => answer.text()).catch((error) => error.failure),
  };
}

describe.each(CODINGS)("an answer in %s", (coding, encode) => {
  const headers = { "content-encoding": coding };
  // Without repetition, so that it stays long in every coding.
  const noise = (length: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString("base64");

  test("is logged as text, and fetched whole", async () => {
    const text = JSON.stringify({ error: "Zoë's signature is wrong" });
    expect(await answered(encode(text), headers)).toEqual({ status: 500, logged: text, fetched: text });
  });

  test("that is long is logged to the limit", async () => {
    const text = noise(20_000);
    expect(await answered(encode(text), headers)).toEqual({ status: 500, logged: text.slice(0, KEPT), fetched: text });
    const huge = noise(300_000);
    const { logged, fetched } = await answered(encode(huge), headers);
    expect(huge.slice(0, KEPT)).toStartWith(logged);
    expect(fetched).toBe("too-large");
  });

  test("that grows a thousandfold is abandoned at the limit", async () => {
    const bomb = encode(Buffer.alloc(64 * 1024 * 1024, "é"));
    const before = process.memoryUsage().rss;
    const { status, logged, fetched } = await answered(bomb, headers);
    expect([status, logged.length, fetched]).toEqual([500, KEPT / 2, "too-large"]);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("that is damaged counts by its status", async () => {
    const whole = encode("a".repeat(50) + noise(600));
    for (const damaged of [whole.subarray(0, -20), Buffer.from("not coded at all"), Buffer.alloc(0)]) {
      expect((await answered(damaged, headers)).status).toBe(500);
    }
    expect((await answered("not coded at all", headers)).logged).toBe("not coded at all");
  });
});

test.each(["compress", "gzip, gzip, gzip", "gzip;q=1", ",", "nonsense"])(
  "%s is no coding that is decoded",
  async (coding) => {
    const { status, logged } = await answered("plain", { "content-encoding": coding });
    expect([status, logged]).toEqual([500, "plain"]);
  },
);

const latin1 = (text: string) => Buffer.from(text, "latin1");

test.each([
  ["text/plain; charset=iso-8859-1", latin1("Clé refusée"), "Clé refusée"],
  ["text/plain;charset=ISO-8859-1", latin1("Clé refusée"), "Clé refusée"],
  ['text/html; Charset = "latin1"; x=y', latin1("Clé refusée"), "Clé refusée"],
  ["text/plain; charset=windows-1252", Buffer.from([0x80, 0x20, 0xe9]), "€ é"],
  ["text/plain; charset=shift_jis", Buffer.from([0x83, 0x47]), "エ"],
  ["text/plain; charset=utf-16le", Buffer.from("déjà", "utf16le"), "déjà"],
  ["text/plain", latin1("Clé refusée"), "Clé refusée"],
  ["text/plain", Buffer.from("Clé refusée 🚪"), "Clé refusée 🚪"],
  ["", latin1("Clé"), "Clé"],
  ["text/plain; charset=utf-8", latin1("Clé"), "Cl\ufffd"],
  ["text/plain; charset=nonsense", Buffer.from("Clé"), "Clé"],
  ["text/plain; charset=", Buffer.from("Clé"), "Clé"],
  ["application/json", Buffer.from("\ufeff{}\0"), "{}"],
])("the charset of %s is read", async (contentType, bytes, text) => {
  expect((await answered(bytes, { "content-type": contentType })).logged).toBe(text);
});

test("a character at the limit is dropped, not broken, with and without a coding", async () => {
  const text = `x${"é".repeat(4_000)}`;
  const start = `x${"é".repeat(KEPT / 2 - 1)}`;
  expect((await answered(text, {})).logged).toBe(start);
  expect((await answered(gzipSync(text), { "content-encoding": "gzip" })).logged).toBe(start);
});

test("every post accepts any media type, and a header of the connection replaces that", async () => {
  await using receiver = startReceiver(() => new Response());
  const egress = trustingEgress([`localhost:${receiver.port}`], async () => ["127.0.0.1"]);
  const url = `https://localhost:${receiver.port}/`;
  await egress.post(request(url));
  for (const name of ["Accept", "accept", "ACCEPT"]) await egress.post(request(url, { headers: { [name]: "text/x" } }));
  expect(receiver.received.map(({ headers }) => headers.get("accept"))).toEqual(["*/*", "text/x", "text/x", "text/x"]);
});

test("a coding with a large window is not decoded: a few bytes would take 16 MiB", async () => {
  const body = brotliCompressSync("refused");
  const { logged, fetched } = await answered(body, { "content-encoding": "br" });
  expect(logged).not.toContain("refused");
  expect(fetched).not.toBe("refused");
});
