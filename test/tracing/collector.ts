// An OTLP collector on loopback that keeps the received spans.

export interface CollectedSpan {
  /** `service.name` of the process that sent it. */
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, string | number>;
  /** 2 is an error. */
  status: { code?: number; message?: string };
  durationMs: number;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
}
type Attributes = { key: string; value: Value }[];

/** The tested parts of OTLP's ExportTraceServiceRequest. */
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: (Omit<CollectedSpan, "service" | "attributes"> & RawSpan)[] }[];
  }[];
}
interface RawSpan {
  attributes: Attributes;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

export interface Collector extends Disposable {
  url: string;
  spans: CollectedSpan[];
  /** Everything received, unchanged. */
  texts: string[];
}

export function startCollector(): Collector {
  const spans: CollectedSpan[] = [];
  const texts: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method !== "POST" || new URL(request.url).pathname !== "/v1/traces") {
        return new Response(null, { status: 404 });
      }
      const text = await request.text();
      texts.push(text);
      spans.push(...spansOf(JSON.parse(text)));
      return Response.json({});
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, spans, texts, [Symbol.dispose]: () => void server.stop(true) };
}

function spansOf({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service: String(plain(resource.attributes)["service.name"]),
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        attributes: plain(span.attributes),
        status: span.status,
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
      })),
    ),
  );
}

function plain(attributes: Attributes): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );
}
