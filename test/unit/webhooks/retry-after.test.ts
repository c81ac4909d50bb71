import { expect, test } from "bun:test";
import { resultOf } from "../../../server/webhooks/deliveries/send-signed.ts";

const NOW = new Date("2026-11-06T08:49:00Z");
const HOUR_MS = 3_600_000;

function waitFor(...values: string[]): number | undefined {
  const headers = new Headers(values.map((value) => ["Retry-After", value] as [string, string]));
  const outcome = { kind: "response", status: 503, headers, body: "", durationMs: 1 } as const;
  const about = { number: 1, startedOn: NOW, url: "https://billing.example/", secrets: [] };
  return (resultOf(outcome, about) as { retryAfterMs?: number }).retryAfterMs;
}

test.each([
  ["120", 120_000],
  ["0", 0],
  ["4.5", 4_500],
  ["4.", 4_000],
  [".5", 500],
  ["0.0004", 1],
  ["+30", 30_000],
  ["007", 7_000],
  [" \t 30  ", 30_000],
  ["30s", 30_000],
  ["30 seconds", 30_000],
  ["3601", HOUR_MS],
  ["9".repeat(90), HOUR_MS],
  ["Fri, 06 Nov 2026 08:49:37 GMT", 37_000],
  ["Friday, 06-Nov-26 08:49:37 GMT", 37_000],
  ["Fri Nov  6 08:49:37 2026", 37_000],
  ["Fri, 06 Nov 2026 08:49:37 UTC", 37_000],
  ["Fri, 06 Nov 2026 09:49:37 +0100", 37_000],
  ["2026-11-06T08:49:37Z", 37_000],
  ["2026-11-06T09:49:37.5+01:00", 37_500],
  ["Fri, 06 Nov 2999 08:49:37 GMT", HOUR_MS],
])("Retry-After: %s is a wait", (value, wait) => {
  expect(waitFor(value)).toBe(wait);
});

test.each([
  ...[
    "",
    " ",
    "-1",
    "-0.5",
    "soon",
    "4,5",
    "1e3",
    "0x10",
    "1_000",

    "²",
    "Infinity",
    "NaN",
    "4.5.6",
    ".",
    "30 minutes",
  ],
  ...["Fri, 06 Nov 2020 08:49:37 GMT", "Fri, 99 Nov 2026 99:99:99 GMT", "2020-01-01T00:00:00Z", "2026-13-45T00:00:00Z"],
  ...["2026-11-06", "1762418977000 ms", "Fri, soon 08:49", `Fri, ${"0".repeat(60_000)}`],
  ...[`${"1".repeat(60_000)}x`, `1${" ".repeat(60_000)}x`, `2026-11-06T10:00:00.${"0".repeat(60_000)}`],
])("Retry-After: %s leaves the wait of the policy", (value) => {
  expect(waitFor(value)).toBeUndefined();
});

test("a repeated Retry-After is ignored", () => {
  expect(waitFor("30", "60")).toBeUndefined();
});
