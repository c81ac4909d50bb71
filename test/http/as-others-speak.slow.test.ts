// Every path in the variants of clients, scanners and proxies: each answer is documented, and none is a server error.

import { expect, test } from "bun:test";
import { startPrivateApp } from "../support/private-app.ts";
import { sendRaw } from "../support/raw.ts";
import { newTenant } from "../world/tenant.ts";

const METHODS = ["GET", "HEAD", "OPTIONS", "PUT", "TRACE", "PROPFIND", "CONNECT", "POST", "PATCH", "DELETE"];
const SPELLINGS: [what: string, target: (path: string) => string, headers: string[]][] = [
  ["as it is", (path) => path, []],
  ["with a slash behind it", (path) => `${path}/`, []],
  ["with two slashes before it", (path) => `/${path}`, []],
  ["with a whole address, another's", (path) => `http://other.example${path}`, []],
  ["with parameters without a value, name or meaning", (path) => `${path}?x&=y&%&z=%E9&&`, []],
  ["with an Accept that nobody can read", (path) => path, [`Accept: ;;,q=1;${"a".repeat(2_000)}/*;q=x`]],
  ["with a body in a type of its own", (path) => path, ['Content-Type: X/Y; a=b; A="b', "Content-Length: 2"]],
];

test.each(SPELLINGS)("every path %s is answered as documented, with every method", async (_, target, headers) => {
  await using app = startPrivateApp();
  const { authorization } = await newTenant(app);
  const paths = new Set(app.routes.map(({ path }) => path.replace(/:[^/]+|\*$/g, "1001")));
  expect(paths.size).toBeGreaterThan(100);
  for (const path of paths) {
    // The stream stays open.
    if (path.endsWith("/Stream")) continue;
    const answers = await Promise.all(
      METHODS.map(async (method) => {
        const lines = [
          `Host: ${new URL(app.url).host}`,
          `Authorization: ${authorization}`,
          "Connection: close",
          ...headers,
        ];
        const body = headers.length > 1 ? "{}" : "";
        return {
          method,
          ...read(await sendRaw(app.url, `${method} ${target(path)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`)),
        };
      }),
    );
    for (const { method, status, head, body } of answers) {
      expect([method, path, status]).toEqual([method, path, expect.any(Number)]);
      expect([method, path, status < 500]).toEqual([method, path, true]);
      if (status === 405)
        expect([method, path, head]).toEqual([method, path, expect.stringMatching(/^allow: [A-Z]/im)]);
      if (method === "HEAD") expect([path, body]).toEqual([path, ""]);
      else if (status >= 400) {
        const isDocumented =
          /^\{"(Errors|error|schemas)":/.test(body) || body.startsWith("<!doctype html>") || /^text\/plain/m.test(head);
        expect([method, path, status, isDocumented || body]).toEqual([method, path, status, true]);
      }
    }
  }
  expect(app.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

function read(answer: string): { status: number; head: string; body: string } {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    head,
    body: rest.join("\r\n\r\n").replace(/^[\da-f]+\r\n/, ""),
  };
}
