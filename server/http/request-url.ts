import { BadInput } from "../errors.ts";

/** RFC 9112 3.2, RFC 3986 3.2.2: a name, an address or nothing, without a user, and perhaps a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[\w.~!$&'()*+;=%-]*)(:\d{0,5})?$/i;

const SCHEME_AND_AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * A request's path and query. Its authority is the caller's Host header, which may be missing or no host at all, so it
 * is never parsed.
 */
export function requestUrl(request: Request): URL {
  const target = request.url.replace(SCHEME_AND_AUTHORITY, "");
  return new URL(`http://localhost${target.startsWith("/") ? target : `/${target}`}`);
}

/**
 * Gives the request an address of one form. The router takes for granted that a host of four letters or more stands
 * before the path, and else finds another path in it than a proxy does that has looked at the same request.
 * @param spell writes a path as the routes have it
 */
export function withPlainUrl(request: Request, spell: (path: string) => string): Request {
  const url = requestUrl(request);
  const path = spell(url.pathname);
  if (path !== url.pathname) url.pathname = path;
  // A copy of the request would have lost its sender's address.
  if (url.href !== request.url) Object.defineProperty(request, "url", { value: url.href });
  return request;
}

/**
 * RFC 9112 3.2: several Host headers, and one that is no host, are refused. HTTP/1.0 needs none.
 * @throws BadInput
 */
export function requireHost(request: Request): void {
  const host = request.headers.get("host");
  if (host !== null && !HOST.test(host)) throw new BadInput("Send one Host header, with a host name or an address.");
}
