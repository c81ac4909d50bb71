// Checks of a URL before look-up.

import { readUrl } from "../address.ts";
import {
  type Address,
  contains,
  embeddedIPv4,
  isPublic,
  isTranslated,
  parseAddress,
  parseRange,
  type Range,
  rangeOf,
} from "./addresses.ts";

/** https://fetch.spec.whatwg.org/#port-blocking: ports of protocols that HTTP requests could attack. */
const BLOCKED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** URL parsing silently drops or changes some characters, so a user or a policy would read a different host. */
const PLAIN = /^https:\/\/[^\s\\/@?#]+([/?#]|$)/i;
const CONTROL = /\p{Cc}/u;

/** The message for a denied host; it does not reveal the entry. */
export const DENIED = "may not be reached: it is a cloud metadata service or in EGRESS_DENY";

export const UNREADABLE = "The URL cannot be read; write it in full, such as https://example.com/path.";

export interface Rules {
  allow: AllowList;
  deny: DenyList;
  setting: "EGRESS_ALLOW" | "EGRESS_ALLOW_STRANGERS";
}

/** Why a URL is rejected, as a sentence that repeats only the host; undefined if it is allowed. */
export function reasonAgainstUrl(text: string, rules: Rules): string | undefined {
  const url = readUrl(text);
  if (!url) return UNREADABLE;
  if (url.protocol !== "https:") return "The URL must start with https://.";
  if (url.username || url.password) return "The URL must not contain a user name or password.";
  if (!PLAIN.test(text) || CONTROL.test(text)) {
    return "The URL must start with https:// and its host, without control characters, \\ or @ in the host.";
  }
  if (url.port && BLOCKED_PORTS.has(Number(url.port))) {
    return `The URL's port ${url.port} belongs to another protocol and cannot be used.`;
  }
  return reasonAgainstHost(url, rules);
}

/** The same for a host and its port of any protocol. */
export function reasonAgainstHost(url: URL, rules: Rules): string | undefined {
  if (rules.deny.namesHost(url)) return `The URL's host ${url.hostname} ${DENIED}.`;
  return reasonAgainstLiteral(url, rules);
}

/** URL normalizes decimal, hex, octal and short forms to dotted quads. */
function reasonAgainstLiteral(url: URL, { allow, deny, setting }: Rules): string | undefined {
  const address = parseAddress(url.hostname);
  if (address && deny.covers(address)) return `The URL's host ${url.hostname} ${DENIED}.`;
  if (!address || allow.namesHost(url) || allow.permits(address)) return undefined;
  return (
    `The URL's host ${url.hostname} is not an address of the public internet (${rangeOf(address)}); ` +
    `an operator can allow it by adding ${hostAndPort(url)} to ${setting}.`
  );
}

// EGRESS_ALLOW: private addresses that requests may use.

/** Not a destination: it results from other prefix lengths of a translator, and from :: and ::1. */
const NOWHERE = parseRange("0.0.0.0/8")!;

export interface AllowList {
  /** True if an entry has this URL's host and port; the name may then resolve to any address. */
  namesHost(url: URL): boolean;
  /**
   * True if the address is public or in an entry's range, and so is every embedded address. For a tunnel or translator,
   * both ends must be allowed.
   */
  permits(address: Address): boolean;
}

/**
 * @param entries `localhost:8443`, `127.0.0.1:8443`, `[::1]:8443` (a URL's host and port), `10.0.0.0/8`, or an address
 * @throws Error naming every invalid entry
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
      `EGRESS_ALLOW contains ${bad.map((entry) => `"${entry}"`).join(", ")}; each entry must be a host with its port ` +
        "(localhost:8443, [::1]:8443) or a range (10.0.0.0/8, fd00::/8)",
    );
  }
  const permits = (address: Address): boolean => {
    const embedded = embeddedIPv4(address).filter((four) => !contains(NOWHERE, four));
    const isReached = isTranslated(address)
      ? embedded.length > 0
      : isPublic(address) || ranges.some((range) => contains(range, address));
    return isReached && embedded.every(permits);
  };
  return { namesHost: (url) => hosts.has(hostAndPort(url)), permits };
}

/** The normal form for comparing URLs and entries: with port, without the root's trailing dot. */
export function hostAndPort(url: URL): string {
  return `${url.hostname.replace(/\.$/, "")}:${url.port || "443"}`;
}

function parseHostAndPort(entry: string): string | undefined {
  const url = /^[^/?#@\\\s]+:\d{1,5}$/.test(entry) ? readUrl(`https://${entry}`) : undefined;
  return url && hostAndPort(url);
}

// Destinations that are always denied: metadata services of clouds, and EGRESS_DENY.

/** Addresses and names that provide a machine's credentials and management. Some are public. */
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

/** A valid host name that is not an address in a different notation. */
const NAME = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/;

export interface DenyList {
  /** True if an entry is this URL's host or a parent domain. */
  namesHost(url: URL): boolean;
  /** True if the address or one embedded in it is in an entry's range. */
  covers(address: Address): boolean;
}

/**
 * @param entries `10.0.0.0/8`, an address, or a host name, which includes its subdomains
 * @throws Error naming every invalid entry
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
      `EGRESS_DENY contains ${bad.map((entry) => `"${entry}"`).join(", ")}; each entry must be a range (10.0.0.0/8), ` +
        "an address or a host name",
    );
  }
  const covers = (address: Address) => ranges.some((range) => contains(range, address));
  return {
    namesHost({ hostname }) {
      const host = hostname.replace(/\.$/, "");
      return names.some((name) => host === name || host.endsWith(`.${name}`));
    },
    covers(address) {
      return covers(address) || embeddedIPv4(address).some(covers);
    },
  };
}

function parseName(entry: string): string | undefined {
  const { hostname = "" } = readUrl(`https://${entry}`) ?? {};
  const isName = NAME.test(hostname) && hostname === entry.toLowerCase() && !parseAddress(hostname);
  return isName ? hostname : undefined;
}
