import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatTraceParent, parseTraceParent } from "../../../server/platform/http/context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

test("formatting and parsing are inverse", () => {
  const hex = (length: number) =>
    fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
  const context = fc
    .record({ traceId: hex(32), spanId: hex(16), sampled: fc.boolean() })
    .filter(({ traceId, spanId }) => /[^0]/.test(traceId) && /[^0]/.test(spanId));
  fc.assert(fc.property(context, (given) => expect(parseTraceParent(formatTraceParent(given))).toEqual(given)));
});

test.each([
  [`00-${TRACE}-${SPAN}-03`, true],
  [`00-${TRACE}-${SPAN}-02`, false],
  [`cc-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
])("%s is a traceparent", (text, sampled) => {
  expect(parseTraceParent(text)).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
});

// The cases of the W3C's test suite.
test.each([
  null,
  "",
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01-`,
  `00-${TRACE}-${SPAN}-01-more`,
  `cc-${TRACE}-${SPAN}-01.what-the-future-will-not-be-like`,
  `ff-${TRACE}-${SPAN}-01`,
  `0-${TRACE}-${SPAN}-01`,
  `.0-${TRACE}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE.slice(1)}.-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-x1`,
  `00_${TRACE}_${SPAN}_01`,
  `cc-${TRACE}-${SPAN}-01-${"x".repeat(200)}`,
])("%s is not one", (text) => {
  expect(parseTraceParent(text)).toBeUndefined();
});
