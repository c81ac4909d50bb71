// An address that somebody else gave us is used as it is written: one that is signed breaks when a parser writes it anew.

/** Adds parameters to its query, before its fragment. */
export function extendAddress(address: string, parameters: Record<string, string> | [string, string][]): string {
  const [, before = "", fragment = ""] = /^([^#]*)(.*)$/s.exec(address) ?? [];
  const separator = !before.includes("?") ? "?" : /^[^?]*\?(.*&)?$/s.test(before) ? "" : "&";
  return `${before}${separator}${new URLSearchParams(parameters)}${fragment}`;
}

/** What no header and no request line can hold; a lone half of a surrogate pair is encoded as U+FFFD, as URL does it. */
const UNSENDABLE = /[^\x21-\x7e]+/g;

/** As extendAddress, but it can stand in a header. */
export function encodeUnsendable(address: string): string {
  return address.replace(UNSENDABLE, (text) => encodeURIComponent(text.toWellFormed()));
}

/** RFC 9112 3.2.1: the path and the query of an http address. */
export function requestTarget(address: string): string {
  const [, target] = /^[a-z]+:\/\/[^/?#\\]*([^#]*)/i.exec(address.trim()) ?? [];
  // URL reads some spellings, such as https:host/path, that have no such parts.
  const { pathname, search } = target === undefined ? new URL(address) : { pathname: target, search: "" };
  const sent = encodeUnsendable(pathname + search);
  return sent.startsWith("/") ? sent : `/${sent}`;
}
