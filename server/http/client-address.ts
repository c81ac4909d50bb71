// Where a request comes from.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { contextOf } from "./context.ts";

/** Stands for a network that is not known, in counts and in logs. */
export const UNKNOWN_ADDRESS = "unknown";

/** A network's customer has a whole /64 of IPv6 to choose from. */
const IPV6_PREFIX = 64;

/**
 * An IPv4 or IPv6 address without a zone. Undefined if it is not known: a proxy's own is nobody's.
 * @param peer the other end of the connection
 * @param trustProxy the peer is a proxy of ours, which has added whom it saw to the end of X-Forwarded-For
 */
export function clientAddress(request: Request, peer: string | undefined, trustProxy: boolean): string | undefined {
  return trustProxy ? lastForwarded(request.headers.get("x-forwarded-for")) : plainAddress(peer);
}

/** One word for each party a request can come from: an IPv4 address, an IPv6 /64, or UNKNOWN_ADDRESS. */
export function clientNetwork(request: Request): string {
  const known = contextOf(request).address;
  if (known === undefined) return UNKNOWN_ADDRESS;
  const address = ipaddr.parse(known);
  if (address.kind() === "ipv4") return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX}`);
  return `${network.toString()}/${IPV6_PREFIX}`;
}

/**
 * The last entry of X-Forwarded-For, if it is an address and nothing else. An entry with a port, a zone, in brackets or
 * `unknown` is none, and no entry before it counts, for those are the caller's own words.
 * @example lastForwarded("10.0.0.1, 198.51.100.7") // "198.51.100.7"
 */
function lastForwarded(header: string | null): string | undefined {
  const last = header?.split(",").at(-1)?.trim();
  return last?.includes("%") ? undefined : plainAddress(last);
}

/** IPv4 inside IPv6 is that IPv4 address. */
function plainAddress(text: string | undefined): string | undefined {
  // Not ipaddr.isValid: it takes 127.1 and 010.0.0.1, which others read otherwise.
  if (text === undefined || isIP(text) === 0) return undefined;
  return ipaddr.process(text.replace(/%.*$/, "")).toString();
}
