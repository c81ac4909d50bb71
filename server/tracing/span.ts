// Spans, as requests and posts begin and end them.

export interface Tracing {
  /**
   * Begins a span.
   * @param parent a traceparent; what is none, or no sane one, begins a trace of its own
   */
  begin(name: string, kind: "server" | "client", parent: string | null | undefined): TraceSpan;
  /** Sends what is still to be sent, for a second at most. */
  stop(): Promise<void>;
}

export interface TraceSpan {
  /** W3C Trace Context: names this span as the parent of what it leads to. */
  traceParent: string;
  /** Whether it is kept and sent. */
  sampled: boolean;
  end(ended: SpanEnd): void;
}

/** Never a payload, a secret, a URL's path or query, or anything else personal. */
export interface SpanEnd {
  name?: string;
  attributes: Record<string, string | number | undefined>;
  /** What went wrong, in a word or two; undefined if nothing did. */
  problem: string | undefined;
}
