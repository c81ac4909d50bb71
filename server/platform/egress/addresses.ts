// Classification of public internet addresses. Pure: no look-up, no configuration.

import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { urlOf } from "../address.ts";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/** All of today's public IPv6. ipaddr.js reports forms outside it, such as ::127.0.0.1, as unicast. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Parses an address as resolvers and URL.hostname write it, including brackets. IPv4-mapped IPv6 becomes IPv4.
 * Undefined for anything else, including addresses with a zone, which are never public.
 */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (isIPv4(bare)) return ipaddr.IPv4.parse(bare);
  if (!isIPv6(bare) || bare.includes("%")) return undefined;
  // URL normalizes first, because ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4.
  const address = ipaddr.IPv6.parse(urlOf(`https://[${bare}]`).hostname.slice(1, -1));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * The name of an address's range; `unicast` is the public internet. Tunnels (6to4, Teredo) and translators (NAT64) have
 * their own ranges, independent of the embedded IPv4 address.
 */
export function rangeOf(address: Address): string {
  const range = address.range();
  if (range !== "unicast" || address.kind() === "ipv4" || address.match(GLOBAL_UNICAST)) return range;
  return "reserved";
}

export function isPublic(address: Address): boolean {
  return rangeOf(address) === "unicast";
}

/** Parses `10.0.0.0/8` or a single address; undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  if (!text.includes("/")) {
    const address = parseAddress(text);
    return address && [address, address.kind() === "ipv4" ? 32 : 128];
  }
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return ipaddr.IPv4.parseCIDR(text);
  const bare = text.replace(/^\[(.*)\]\//, "$1/");
  if (!ipaddr.IPv6.isValidCIDR(bare)) return undefined;
  const range = ipaddr.IPv6.parseCIDR(bare);
  // Mapped addresses are checked as IPv4, so a range of them would match nothing.
  return range[0].isIPv4MappedAddress() ? undefined : range;
}

export function contains(range: Range, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}

/** NAT64 (RFC 6052 2.1), and the prefix for local translators (RFC 8215). */
const TRANSLATORS = ["64:ff9b::/96", "64:ff9b:1::/48"].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Whether a translator forwards the address to an embedded one. */
export function isTranslated(address: Address): boolean {
  return TRANSLATORS.some((range) => contains(range, address));
}

/** Prefixes of tunnels and translators, with the byte positions of the embedded IPv4 address. */
const EMBEDDINGS: [Range, number[][]][] = [
  // IPv4-compatible (RFC 4291 2.5.5.1), SIIT (RFC 7915), NAT64, 6to4 (RFC 3056), and both ends of Teredo (RFC 4380 4)
  [ipaddr.IPv6.parseCIDR("::/96"), [[12, 13, 14, 15]]],
  [ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), [[12, 13, 14, 15]]],
  [TRANSLATORS[0]!, [[12, 13, 14, 15]]],
  // RFC 6052 2.2: the translator's prefix length is unknown.
  [
    TRANSLATORS[1]!,
    [
      [6, 7, 9, 10],
      [7, 9, 10, 11],
      [9, 10, 11, 12],
      [12, 13, 14, 15],
    ],
  ],
  [ipaddr.IPv6.parseCIDR("2002::/16"), [[2, 3, 4, 5]]],
  [ipaddr.IPv6.parseCIDR("2001::/32"), [[4, 5, 6, 7]]],
];
const TEREDO = ipaddr.IPv6.parseCIDR("2001::/32");
/** RFC 5214 6.1: any prefix. */
const ISATAP = /^0[02]005efe$/;
/** IPv4 addresses that a gateway might extract from an address. */
export function embeddedIPv4(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const bytes = address.toByteArray();
  const places = EMBEDDINGS.filter(([range]) => contains(range, address)).flatMap(([, at]) => at);
  const found = places.map((place) => place.map((at) => bytes[at]!));
  // Teredo stores the client's address with inverted bits.
  if (contains(TEREDO, address)) found.push(bytes.slice(12).map((byte) => byte ^ 0xff));
  if (ISATAP.test(Buffer.from(bytes.slice(8, 12)).toString("hex"))) found.push(bytes.slice(12));
  return found.map((four) => new ipaddr.IPv4(four));
}
