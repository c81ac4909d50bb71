// Traces: each request and each webhook attempt is a span, exported if there is a collector. Trace ids always exist,
// for the log, the event and its workflow.

import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { TracingConfig } from "../config/config.ts";
import { contextOf, formatTraceParent, type ObservedRequest, PROBES, parseTraceParent } from "../http/context.ts";
import type { TraceSpan, Tracing } from "./span.ts";

/** OpenTelemetry's SDK takes 0.25 s and 20 MB, so only with a collector. @param part the process's name in the log */
export async function createTracing(config: TracingConfig, part: string, log: Logger): Promise<Tracing> {
  const { endpoint } = config;
  if (endpoint === undefined) return withoutCollector();
  const { createOtlpTracing } = await import("./otlp.ts");
  return createOtlpTracing({ ...config, endpoint }, part, log);
}

export function withoutCollector(): Tracing {
  return {
    begin(_name, _kind, parent) {
      const random = randomBytes(24).toString("hex");
      const traceId = parseTraceParent(parent)?.traceId ?? random.slice(16);
      const spanId = random.slice(0, 16);
      return { traceParent: formatTraceParent({ traceId, spanId, sampled: false }), sampled: false, end() {} };
    },
    stop: () => Promise.resolve(),
  };
}

/** One span per request, in the caller's trace if it sent a `traceparent`. */
export function createRequestSpans(tracing: Tracing) {
  const spans = new WeakMap<Request, TraceSpan>();
  return {
    begin(request: Request): void {
      const span = tracing.begin("request", "server", request.headers.get("traceparent"));
      spans.set(request, span);
      contextOf(request).traceParent = span.traceParent;
    },
    /** Polled paths have no span. */
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
