// Unusual values of Host and authority: only the path selects the route, as a proxy in front sees it.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sendRaw } from "../support/raw.ts";
import { shared } from "../world/tenant.ts";

/** The router's answers show whether it has dropped the beginning of a path. */
const PATHS = [
  "/healthz",
  "/x/healthz",
  "/Endpoint/healthz",
  "/Endpoint/rest/healthz",
  "/a.very.long.word/healthz?x=http://y/z",
  "//healthz",
  "//Endpoint/rest/healthz",
  "/Endpoint/rest/api/v1/Entities",
  "/Endpoint/rest/api/v1/User/1?Name=Username",
  "/.well-known/openid-configuration",
];

const HOSTS = [
  ...["", "a", "ab", "abc", "abcd", "a:", "a:1", "a:99999", ":80", "1", "1.2.3.4", "localhost", "localhost:3000"],
  ...["[::1]", "[::1]:80", "[::]:1", "%61", "a_b", "id.example.com."],
];

const NO_HOSTS = [
  ...["a b", "[::1", "::1", "é", "u@h", "u:p@h:80", "a/healthz", "/healthz", "?x", "a?b", "#", "a#b", "a\\b", "a,b"],
  ...["http://x", "a:x", "a:1:2", "a:123456", "[::1]x", '"a"', "<a>"],
];

const head = (target: string, host: string, version = "1.1") =>
  `GET ${target} HTTP/${version}\r\n${host}Connection: close\r\n\r\n`;

/** The route that answered, with its status and the rest of the path. */
async function answerTo(request: string): Promise<string> {
  const answer = await sendRaw(shared().url, request);
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
  const [, instance = "none"] = /"Instance":"([^"]*)"/.exec(answer) ?? [];
  return `${status} ${instance}`;
}

const expected = new Map(
  await Promise.all(
    PATHS.map(async (path) => [path, await answerTo(head(path, "Host: gatehouse.example\r\n"))] as const),
  ),
);

async function answers(requestTo: (path: string) => string) {
  return new Map(await Promise.all(PATHS.map(async (path) => [path, await answerTo(requestTo(path))] as const)));
}

test("the tested paths differ from each other", () => {
  expect([...expected.values()]).toEqual([
    "200 none",
    "404 /x/healthz",
    "404 /Endpoint/healthz",
    "404 /Endpoint/rest/healthz",
    "404 /a.very.long.word/healthz",
    "404 //healthz",
    "404 //Endpoint/rest/healthz",
    "401 /Endpoint/rest/api/v1/Entities",
    "401 /Endpoint/rest/api/v1/User/1",
    "200 none",
  ]);
});

describe("a path is answered alike", () => {
  test.each(HOSTS)("with Host: %s", async (host) => {
    expect(await answers((path) => head(path, `Host: ${host}\r\n`))).toEqual(expected);
  });

  test("with any host name, address and port", async () => {
    const port = fc.option(fc.nat(65_535), { nil: undefined });
    const name = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
      fc.stringMatching(/^[a-z0-9.-]{0,6}$/),
    );
    await fc.assert(
      fc.asyncProperty(name, port, fc.constantFrom(...PATHS), async (host, number, path) => {
        const line = `Host: ${host}${number === undefined ? "" : `:${number}`}\r\n`;
        expect(await answerTo(head(path, line))).toBe(expected.get(path)!);
      }),
      { numRuns: 60 },
    );
  });

  test("without Host in HTTP/1.0", async () => {
    expect(await answers((path) => head(path, "", "1.0"))).toEqual(expected);
  });

  test("with Host in HTTP/1.0", async () => {
    expect(await answers((path) => head(path, "Host: a\r\n", "1.0"))).toEqual(expected);
  });

  test.each(["http://a", "http://evil.example", "HTTP://EVIL", "https://u:p@evil:1"])(
    "with an absolute target, as in %s",
    async (authority) => {
      expect(await answers((path) => head(authority + path, "Host: a\r\n"))).toEqual(expected);
    },
  );
});

describe("400 is returned", () => {
  test.each(NO_HOSTS)("for Host: %s, which is invalid", async (host) => {
    for (const path of PATHS) {
      const answer = await sendRaw(shared().url, head(path, `Host: ${host}\r\n`));
      expect(answer).toStartWith("HTTP/1.1 400");
      expect(answer).toContain('"Type":"/Errors/Bad Input"');
    }
  });

  test("for two Host headers, and for none in HTTP/1.1", async () => {
    expect(await sendRaw(shared().url, head("/healthz", "Host: a\r\nHost: b\r\n"))).toStartWith("HTTP/1.1 400");
    expect(await sendRaw(shared().url, head("/healthz", "Host: a\r\nHost: a\r\n"))).toStartWith("HTTP/1.1 400");
    expect(await sendRaw(shared().url, head("/healthz", ""))).toStartWith("HTTP/1.1 400");
  });
});
