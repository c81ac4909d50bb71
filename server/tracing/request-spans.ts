import { contextOf } from "../http/context.ts";
import { type ObservedRequest, PROBES } from "../http/request-log.ts";
import type { TraceSpan, Tracing } from "./tracing.ts";

/** One span a request, in the caller's trace if it has sent a `traceparent`. */
export function createRequestSpans(tracing: Tracing) {
  const spans = new WeakMap<Request, TraceSpan>();
  return {
    begin(request: Request): void {
      const span = tracing.begin("request", "server", request.headers.get("traceparent"));
      spans.set(request, span);
      contextOf(request).traceParent = span.traceParent;
    },
    /** What machines ask all the time is no span. */
    end(request: Request, { method, route, status, tenantId, clientId }: ObservedRequest): void {
      if (PROBES.includes(route ?? "")) return;
      spans.get(request)?.end({
        name: route ? `${method} ${route}` : method,
        attributes: {
          "http.request.method": method,
          "http.route": route,
          "http.response.status_code": status,
          "gatehouse.request_key": contextOf(request).key,
          "gatehouse.tenant_id": tenantId,
          "gatehouse.client_id": clientId,
        },
        problem: status !== undefined && status >= 500 ? String(status) : undefined,
      });
    },
  };
}
