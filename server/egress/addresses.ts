// What counts as an address of the public internet. Pure: no look-up, no configuration.

import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network and the length of its prefix. */
export type Range = [Address, number];

/** All of today's public IPv6. Outside it lie forms such as ::127.0.0.1, which ipaddr.js takes for unicast. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Reads an address as a resolver or URL.hostname writes it, brackets included. An IPv4-mapped IPv6 address becomes
 * the IPv4 address it stands for. Undefined for anything else, and for an address with a zone: it is never public.
 */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (isIPv4(bare)) return ipaddr.IPv4.parse(bare);
  if (!isIPv6(bare) || bare.includes("%")) return undefined;
  // URL writes the canonical form first, because ipaddr.js takes ::1.2.3.4 for ::ffff:1.2.3.4.
  const address = ipaddr.IPv6.parse(new URL(`https://[${bare}]`).hostname.slice(1, -1));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * The name of the range an address lies in; `unicast` is the public internet. The tunnels and translations (6to4,
 * Teredo, NAT64) are ranges of their own, whatever IPv4 address they embed.
 */
export function rangeOf(address: Address): string {
  const range = address.range();
  if (range !== "unicast" || address.kind() === "ipv4" || address.match(GLOBAL_UNICAST)) return range;
  return "reserved";
}

export function isPublic(address: Address): boolean {
  return rangeOf(address) === "unicast";
}

/** Reads `10.0.0.0/8`, or an address alone; undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  if (!text.includes("/")) {
    const address = parseAddress(text);
    return address && [address, address.kind() === "ipv4" ? 32 : 128];
  }
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return ipaddr.IPv4.parseCIDR(text);
  if (!ipaddr.IPv6.isValidCIDR(text)) return undefined;
  const range = ipaddr.IPv6.parseCIDR(text);
  // Mapped addresses are judged as IPv4, so a range of them would silently cover nothing.
  return range[0].isIPv4MappedAddress() ? undefined : range;
}

/** What the tunnels and translations put an IPv4 address into, and at which byte it stands there. */
const EMBEDDINGS: [Range, number][] = [
  // IPv4-compatible (RFC 4291 2.5.5.1), SIIT (RFC 7915), NAT64 (RFC 6052 2.1, RFC 8215), 6to4 (RFC 3056)
  [ipaddr.IPv6.parseCIDR("::/96"), 12],
  [ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), 12],
  [ipaddr.IPv6.parseCIDR("64:ff9b::/96"), 12],
  [ipaddr.IPv6.parseCIDR("64:ff9b:1::/48"), 12],
  [ipaddr.IPv6.parseCIDR("2002::/16"), 2],
];
const TEREDO = ipaddr.IPv6.parseCIDR("2001::/32");

/** The IPv4 addresses that a gateway might make of an IPv6 address. */
export function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const found = EMBEDDINGS.filter(([range]) => address.match(range)).map(([, at]) => bytes.slice(at, at + 4));
  // RFC 4380 4: the client's address stands there with all its bits turned over.
  if (address.match(TEREDO)) found.push(bytes.slice(12).map((byte) => byte ^ 0xff));
  return found.map((four) => new ipaddr.IPv4(four));
}
