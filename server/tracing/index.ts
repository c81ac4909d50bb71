export { createRequestSpans } from "./request-spans.ts";
export { createTracing, type TraceSpan, type Tracing, withoutCollector } from "./tracing.ts";
