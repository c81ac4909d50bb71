// The trace a request belongs to: W3C Trace Context, https://www.w3.org/TR/trace-context/.

export interface TraceContext {
  /** 32 hexadecimal digits, the same for all of a trace. */
  traceId: string;
  /** 16 hexadecimal digits: of the span that all this comes from. */
  spanId: string;
  sampled: boolean;
}

/** Neither id is all zeros. A version after 00 may have more behind it. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LENGTH_OF_00 = 55;
const LONGEST = 200;

/** @returns undefined for what is no traceparent */
export function parseTraceParent(text: string | null | undefined): TraceContext | undefined {
  if (!text || text.length > LONGEST || (text.startsWith("00") && text.length !== LENGTH_OF_00)) return undefined;
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(text) ?? [];
  return traceId && spanId ? { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 } : undefined;
}

export function formatTraceParent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

export function traceIdOf(traceParent: string): string {
  return traceParent.slice(3, 35);
}
