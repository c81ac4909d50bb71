// Spans by the OpenTelemetry SDK, exported in batches as OTLP over HTTP.

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { TracingConfig } from "../config/config.ts";
import { formatTraceParent, parseTraceParent } from "../http/context.ts";
import type { Tracing } from "./span.ts";

type Sampling = Pick<TracingConfig, "sampler" | "ratio">;
type SpanExport = TracingConfig & { endpoint: string };

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT };
const SEND_MS = 1_000;
const STOP_MS = 1_000;

/** The operator chooses the collector, which may be private, so egress rules do not apply. */
export function createOtlpTracing({ endpoint, protocol, ...sampling }: SpanExport, part: string, log: Logger): Tracing {
  const ours = resourceFromAttributes({ "service.namespace": "gatehouse", "service.name": `gatehouse-${part}` });
  const Exporter = protocol === "http/json" ? JsonExporter : ProtobufExporter;
  const exporter = tellingFailures(new Exporter({ url: endpoint }), log);
  const provider = new TracerProvider({
    sampler: createSampler(sampling),
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    resource: ours.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_MS })],
  });
  const tracer = provider.getTracer("gatehouse");
  return {
    begin(name, kind, parent) {
      const span = tracer.startSpan(name, { kind: KINDS[kind] }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      const sampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      return {
        traceParent: formatTraceParent({ traceId, spanId, sampled }),
        sampled,
        end({ name: finalName, attributes, problem }) {
          if (finalName !== undefined) span.updateName(finalName);
          span.setAttributes(attributes);
          if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
          span.end();
        },
      };
    },
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, STOP_MS));
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

function createSampler({ sampler, ratio }: Sampling): Sampler {
  const [name] = sampler.split("_").slice(-1);
  const root =
    name === "on"
      ? new AlwaysOnSampler()
      : name === "off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

/** The SDK drops failed exports silently. This logs the first of consecutive failures. */
function tellingFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let failing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && !failing)
          log.warn({ err: result.error }, "the collector does not accept spans; they are dropped");
        failing = result.error !== undefined;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

function contextOf(parent: string | null | undefined) {
  const context = parseTraceParent(parent);
  if (!context) return ROOT_CONTEXT;
  const { traceId, spanId, sampled } = context;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
