// Spans of requests and posts.

export interface Tracing {
  /** Starts a span. @param parent a traceparent; without a valid one, a new trace starts */
  begin(name: string, kind: "server" | "client", parent: string | null | undefined): TraceSpan;
  /** Exports the remaining spans, for at most a second. */
  stop(): Promise<void>;
}

export interface TraceSpan {
  /** W3C Trace Context that names this span as parent. */
  traceParent: string;
  /** Whether it is exported. */
  sampled: boolean;
  end(ended: SpanEnd): void;
}

/** Never contains payloads, secrets, URL paths, queries or personal data. */
export interface SpanEnd {
  name?: string;
  attributes: Record<string, string | number | undefined>;
  /** The error in a word or two; undefined if there is none. */
  problem: string | undefined;
}
