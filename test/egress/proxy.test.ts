// The environment of a machine behind a proxy: fetch obeys it unless told otherwise.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { request, startReceiver, trustingEgress } from "./receiver.ts";

const VARIABLES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"];
const before = new Map(VARIABLES.map((name) => [name, process.env[name]]));

let proxied = 0;
let proxy: Bun.TCPSocketListener;

beforeAll(() => {
  proxy = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        proxied++;
        socket.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
      },
      data() {},
    },
  });
  for (const name of VARIABLES) process.env[name] = `http://127.0.0.1:${proxy.port}`;
});

afterAll(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  proxy.stop(true);
});

test("a post goes to the vetted address, never through the environment's proxy", async () => {
  await using receiver = startReceiver(() => new Response("direct"));
  const url = `https://localhost:${receiver.port}/`;
  // The trap is one: a plain fetch runs into it.
  await fetch(url, { tls: { rejectUnauthorized: false } }).catch(() => {});
  const trapped = proxied;
  expect(trapped).toBeGreaterThan(0);

  const outcome = await trustingEgress([`localhost:${receiver.port}`]).post(request(url));
  expect(outcome).toMatchObject({ kind: "response", status: 200, body: "direct" });
  expect(proxied).toBe(trapped);
});
