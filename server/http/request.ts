// A request as it comes, before it has a route: its method, its path, and what its headers tell of who asks.

import { BadInput, MethodNotAllowed } from "../errors.ts";

/**
 * HEAD is allowed wherever GET is (RFC 9110 9.1); the server leaves its body out.
 * @throws MethodNotAllowed, whose Allow names what would be right
 */
export function requireMethod(request: Request, ...methods: string[]): void {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  if (!allowed.includes(request.method)) throw new MethodNotAllowed(allowed);
}

/** GET or HEAD, which change nothing (RFC 9110 9.2.1). */
export function isRead(request: Request): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

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

/** Where the entity API stands (docs/behaviour.md "Versions"). */
export const API_PATH = "/Endpoint/rest/api/v1";

// Clients write these paths in more than one way (/oauth/authorize, /oAuth/Authorize), so they are taken in any
// letter case. What stands for a record keeps its own.

interface Node {
  /** By their lower case. */
  words: Map<string, Node>;
  /** Any text, as `:id` has it. */
  parameter: Node | undefined;
  /** The path so far as it is written here; undefined stands for a parameter's text. */
  spelling: (string | undefined)[];
  /** A path ends here, or goes on with any text. */
  isPath: boolean;
}

/** It tells upper from lower case, and may have a slash. */
const BASE64 = /^base64(\||%7c)/i;

/** @returns a function that spells a path as one of these is written; others stay as they are */
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

/** A wildcard's text stays as it is: nothing below it is a word. */
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

/** Whether who asks would rather have a page than JSON: browsers name text/html, API clients do not (RFC 9110 12.5.1). */
export function prefersPage(request: Request): boolean {
  const weight = acceptedTypes(request);
  return weight("text/html") > weight("application/json");
}

/** How much the header Accept wants a media type that it names (RFC 9110 12.4.2); 0: not at all, or it does not. */
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
 * Whether the browser itself says that one of our pages sent a form; no other site can make it say so. Origin does not
 * tell, for our pages send no referrer. Of a browser that says nothing it is not known.
 */
export function isOwnForm(request: Request): boolean {
  return request.method === "POST" && request.headers.get("sec-fetch-site") === "same-origin";
}

/**
 * The same, or a browser says nothing of it: enough to keep what was typed and to ask whether it is to be sent, never to
 * do what the form says.
 */
export function mayBeOwnForm(request: Request): boolean {
  return request.method === "POST" && ["same-origin", null].includes(request.headers.get("sec-fetch-site"));
}

/** Characters kept of what a caller calls itself. */
const USER_AGENT_LIMIT = 300;

/** The head of User-Agent (RFC 9110 10.1.5); "" without one. */
export function userAgentOf(request: Request): string {
  return (request.headers.get("user-agent") ?? "").slice(0, USER_AGENT_LIMIT);
}
