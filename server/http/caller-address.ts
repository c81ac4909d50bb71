import ipaddr from "ipaddr.js";

/** A network's customer has a whole /64 of IPv6 to choose from. */
const IPV6_PREFIX = 64;

/**
 * Where a request comes from, one word for each party: an IPv4 address or an IPv6 /64.
 * @param peer the connection's other end
 * @param trustProxy take what the proxy in front of us appended to X-Forwarded-For (TRUST_PROXY)
 */
export function callerAddress(request: Request, peer: string | undefined, trustProxy: boolean): string {
  const forwarded = trustProxy ? request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  const text = forwarded || peer;
  if (!text || !ipaddr.isValid(text)) return "unknown";
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX}`);
  return `${network.toString()}/${IPV6_PREFIX}`;
}
