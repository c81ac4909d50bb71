// Requests that Bun rejects before the application, as in docs/operations.md.

import { expect, test } from "bun:test";
import { sendRaw } from "../support/raw.ts";
import { shared } from "../world/tenant.ts";

const HOST = "Host: x\r\n";
const get = (more: string) => `GET /healthz HTTP/1.1\r\n${HOST}${more}\r\n`;
const post = (more: string, body = "xx") => `POST /oauth2/token HTTP/1.1\r\n${HOST}${more}\r\n${body}`;

test.concurrent.each<[string, number, string]>([
  ["a header without a colon", 400, get("Bad header\r\n")],
  ["a space before the colon", 400, get("X-A : x\r\n")],
  ["a control character", 400, get("X-A: a\x01b\r\n")],
  ["a folded header", 400, get("X-A: a\r\n b\r\n")],
  ["no Host", 400, "GET /healthz HTTP/1.1\r\n\r\n"],
  ["a Content-Length that is no number", 400, post("Content-Length: abc\r\n")],
  ["a negative Content-Length", 400, post("Content-Length: -1\r\n")],
  ["two Content-Lengths", 400, post("Content-Length: 2\r\nContent-Length: 3\r\n", "xxx")],
  ["Content-Length beside chunks", 400, post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")],
  ["headers of 17 KiB", 431, get(`X-A: ${"a".repeat(17_000)}\r\n`)],
  ["250 headers", 431, get(Array.from({ length: 250 }, (_, at) => `X-${at}: a\r\n`).join(""))],
  ["HTTP/2.0", 505, `GET /healthz HTTP/2.0\r\n${HOST}\r\n`],
  ["lines that end in LF", 505, "GET /healthz HTTP/1.1\nHost: x\n\n"],
])("%s is %i without a body, and the connection is closed", async (_, status, text) => {
  expect(await sendRaw(shared().url, text)).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} [\\w ]+\\r\\nConnection: close\\r\\n\\r\\n$`),
  );
});
