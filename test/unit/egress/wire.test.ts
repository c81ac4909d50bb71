// Bytes on the wire: the address as given, header names, and receivers' responses.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type TLSSocket } from "node:tls";
import fc from "fast-check";
import { extendAddress } from "../../../server/platform/egress/given-address.ts";
import { failureOf, request, TENANT, tls, trustingEgress } from "../../support/egress.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

let server: Server;
let base: string;
let heads: string[] = [];
let answer: (socket: TLSSocket) => void = (socket) => socket.write(OK);
const egress = trustingEgress(["127.0.0.0/8"], async () => ["127.0.0.1"]);

beforeAll(async () => {
  server = createServer(tls, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      heads.push(bytes.toString("latin1").split("\r\n\r\n")[0]!);
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `https://localhost:${(server.address() as { port: number }).port}`;
});
afterAll(() => void server.close());

/** The request line's target, as bytes. */
async function targetOf(address: string): Promise<string> {
  heads = [];
  expect(failureOf(await egress.post(request(address)))).toBe("answered 200");
  const posted = /^POST (.*) HTTP\/1\.1/.exec(heads[0]!)![1]!;
  await egress.fetch(TENANT, address, { method: "GET", timeoutMs: 5_000 });
  expect(/^GET (.*) HTTP\/1\.1/.exec(heads[1]!)![1]).toBe(posted);
  return posted;
}

describe("an address", () => {
  test.each([
    ["/hook?sig=a%20b~c&flag&path=/x,y:z&l=%E9"],
    ["/hook?se=2026-11-25T00%3a00%3A00Z&sig=%2fab%2B%3d"],
    ["/a/../b/./%2e%2e/c//d"],
    ["/?"],
    ["/??a=?&&=&b="],
    ["/a+b?c+d=%2B"],
    ["/it's?$filter=Name eq 'x'&\"<>|^`{}[]\\".replaceAll(" ", "%20")],
    ["?flag"],
    ["/caf%C3%A9?%zz%"],
  ])("%s is sent byte for byte", async (target) => {
    expect(await targetOf(base + target)).toBe(target.startsWith("/") ? target : `/${target}`);
    expect(await targetOf(`${base}${target}#part`)).toBe(target.startsWith("/") ? target : `/${target}`);
  });

  test("is sent byte for byte, whatever it contains", async () => {
    const text = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    await fc.assert(
      fc.asyncProperty(text, text, async (path, query) => {
        fc.pre(!/[?#]/.test(path) && !query.includes("#"));
        expect(await targetOf(`${base}/${path}?${query}`)).toBe(`/${path}?${query}`);
      }),
      { numRuns: 200 },
    );
  });

  test("is encoded only where a request line requires it", async () => {
    expect(await targetOf(`${base}/caf\u00e9 au lait?\u{1f6aa}=%C3`)).toBe("/caf%C3%A9%20au%20lait?%F0%9F%9A%AA=%C3");
  });
});

describe("a parameter", () => {
  test.each([
    ["https://h", "https://h?a=1"],
    ["https://h/?", "https://h/?a=1"],
    ["https://h/?x", "https://h/?x&a=1"],
    ["https://h/??", "https://h/??&a=1"],
    ["https://h/?x&", "https://h/?x&a=1"],
    ["https://h/?x=%20~#part", "https://h/?x=%20~&a=1#part"],
    ["https://h/#a?b", "https://h/?a=1#a?b"],
  ])("is added to %s", (address, expected) => {
    expect(extendAddress(address, { a: "1" })).toBe(expected);
  });

  test("leaves the existing query as written", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
        const [before, fragment] = address.split("#");
        const extended = extendAddress(address, { state: "x y" });
        expect(extended.startsWith(before!)).toBe(true);
        expect(extended.endsWith(fragment === undefined ? "state=x+y" : `state=x+y#${fragment}`)).toBe(true);
        expect(new URL(extended).searchParams.get("state")).toBe("x y");
      }),
    );
  });
});

test("headers keep the case of their names", async () => {
  heads = [];
  await egress.post(request(`${base}/`, { headers: { "X-Signature": "s", "webhook-id": "1", "X-MiXed": "2" } }));
  const names = heads[0]!.split("\r\n").map((line) => line.split(":")[0]);
  expect(names).toEqual(expect.arrayContaining(["X-Signature", "webhook-id", "X-MiXed", "Host", "User-Agent"]));
});

describe("a complete answer counts by its status", () => {
  const WHOLE: Record<string, [string, string]> = {
    "204 with a body": ["HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok", "answered 204"],
    "204 with a body in chunks": [
      "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      "answered 204",
    ],
    "304 with a body": ["HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nok", "answered 304"],
    "205 with a body": ["HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nok", "answered 205"],
    "a body that is longer than said": [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay, that was more",
      "answered 200",
    ],
    "more after the last chunk": [
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nmore",
      "answered 200",
    ],
    "a second answer": [OK + OK, "answered 200"],
    "an answer after a provisional one": [`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}`, "answered 200"],
  };

  test.each(Object.entries(WHOLE))("%s", async (_, [text, expected]) => {
    for (const end of [false, true]) {
      answer = (socket) => (end ? socket.end(text) : socket.write(text));
      expect(failureOf(await egress.post(request(`${base}/`)))).toBe(expected);
      // Excess bytes do not become the next response.
      answer = (socket) => socket.write(OK.replace("200", "201"));
      expect(failureOf(await egress.post(request(`${base}/`)))).toBe("answered 201");
    }
  });

  test("also if the connection is reset right after it", async () => {
    answer = (socket) => socket.write(OK, () => socket.destroy());
    for (let count = 0; count < 20; count++)
      expect(failureOf(await egress.post(request(`${base}/`)))).toBe("answered 200");
  });

  test("an incomplete answer does not count", async () => {
    for (const text of ["HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-"]) {
      answer = (socket) => socket.end(text);
      expect(failureOf(await egress.post(request(`${base}/`)))).toBe("reset");
    }
    answer = (socket) => socket.end("+OK POP3 ready\r\n");
    expect(failureOf(await egress.post(request(`${base}/`)))).toBe("protocol");
  });
});
