export type { TraceSpan, Tracing } from "./span.ts";
export { createRequestSpans, createTracing, withoutCollector } from "./tracing.ts";
