// The rules a URL must keep before anything is looked up.

import { isPublic, parseAddress, rangeOf } from "./addresses.ts";
import { type AllowList, hostAndPort } from "./allow-list.ts";
import type { DenyList } from "./deny-list.ts";

/** https://fetch.spec.whatwg.org/#port-blocking: ports of protocols that an HTTP request could be abused to speak. */
const BLOCKED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** The parser drops and turns some characters silently: a person, or a policy, would read another host than is called. */
const PLAIN = /^https:\/\/[^\s\\/@?#]+([/?#]|$)/i;
const CONTROL = /\p{Cc}/u;

/** What is said of a host that the deny list has; which entry it was is the operator's concern. */
export const DENIED = "may not be reached: it is a cloud's own service, or EGRESS_DENY has it";

/** Where requests may go. */
export interface Rules {
  allow: AllowList;
  deny: DenyList;
}

/** Why this URL cannot be used, as a sentence that repeats no more of it than its host; undefined if it can. */
export function reasonAgainstUrl(text: string, rules: Rules): string | undefined {
  if (!URL.canParse(text)) return "The URL cannot be read; write it in full, such as https://example.com/path.";
  const url = new URL(text);
  if (url.protocol !== "https:") return "The URL must start with https://.";
  if (url.username || url.password) return "The URL must not hold a user name or password before its host.";
  if (!PLAIN.test(text) || CONTROL.test(text)) {
    return "The URL must be written as https:// and its host, without control characters, and without \\ and @ in the host.";
  }
  if (url.port && BLOCKED_PORTS.has(Number(url.port))) {
    return `The URL's port ${url.port} belongs to another protocol and cannot be used.`;
  }
  if (rules.deny.namesHost(url)) return `The URL's host ${url.hostname} ${DENIED}.`;
  return reasonAgainstLiteral(url, rules);
}

/** The parser of URLs has made one notation of all: decimal, hex, octal and short forms arrive here as dotted quads. */
function reasonAgainstLiteral(url: URL, { allow, deny }: Rules): string | undefined {
  const address = parseAddress(url.hostname);
  if (address && deny.covers(address)) return `The URL's host ${url.hostname} ${DENIED}.`;
  if (!address || isPublic(address) || allow.namesHost(url) || allow.covers(address)) return undefined;
  return (
    `The URL's host ${url.hostname} is not an address of the public internet (${rangeOf(address)}); ` +
    `an operator can allow it by adding ${hostAndPort(url)} to EGRESS_ALLOW.`
  );
}
