// Where no request goes, whatever EGRESS_ALLOW says: what clouds serve their machines from, and EGRESS_DENY.

import ipaddr from "ipaddr.js";
import { type Address, embeddedIPv4, parseAddress, parseRange, type Range } from "./addresses.ts";

/** Addresses and names by which a machine gets its credentials and is managed. Some are of the public internet. */
const CLOUDS = [
  // Amazon, Google, Microsoft, Oracle, IBM, DigitalOcean and others; then Amazon's for containers.
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "fd00:ec2::/32",
  // Microsoft
  "168.63.129.16",
  // Google
  "fd20:ce::254",
  "metadata.google.internal",
  "metadata.goog",
  // Alibaba
  "100.100.100.200",
  // Oracle
  "192.0.0.192",
  // Tencent
  "169.254.0.23",
  // IBM
  "161.26.0.0/16",
  "166.8.0.0/14",
];

/** A host name as it stands in a URL: none that is an address in another notation. */
const NAME = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/;

export interface DenyList {
  /** True if an entry names this URL's host, or a domain that it is in. */
  namesHost(url: URL): boolean;
  /** True if the address, or one that it translates to, lies in an entry's range. */
  covers(address: Address): boolean;
}

/**
 * @param entries `10.0.0.0/8`, an address alone, or a host name, which stands for all below it as well
 * @throws Error naming every entry that is none of these.
 * @example parseDenyList(["internal.example"]).namesHost(new URL("https://db.internal.example/")); // true
 */
export function parseDenyList(entries: readonly string[]): DenyList {
  const names: string[] = [];
  const ranges: Range[] = [];
  const bad: string[] = [];
  for (const entry of [...CLOUDS, ...entries]) {
    const range = parseRange(entry);
    const name = range ? undefined : parseName(entry);
    if (range) ranges.push(range);
    else if (name) names.push(name);
    else bad.push(entry);
  }
  if (bad.length > 0) {
    throw new Error(
      `EGRESS_DENY has ${bad.map((entry) => `"${entry}"`).join(", ")}; each entry must be a range (10.0.0.0/8), ` +
        "an address or a host name",
    );
  }
  const covers = (address: Address) =>
    ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
  return {
    namesHost({ hostname }) {
      const host = hostname.replace(/\.$/, "");
      return names.some((name) => host === name || host.endsWith(`.${name}`));
    },
    covers(address) {
      return covers(address) || (address instanceof ipaddr.IPv6 && embeddedIPv4(address).some(covers));
    },
  };
}

function parseName(entry: string): string | undefined {
  if (!URL.canParse(`https://${entry}`)) return undefined;
  const { hostname } = new URL(`https://${entry}`);
  const isName = NAME.test(hostname) && hostname === entry.toLowerCase() && !parseAddress(hostname);
  return isName ? hostname : undefined;
}
