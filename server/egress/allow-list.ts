// EGRESS_ALLOW: the private addresses an operator lets requests go to.

import { type Address, parseRange, type Range } from "./addresses.ts";

export interface AllowList {
  /** True if an entry names this URL's host and port; it may then resolve to any address. */
  namesHost(url: URL): boolean;
  /** True if the address lies in an entry's range. */
  covers(address: Address): boolean;
}

/**
 * @param entries `localhost:8443`, `127.0.0.1:8443`, `[::1]:8443` (the URL's host and port), `10.0.0.0/8`, or an
 *   address alone.
 * @throws Error naming every entry that is none of these.
 * @example parseAllowList(["localhost:8443", "10.0.0.0/8"]).namesHost(new URL("https://localhost:8443/hook")); // true
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const ranges: Range[] = [];
  const bad: string[] = [];
  for (const entry of entries) {
    const range = parseRange(entry);
    const host = range ? undefined : parseHostAndPort(entry);
    if (range) ranges.push(range);
    else if (host) hosts.add(host);
    else bad.push(entry);
  }
  if (bad.length > 0) {
    throw new Error(
      `EGRESS_ALLOW has ${bad.map((entry) => `"${entry}"`).join(", ")}; each entry must be a host with its port ` +
        "(localhost:8443, [::1]:8443) or a range (10.0.0.0/8, fd00::/8)",
    );
  }
  return {
    namesHost: (url) => hosts.has(hostAndPort(url)),
    covers: (address) => ranges.some((range) => range[0].kind() === address.kind() && address.match(range)),
  };
}

/** The form in which a URL and an entry are compared: always with a port, without the root's trailing dot. */
export function hostAndPort(url: URL): string {
  return `${url.hostname.replace(/\.$/, "")}:${url.port || "443"}`;
}

function parseHostAndPort(entry: string): string | undefined {
  if (!/^[^/?#@\\\s]+:\d{1,5}$/.test(entry) || !URL.canParse(`https://${entry}`)) return undefined;
  return hostAndPort(new URL(`https://${entry}`));
}
