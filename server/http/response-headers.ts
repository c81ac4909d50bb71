// Headers that something deeper than the route has to say, whatever the answer will be.

type Headers = Record<string, string | number>;

const headersOf = new WeakMap<Request, Headers>();

/** @param headers the framework's own, which end in the answer */
export function noteResponseHeaders(request: Request, headers: Headers): void {
  headersOf.set(request, headers);
}

export function addResponseHeaders(request: Request, more: Headers): void {
  Object.assign(headersOf.get(request) ?? {}, more);
}
