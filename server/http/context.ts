// What is known of a request beside itself, from its arrival to its answer.

export interface RequestContext {
  /** Milliseconds of `performance.now()`. */
  readonly began: number;
  /** RequestKey: the caller's own X-Request-Id if it is sane, else a new one. */
  readonly key: string;
  /** Where it comes from: an IPv4 or IPv6 address without a zone. Undefined if that is not known. */
  address?: string;
  /** W3C Trace Context, of the request's own span. */
  traceParent?: string;
  /** Who asks, once that is known. */
  client?: { tenantId: string; clientId: string };
  /** The answer's headers, for what something deeper than the route has to say. */
  headers: Record<string, string | number>;
  /** Of an answer that the route did not give itself. */
  status?: number;
  /** Its body was read, and broke off. */
  isCutOff?: boolean;
}

const SANE_KEY = /^[A-Za-z0-9._:-]{1,100}$/;

const contexts = new WeakMap<Request, RequestContext>();

/** The same for a request's whole life. */
export function contextOf(request: Request): RequestContext {
  let context = contexts.get(request);
  if (context === undefined) {
    const offered = request.headers.get("x-request-id");
    const key = offered !== null && SANE_KEY.test(offered) ? offered : Bun.randomUUIDv7();
    context = { began: performance.now(), key, headers: {} };
    contexts.set(request, context);
  }
  return context;
}
