// Requests through HTTPS_PROXY, with the environment of a machine behind a proxy: fetch follows it by default.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { createEgress, type EgressConfig } from "../../../server/platform/egress/index.ts";
import { createIsProxied } from "../../../server/platform/egress/tunnel.ts";
import {
  certificate,
  closedPort,
  failureOf,
  request,
  startReceiver,
  TENANT,
  trustingEgress,
} from "../../support/egress.ts";

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

test("a post goes to the vetted address, not through an unconfigured proxy", async () => {
  await using receiver = startReceiver(() => new Response("direct"));
  const url = `https://localhost:${receiver.port}/`;
  // A plain fetch uses the proxy, so the test can fail.
  await fetch(url, { tls: { rejectUnauthorized: false } }).catch(() => {});
  const trapped = proxied;
  expect(trapped).toBeGreaterThan(0);

  const outcome = await trustingEgress([`localhost:${receiver.port}`]).post(request(url));
  expect(outcome).toMatchObject({ kind: "response", status: 200, body: "direct" });
  expect(proxied).toBe(trapped);
});

/** A public address; the proxy of these tests connects to the receiver instead. */
const PUBLIC = "93.184.215.14";

/** Accepts CONNECT and connects to one port of loopback, or calls the test's function. */
async function startProxy(port: number, onConnect?: (authority: string, socket: Socket) => boolean) {
  const heads: string[] = [];
  const server = createServer((near) => {
    near.on("error", () => {});
    near.once("data", (bytes) => {
      const head = bytes.toString("latin1");
      heads.push(head);
      if (onConnect?.(head.split(" ")[1]!, near)) return;
      const far = connect(port, "127.0.0.1", () => {
        near.write("HTTP/1.1 200 Connection established\r\n\r\n");
        near.pipe(far).pipe(near);
      });
      far.on("error", () => near.destroy());
      near.on("close", () => far.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${own}/`,
    heads,
    authorities: () => heads.map((head) => head.split("\r\n")[0]),
    [Symbol.dispose]: () => void server.close(),
  };
}

function through(url: string, addresses: string[] = [PUBLIC], more: Partial<EgressConfig> = {}) {
  const config = { allow: [], deny: [], dns: [], caFile: certificate.caFile, proxy: { url, except: [] }, ...more };
  return createEgress(config, async () => addresses);
}

describe("a post through HTTPS_PROXY", () => {
  test("reaches the vetted address by CONNECT, with the name of its certificate, and keeps its connection", async () => {
    await using receiver = startReceiver(() => new Response("through"));
    using proxy = await startProxy(receiver.port);
    const egress = through(proxy.url);
    for (let count = 0; count < 3; count++) {
      const outcome = await egress.post(request("https://localhost/hook?sig=a%20b~c"));
      expect(outcome).toMatchObject({ kind: "response", status: 200, body: "through" });
    }
    expect((await egress.fetch(TENANT, "https://localhost/", { method: "GET", timeoutMs: 5_000 })).status).toBe(200);
    expect(proxy.authorities()).toEqual([`CONNECT ${PUBLIC}:443 HTTP/1.1`, `CONNECT ${PUBLIC}:443 HTTP/1.1`]);
    expect(receiver.received[0]!.headers.get("host")).toBe("localhost");
    expect(proxy.heads.join()).not.toMatch(/localhost|sig|hook/);
  });

  test("keeps the guard: private addresses are not requested from the proxy", async () => {
    await using receiver = startReceiver(() => new Response());
    using proxy = await startProxy(receiver.port);
    for (const addresses of [["10.0.0.1"], ["169.254.169.254"], [PUBLIC, "192.168.0.1"], ["64:ff9b::a00:1"]]) {
      expect(failureOf(await through(proxy.url, addresses).post(request("https://localhost/")))).toBe(
        "blocked-address",
      );
    }
    expect(failureOf(await through(proxy.url).post(request("https://127.0.0.1/")))).toBe("blocked-address");
    expect(proxy.heads).toEqual([]);
  });

  test("fails if the certificate has another name", async () => {
    await using receiver = startReceiver(() => new Response());
    using proxy = await startProxy(receiver.port);
    const egress = through(proxy.url);
    expect(failureOf(await egress.post(request("https://localhost/")))).toBe("answered 200");
    expect(failureOf(await egress.post(request("https://other.test/")))).toBe("tls");
    expect(receiver.received).toHaveLength(1);
  });

  test("authenticates to the proxy, and to no other host", async () => {
    await using receiver = startReceiver(() => new Response());
    using proxy = await startProxy(receiver.port);
    const url = proxy.url.replace("//", "//user:p%40ss@");
    expect(failureOf(await through(url).post(request("https://localhost/")))).toBe("answered 200");
    expect(proxy.heads[0]).toContain(`Proxy-Authorization: Basic ${btoa("user:p@ss")}\r\n`);
    expect(receiver.received[0]!.headers.has("proxy-authorization")).toBe(false);
    const refused = await through(`http://user:p%40ss@127.0.0.1:${await closedPort()}/`).post(
      request("https://localhost/"),
    );
    expect(refused).toMatchObject({ failure: "unreachable", detail: expect.stringContaining("HTTPS_PROXY") });
    expect(JSON.stringify(refused)).not.toMatch(/p(@|%40)ss/);
  });

  test.each([["403 Forbidden"], ["407 Proxy Authentication Required"], ["502 Bad Gateway"]])(
    "that the proxy answers with %s is unreachable, and says so",
    async (status) => {
      using proxy = await startProxy(
        0,
        (_, socket) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`) !== null,
      );
      const outcome = await through(proxy.url).post(request("https://localhost/"));
      expect(outcome).toMatchObject({
        failure: "unreachable",
        detail: expect.stringContaining(`HTTPS_PROXY answered ${status.slice(0, 3)}`),
      });
    },
  );

  test("ends with its timeout if the proxy does not answer, and is unreachable if it disconnects", async () => {
    using silent = await startProxy(0, () => true);
    const outcome = await through(silent.url).post(request("https://localhost/", { timeoutMs: 300 }));
    expect(failureOf(outcome)).toBe("timeout");
    using closing = await startProxy(0, (_, socket) => Boolean(socket.end()));
    expect(failureOf(await through(closing.url).post(request("https://localhost/")))).toBe("unreachable");
  });

  test("goes to the next address of a name if the proxy cannot reach the first", async () => {
    await using receiver = startReceiver(() => new Response());
    using proxy = await startProxy(receiver.port, (authority) => authority.startsWith("[2606:"));
    const egress = through(proxy.url, ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", PUBLIC]);
    expect(failureOf(await egress.post(request("https://localhost/")))).toBe("answered 200");
    expect(proxy.authorities()).toEqual([
      "CONNECT [2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443 HTTP/1.1",
      `CONNECT ${PUBLIC}:443 HTTP/1.1`,
    ]);
    expect(receiver.received).toHaveLength(1);
  });

  test("to this machine bypasses it, because the proxy's loopback is another", async () => {
    await using receiver = startReceiver(() => new Response());
    using proxy = await startProxy(0);
    const egress = through(proxy.url, ["127.0.0.1"], { allow: ["127.0.0.1"] });
    expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`)))).toBe("answered 200");
    expect(proxy.heads).toEqual([]);
  });
});

