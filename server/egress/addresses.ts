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
 * The name of the range an address lies in; `unicast` is the public internet. Tunnels (6to4, Teredo) and translators
 * (NAT64) are ranges of their own, whatever IPv4 address they embed.
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
  const bare = text.replace(/^\[(.*)\]\//, "$1/");
  if (!ipaddr.IPv6.isValidCIDR(bare)) return undefined;
  const range = ipaddr.IPv6.parseCIDR(bare);
  // Mapped addresses are judged as IPv4, so a range of them would silently cover nothing.
  return range[0].isIPv4MappedAddress() ? undefined : range;
}

export function contains(range: Range, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}

/** NAT64 (RFC 6052 2.1), and its prefix for a network's own translators (RFC 8215). */
const TRANSLATORS = ["64:ff9b::/96", "64:ff9b:1::/48"].map((range) => ipaddr.IPv6.parseCIDR(range));

/** Whether an address is a translator's, so that what it embeds is what is reached. */
export function isTranslated(address: Address): boolean {
  return TRANSLATORS.some((range) => contains(range, address));
}

/** What tunnels and translators put an IPv4 address into, and the bytes where it may stand there. */
const EMBEDDINGS: [Range, number[][]][] = [
  // IPv4-compatible (RFC 4291 2.5.5.1), SIIT (RFC 7915), NAT64, 6to4 (RFC 3056), and both ends of Teredo (RFC 4380 4)
  [ipaddr.IPv6.parseCIDR("::/96"), [[12, 13, 14, 15]]],
  [ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), [[12, 13, 14, 15]]],
  [TRANSLATORS[0]!, [[12, 13, 14, 15]]],
  // RFC 6052 2.2: which of its prefixes the translator has is not known.
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
/** RFC 5214 6.1: of any prefix. */
const ISATAP = /^0[02]005efe$/;
/** The IPv4 addresses that a gateway might make of an address. */
export function embeddedIPv4(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const bytes = address.toByteArray();
  const places = EMBEDDINGS.filter(([range]) => contains(range, address)).flatMap(([, at]) => at);
  const found = places.map((place) => place.map((at) => bytes[at]!));
  // The client's address stands there with all its bits turned over.
  if (contains(TEREDO, address)) found.push(bytes.slice(12).map((byte) => byte ^ 0xff));
  if (ISATAP.test(Buffer.from(bytes.slice(8, 12)).toString("hex"))) found.push(bytes.slice(12));
  return found.map((four) => new ipaddr.IPv4(four));
}
