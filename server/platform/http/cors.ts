// CORS rules (the Fetch standard). Endpoints open to other origins never read cookies, so credentials are never
// allowed.

/** Seconds for which browsers may cache a preflight. */
const PREFLIGHT_MAX_AGE = 3_600;

/** The maximum number of characters of the requested headers. A longer list gets only the headers of this API. */
export const ASKED_HEADERS_LIMIT = 2_000;
/** The headers of this API beyond the CORS-safelisted ones. */
const SENT = ["Authorization", "Content-Type", "DPoP", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id"];

const READ = [
  "Allow",
  "DPoP-Nonce",
  "ETag",
  "Idempotent-Replayed",
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

/**
 * Allows every header that the page asks for, because libraries add their own: X-Requested-With, sentry-trace,
 * Cache-Control. That is safe without credentials.
 */
export function preflight(request: Request, origin: string, methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": askedHeaders(request) ?? SENT.join(", "),
      "access-control-max-age": String(PREFLIGHT_MAX_AGE),
    },
  });
}

/** The headers that a preflight asks for; undefined: none, too long, or not a list of names (RFC 9110 5.1). */
function askedHeaders(request: Request): string | undefined {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const isList =
    asked.length <= ASKED_HEADERS_LIMIT && /^[\w!#$%&'*+.^`|~-]+([ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/.test(asked);
  return isList ? asked : undefined;
}
