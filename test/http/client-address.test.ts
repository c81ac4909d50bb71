// Who a proxy says it saw: one plain address, or nobody.

import { expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { clientAddress, clientNetwork, contextOf, UNKNOWN_ADDRESS } from "../../server/http/context.ts";

const PROXY = "10.0.0.1";

function noted(forwarded: string | undefined): Request {
  const request = new Request("http://localhost");
  if (forwarded !== undefined) request.headers.set("x-forwarded-for", forwarded);
  contextOf(request).address = clientAddress(request, PROXY, true);
  return request;
}

const addresses = fc.oneof(fc.ipV4(), fc.ipV6());
const bracketed = fc.ipV6().map((address) => `[${address}]`);
const withPort = fc
  .tuple(fc.oneof(fc.ipV4(), bracketed), fc.nat(65_535))
  .map(([address, port]) => `${address}:${port}`);
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
const entries = fc.oneof(addresses, bracketed, withPort, zoned, words);

test("the last entry is the caller's address if it is a plain one", () => {
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 3 }), addresses, (before, last) => {
      const request = noted([...before, last].join(", "));
      expect(contextOf(request).address).toBe(ipaddr.process(last).toString());
    }),
  );
});

test("any other last entry gives no address, neither the proxy's nor one before it", () => {
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 3 }), fc.oneof(bracketed, withPort, zoned, words), (before, last) => {
      const request = noted([...before, last].join(","));
      expect(contextOf(request).address).toBeUndefined();
      expect(clientNetwork(request)).toBe(UNKNOWN_ADDRESS);
    }),
  );
});

test("whatever the header holds, its sender is never taken for the proxy", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789abcdef.:[],% x") }), (header) => {
      fc.pre(!header.includes(PROXY));
      const last = header.split(",").at(-1)!.trim();
      const known = contextOf(noted(header)).address;
      if (known === undefined) expect(clientNetwork(noted(header))).toBe(UNKNOWN_ADDRESS);
      else expect(ipaddr.process(last).toString()).toBe(known);
    }),
  );
  expect(contextOf(noted(undefined)).address).toBeUndefined();
});
