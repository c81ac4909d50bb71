// What counts as an address of the public internet. Pure: no look-up, no configuration.

import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

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
