export { createRequestSpans, createTracing, type TraceSpan, type Tracing, withoutCollector } from "./tracing.ts";