describe("NO_PROXY", () => {
  test.each([
    ["", "https://hooks.example/", PUBLIC, true],
    ["hooks.example", "https://hooks.example/", PUBLIC, false],
    ["HOOKS.example", "https://hooks.example./", PUBLIC, false],
    ["example", "https://hooks.example/", PUBLIC, false],
    [".example", "https://hooks.example/", PUBLIC, false],
    ["*.example", "https://hooks.example/", PUBLIC, false],
    ["ooks.example", "https://hooks.example/", PUBLIC, true],
    ["hooks.example:8443", "https://hooks.example/", PUBLIC, true],
    ["hooks.example:443", "https://hooks.example/", PUBLIC, false],
    ["93.184.0.0/16", "https://hooks.example/", PUBLIC, false],
    ["93.184.215.14", "https://93.184.215.14/", PUBLIC, false],
    ["10.0.0.0/8", "https://hooks.example/", PUBLIC, true],
    ["10.0.0.0/8,example", "https://hooks.example/", PUBLIC, false],
    ["2606::/16", "https://[2606::1]/", "2606::1", false],
    ["*", "https://hooks.example/", PUBLIC, false],
  ])("%s: %s at %s goes through the proxy: %p", (except, url, address, proxied) => {
    const entries = except.split(",").filter(Boolean);
    expect(createIsProxied(entries)(new URL(url), ipaddr.parse(address))).toBe(proxied);
  });
});
