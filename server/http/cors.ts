// What pages of other origins may send and read (the Fetch standard's CORS protocol). No endpoint that is open to them
// reads a cookie, so credentials are never allowed.

/** Seconds a browser may remember a preflight. */
const PREFLIGHT_MAX_AGE = 3_600;

/** Headers of a request, beside those that every page may send. */
const SENT = [
  "Authorization",
  "Content-Type",
  "DPoP",
  "If-Match",
  "If-None-Match",
  "X-Request-Id",
  // Libraries add them by themselves: of MCP to what it discovers, and of OpenTelemetry to every request (W3C Trace Context).
  "MCP-Protocol-Version",
  "traceparent",
  "tracestate",
  "baggage",
];

/** Headers of an answer, beside those that every page may read. */
const READ = [
  "Allow",
  "DPoP-Nonce",
  "ETag",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
];

/** Lets the pages of an origin read a response; `*` stands for all. */
export function openTo(origin: string, response: Response): Response {
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", READ.join(", "));
  return response;
}

/** The answer to a browser that asks whether it may send a page's request. */
export function preflight(origin: string, methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": SENT.join(", "),
      "access-control-max-age": String(PREFLIGHT_MAX_AGE),
    },
  });
}
