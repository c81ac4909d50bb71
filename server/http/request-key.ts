const SANE_KEY = /^[A-Za-z0-9._:-]{1,100}$/;
const keys = new WeakMap<Request, string>();

/** SPEC.md's RequestKey: the caller's own X-Request-Id if it is sane, else a new one; the same for a request's whole life. */
export function requestKey(request: Request): string {
  let key = keys.get(request);
  if (key === undefined) {
    const offered = request.headers.get("x-request-id");
    key = offered !== null && SANE_KEY.test(offered) ? offered : Bun.randomUUIDv7();
    keys.set(request, key);
  }
  return key;
}
