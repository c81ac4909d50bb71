// The one reader of addresses. The URL standard normalizes a host, which sorts its combining marks in quadratic time, so
// the lengths are checked before.

import { isText } from "./text.ts";

/** Longer redirect URIs, endpoints and the like are invalid. */
export const URL_LIMIT = 4_000;
/** The maximum number of characters of a host as it is written (RFC 1035 2.3.4). */
export const HOST_LIMIT = 253;

/** Parses an absolute address, or one that is relative to a base. */
export function readUrl(text: string, base?: string): URL | undefined {
  if (!isText(text, URL_LIMIT) || hostIn(text).length > HOST_LIMIT) return undefined;
  return URL.parse(text, base) ?? undefined;
}

/** Parses an address that was checked before, such as a stored or configured one. @throws TypeError */
export function urlOf(address: string): URL {
  const url = readUrl(address);
  if (!url) throw new TypeError("The address cannot be read.");
  return url;
}

/** The schemes whose hosts are normalized; other hosts stay as they are. */
const NORMALIZED = ["http", "https", "ws", "wss", "ftp", "file"];

/** The host as URL finds it, in any spelling that URL accepts. */
function hostIn(text: string): string {
  const read = text.replace(/[\t\n\r]/g, "").replace(/^[\0-\x20]+/, "");
  const [, scheme, authority = ""] = /^(?:([a-z][a-z\d+.-]*):)?[\\/]*([^\\/?#]*)/i.exec(read) ?? [];
  if (scheme !== undefined && !NORMALIZED.includes(scheme.toLowerCase())) return "";
  return authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
}
