/**
 * A request's path and query. Its authority is the caller's Host header, which may be missing or no host at all, so it
 * is never parsed.
 */
export function requestUrl(request: Request): URL {
  const target = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  return new URL(`http://localhost${target.startsWith("/") ? target : `/${target}`}`);
}
