// Endpoints that applications in a browser call from other origins (the Fetch standard's CORS protocol). None of them
// reads a cookie, so any origin may.

/** Seconds a browser may remember a preflight. */
const PREFLIGHT_MAX_AGE = 3_600;

/** Lets any origin read a response. */
export function openToBrowsers(response: Response): Response {
  response.headers.set("access-control-allow-origin", "*");
  response.headers.set("access-control-expose-headers", "WWW-Authenticate, X-Request-Id");
  return response;
}

/** The answer to an OPTIONS request. */
export function preflight(...methods: string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": "Authorization, Content-Type",
      "access-control-max-age": String(PREFLIGHT_MAX_AGE),
    },
  });
}
