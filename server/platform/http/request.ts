// Parsing of a request before routing: method, path and headers.

import { readUrl, urlOf } from "../address.ts";
import { BadInput, MethodNotAllowed } from "../errors.ts";

/** HEAD is allowed wherever GET is (RFC 9110 9.1); the server omits its body. @throws MethodNotAllowed */
export function requireMethod(request: Request, ...methods: string[]): void {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  if (!allowed.includes(request.method)) throw new MethodNotAllowed(allowed);
}

/** GET or HEAD, which are safe methods (RFC 9110 9.2.1). */
export function isRead(request: Request): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

/** RFC 9112 3.2, RFC 3986 3.2.2: a name, an address or nothing, with an optional port and without a user. */
const HOST = /^(\[[0-9a-f:.]+\]|[\w.~!$&'()*+;=%-]*)(:\d{0,5})?$/i;

const SCHEME_AND_AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

const urls = new WeakMap<Request, { of: string; url: URL }>();

/**
 * A request's path and query, parsed once; callers do not change it. The authority comes from the caller's Host header,
 * which may be missing or invalid, so it is not parsed.
 */
export function requestUrl(request: Request): URL {
  const of = request.url;
  const known = urls.get(request);
  if (known?.of === of) return known.url;
  const target = of.replace(SCHEME_AND_AUTHORITY, "");
  const url = new URL(`http://localhost${target.startsWith("/") ? target : `/${target}`}`);
  urls.set(request, { of, url });
  return url;
}

/**
 * Normalizes the request's address. The router assumes a host of at least four letters before the path; otherwise it
 * could match a different path than a proxy in front.
 * @param spell converts a path to the routes' spelling
 */
export function withPlainUrl(request: Request, spell: (path: string) => string): Request {
  const asked = requestUrl(request);
  const path = spell(asked.pathname);
  let { href } = asked;
  if (path !== asked.pathname) {
    const url = new URL(href);
    url.pathname = path;
    href = url.href;
  }
  // A copied request would lose its sender's address.
  if (href !== request.url) Object.defineProperty(request, "url", { value: href });
  if (path === asked.pathname) urls.set(request, { of: href, url: asked });
  return request;
}

/** RFC 9112 3.2: repeated or invalid Host headers are rejected. HTTP/1.0 needs none. @throws BadInput */
export function requireHost(request: Request): void {
  const host = request.headers.get("host");
  if (host !== null && !HOST.test(host)) throw new BadInput("Send one Host header, with a host name or an address.");
}

/** The names of this machine itself, as `URL` writes them. */
export const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Whether a browser on this machine opens a page by another name than PUBLIC_URL's, such as 127.0.0.1 for localhost.
 * Its cookies would be missing at PUBLIC_URL. Other names are not compared, because a proxy may replace Host.
 */
export function hasOtherLocalName(request: Request, origin: string): boolean {
  const own = urlOf(origin);
  const asked = readUrl(`${own.protocol}//${request.headers.get("host")}`);
  // Scripts and API clients do not navigate.
  const isNavigation = isRead(request) && request.headers.get("sec-fetch-mode") === "navigate";
  if (!isNavigation || !asked || !LOOPBACK.test(own.hostname) || !LOOPBACK.test(asked.hostname)) return false;
  return own.hostname !== asked.hostname && own.port === asked.port;
}

/** The maximum number of characters of a path to return to, because requests that carry it are limited, too. */
const NEXT_LIMIT = 3_000;

/** @param text untrusted @returns its path and query, if it is a page at or below the root */
export function pageBelow(root: string, text: string | null): string | undefined {
  const isBelow = (path: string) => path === root || path.startsWith(`${root}/`);
  if (text === null || text.length > NEXT_LIMIT || !isBelow(text.split("?", 1)[0]!)) return undefined;
  const { pathname, search } = new URL(text, "http://localhost");
  const path = pathname + search;
  // URL encoding can make it longer.
  return isBelow(pathname) && path.length <= NEXT_LIMIT ? path : undefined;
}

/** The path of the entity API (docs/behaviour.md "Versions"). */
export const API_PATH = "/Endpoint/rest/api/v1";

// Clients spell these paths differently (/oauth/authorize, /oAuth/Authorize), so they match in any case. Parameters
// keep their case.

interface Node {
  /** The following nodes, by the word in lower case. */
  words: Map<string, Node>;
  /** Any text, such as `:id`. */
  parameter: Node | undefined;
  /** The path so far in its canonical spelling; undefined is a parameter. */
  spelling: (string | undefined)[];
  /** A path ends here or continues with any text. */
  isPath: boolean;
}

/** Case-sensitive, and may contain slashes. */
const BASE64 = /^base64(\||%7c)/i;

/** @returns a function that converts a path to the spelling of these; others are unchanged */
export function createSpelling(paths: readonly string[]): (path: string) => string {
  const root: Node = { words: new Map(), parameter: undefined, spelling: [], isPath: false };
  for (const path of paths) addPath(root, path);

  return (path) => {
    const segments = path.split("/");
    let node: Node | undefined = root;
    let last = root;
    for (const segment of segments) {
      node = node.words.get(segment.toLowerCase()) ?? (BASE64.test(segment) ? undefined : node.parameter);
      if (!node) break;
      if (node.isPath) last = node;
    }
    return segments.map((segment, index) => last.spelling[index] ?? segment).join("/");
  };
}

/** A wildcard's text is unchanged. */
function addPath(root: Node, path: string): void {
  let node = root;
  let spelling: Node["spelling"] = [];
  for (const segment of path.split("/").filter((part) => part !== "*")) {
    const isWord = !segment.startsWith(":");
    spelling = [...spelling, isWord ? segment : undefined];
    const known = isWord ? node.words.get(segment.toLowerCase()) : node.parameter;
    const next = known ?? { words: new Map(), parameter: undefined, spelling, isPath: false };
    if (isWord) node.words.set(segment.toLowerCase(), next);
    else node.parameter = next;
    node = next;
  }
  node.isPath = true;
}

/** Whether the client prefers a page to JSON: browsers accept text/html, API clients do not (RFC 9110 12.5.1). */
export function prefersPage(request: Request): boolean {
  const weight = acceptedTypes(request);
  return weight("text/html") > weight("application/json");
}

/** The weight of a media type in Accept (RFC 9110 12.4.2); 0: not listed or not acceptable. */
export function acceptedTypes(request: Request): (type: string) => number {
  const weights = new Map(
    (request.headers.get("accept") ?? "").split(",").map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [type, q === undefined ? 1 : Number(q) || 0];
    }),
  );
  return (type) => weights.get(type) ?? 0;
}

/**
 * Whether the browser confirms that our own page sent the form, which other sites cannot fake. Origin does not help,
 * because our pages send no referrer. Unknown for browsers without this header.
 */
export function isOwnForm(request: Request): boolean {
  return request.method === "POST" && request.headers.get("sec-fetch-site") === "same-origin";
}

/**
 * The same, or unknown. Enough to keep typed input and ask for confirmation, but not to execute the form. A browser
 * without Sec-Fetch-Site sends the Origin of another site, or "null" for pages without a referrer, as ours.
 */
export function mayBeOwnForm(request: Request): boolean {
  if (request.headers.has("sec-fetch-site")) return isOwnForm(request);
  const origin = request.headers.get("origin") ?? "null";
  const isOwn = origin === "null" || readUrl(origin)?.host === request.headers.get("host")?.toLowerCase();
  return request.method === "POST" && isOwn;
}

/** The maximum number of characters that are stored. */
const USER_AGENT_LIMIT = 300;

/** The start of User-Agent (RFC 9110 10.1.5); "" if absent. */
export function userAgentOf(request: Request): string {
  return (request.headers.get("user-agent") ?? "").slice(0, USER_AGENT_LIMIT);
}
