// CORS rules (the Fetch standard). Endpoints open to other origins never read cookies, so credentials are never
// allowed.

/** Seconds for which browsers may cache a preflight. */
const PREFLIGHT_MAX_AGE = 3_600;

/** Request headers beyond the CORS-safelisted ones. */
const SENT = [
  "Authorization",
  "Content-Type",
  "DPoP",
  "If-Match",
  "If-None-Match",
  "X-Request-Id",
  // Libraries add these automatically: MCP to discovery, and OpenTelemetry to every request (W3C Trace Context).
  "MCP-Protocol-Version",
  "traceparent",
  "tracestate",
  "baggage",
];

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

/** Allows pages of an origin to read a response; `*` means all. */
export function openTo(origin: string, response: Response): Response {
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", READ.join(", "));
  return response;
}

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
