// Where a request comes from.

import ipaddr from "ipaddr.js";

/** Of no network: what a policy asks of an address, this one does not have. */
const UNKNOWN = "::";

/** A network's customer has a whole /64 of IPv6 to choose from. */
const IPV6_PREFIX = 64;

const addresses = new WeakMap<Request, string>();

/**
 * Notes a request's address as soon as it is here.
 * @param peer the other end of the connection
 * @param trustProxy the peer is a proxy of ours, which has added whom it saw to the end of X-Forwarded-For
 */
export function noteClientAddress(request: Request, peer: string | undefined, trustProxy: boolean): void {
  const forwarded = trustProxy ? request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  addresses.set(request, plainAddress(forwarded) ?? plainAddress(peer) ?? UNKNOWN);
}

/** An IPv4 or IPv6 address without a zone or a port; `::` if it is not known. */
export function clientAddress(request: Request): string {
  return addresses.get(request) ?? UNKNOWN;
}

/** One word for each party a request can come from: an IPv4 address or an IPv6 /64. */
export function clientNetwork(request: Request): string {
  const address = ipaddr.parse(clientAddress(request));
  if (address.kind() === "ipv4") return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX}`);
  return `${network.toString()}/${IPV6_PREFIX}`;
}

/** IPv4 inside IPv6 is that IPv4 address. */
function plainAddress(text: string | undefined): string | undefined {
  const bare = text?.replace(/%.*$/, "");
  return bare && ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : undefined;
}
