// The client's address behind proxies: one plain address, or unknown.

import { expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { parseTrustProxy } from "../../../server/platform/config/parsers.ts";
import { clientAddress, clientNetwork, contextOf, UNKNOWN_ADDRESS } from "../../../server/platform/http/context.ts";

const PROXY = "10.0.0.1";

function noted(forwarded: string | undefined): Request {
  const request = new Request("http://localhost");
  if (forwarded !== undefined) request.headers.set("x-forwarded-for", forwarded);
  contextOf(request).address = clientAddress(request, PROXY, true);
  return request;
}

const addresses = fc.oneof(fc.ipV4(), fc.ipV6());
/** As written by some proxies. */
const written = addresses.chain((address) =>
  fc
    .nat(65_535)
    .chain((port) =>
      address.includes(":")
        ? fc.constantFrom(address, `[${address}]`, `[${address}]:${port}`)
        : fc.constantFrom(address, `${address}:${port}`),
    )
    .map((text) => ({ address, text })),
);
const zoned = fc
  .tuple(fc.ipV6(), fc.constantFrom("lo", "eth0", "1", ""))
  .map(([address, zone]) => `${address}%${zone}`);
const words = fc.constantFrom(
  "",
  " ",
  "unknown",
  "_gateway",
  "localhost",
  "127.1",
  "0x7f.0.0.1",
  "010.0.0.1",
  "1",
  "for=10.0.0.9",
);
const entries = fc.oneof(
  written.map(({ text }) => text),
  zoned,
  words,
);

test("the last entry is the caller's address, with or without a port", () => {
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 3 }), written, (before, { address, text }) => {
      const request = noted([...before, text].join(", "));
      expect(contextOf(request).address).toBe(ipaddr.process(address).toString());
    }),
  );
});

test("any other last entry gives no address, neither the proxy's nor an earlier one", () => {
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 3 }), fc.oneof(zoned, words), (before, last) => {
      const request = noted([...before, last].join(","));
      expect(contextOf(request).address).toBeUndefined();
      expect(clientNetwork(request)).toBe(UNKNOWN_ADDRESS);
    }),
  );
});

test("whatever the header contains, its sender is never taken for the proxy", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789abcdef.:[],% x") }), (header) => {
      fc.pre(!header.includes(PROXY));
      const last = header.split(",").at(-1)!.trim();
      const known = contextOf(noted(header)).address;
      if (known === undefined) expect(clientNetwork(noted(header))).toBe(UNKNOWN_ADDRESS);
      else expect(ipaddr.process(last.replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, "$1$3")).toString()).toBe(known);
    }),
  );
  expect(contextOf(noted(undefined)).address).toBeUndefined();
});

/** Two of our proxies, and the header that the caller itself sent. */
const [EDGE, INNER, CALLER] = ["10.0.0.9", PROXY, "198.51.100.7"];

test.each([
  // By number: each proxy has appended the address that it saw.
  ["2", INNER, `${CALLER}, ${EDGE}`, CALLER],
  ["2", INNER, `1.1.1.1, ${CALLER}, ${EDGE}`, CALLER],
  ["2", INNER, `${CALLER}:4711, ${EDGE}:80`, CALLER],
  ["3", INNER, `[2001:db8::7]:4711, 203.0.113.5, ${EDGE}`, "2001:db8::7"],
  ["2", INNER, CALLER, undefined],
  ["2", INNER, "", undefined],
  ["2", INNER, `unknown, ${EDGE}`, undefined],
  // By network: the last entry outside their networks.
  ["10.0.0.0/8", INNER, `${CALLER}, ${EDGE}`, CALLER],
  ["10.0.0.0/8", INNER, `10.9.9.9, ${CALLER}, ${EDGE}`, CALLER],
  ["10.0.0.0/8", INNER, CALLER, CALLER],
  ["10.0.0.0/8,2001:db8:1::/48", INNER, `${CALLER}, [2001:db8:1::5]:9, ::ffff:${EDGE}`, CALLER],
  ["10.0.0.0/8", INNER, `garbage, ${EDGE}`, undefined],
  ["10.0.0.0/8", INNER, `${CALLER}, garbage, ${EDGE}`, undefined],
  ["10.0.0.0/8", INNER, "10.2.2.2, 10.1.1.1", "10.2.2.2"],
  ["10.0.0.0/8", INNER, "", undefined],
  // A request that bypassed the proxies is identified by its own address.
  ["10.0.0.0/8", "203.0.113.9", `${CALLER}, ${EDGE}`, "203.0.113.9"],
  ["10.0.0.0/8", undefined, CALLER, undefined],
  ["::1", "::1", CALLER, CALLER],
  ["127.0.0.1", "::ffff:127.0.0.1", CALLER, CALLER],
])("TRUST_PROXY %s, peer %p, X-Forwarded-For %p: %p", (trust, peer, forwarded, expected) => {
  const request = new Request("http://localhost", { headers: { "x-forwarded-for": forwarded } });
  expect(clientAddress(request, peer, parseTrustProxy(trust))).toBe(expected);
});
