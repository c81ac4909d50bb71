import { urlOf } from "../address.ts";
// External addresses are used unchanged, because re-encoding could invalidate a signature in them.

/** Adds query parameters before the fragment. */
export function extendAddress(address: string, parameters: Record<string, string> | [string, string][]): string {
  const [, before = "", fragment = ""] = /^([^#]*)(.*)$/s.exec(address) ?? [];
  const separator = !before.includes("?") ? "?" : /^[^?]*\?(.*&)?$/s.test(before) ? "" : "&";
  return `${before}${separator}${new URLSearchParams(parameters)}${fragment}`;
}

/** Characters that are invalid in headers and request lines. A lone surrogate is encoded as U+FFFD, as URL does. */
const UNSENDABLE = /[^\x21-\x7e]+/g;

export function encodeUnsendable(address: string): string {
  return address.replace(UNSENDABLE, (text) => encodeURIComponent(text.toWellFormed()));
}

/** RFC 9112 3.2.1: the path and query of an http address. */
export function requestTarget(address: string): string {
  const [, target] = /^[a-z]+:\/\/[^/?#\\]*([^#]*)/i.exec(address.trim()) ?? [];
  // URL also accepts spellings without these parts, such as https:host/path.
  const { pathname, search } = target === undefined ? urlOf(address) : { pathname: target, search: "" };
  const sent = encodeUnsendable(pathname + search);
  return sent.startsWith("/") ? sent : `/${sent}`;
}
