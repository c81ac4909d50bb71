// The chart of the overview, from no data to more than a day's data.

import { expect, test } from "bun:test";
import { BarChart, niceCeiling, slotsOf } from "../../../server/console/chart.tsx";
import { barsOf, DELIVERIES } from "../../../server/console/webhooks/deliveries.ts";
import type { ConnectionId } from "../../../server/platform/ids.ts";
import { slicesUntil } from "../../../server/platform/slices.ts";

const NOW = Date.parse("2026-11-21T12:30:00Z");

async function drawn(delivered: number, exhausted = 0): Promise<string> {
  const slices = slicesUntil(NOW, 24, 3_600_000);
  const of = { from: slices.starts[0]!, connectionId: "one" as ConnectionId };
  const counts = [
    { ...of, state: "Delivered" as const, count: delivered },
    { ...of, state: "Exhausted" as const, count: exhausted },
  ];
  return await BarChart({
    title: "Deliveries",
    series: DELIVERIES,
    bars: barsOf(counts, slotsOf(slices)),
    over: "by the hour, the last 24 hours",
  });
}

const scaleOf = (html: string) => [...html.matchAll(/<text x="0" y="[\d.]+">([^<]*)</g)].map(([, text]) => text);

test.each([
  [0, ["0", "1"]],
  [1, ["0", "1"]],
  [3, ["0", "2", "4"]],
  [9_000, ["0", "5,000", "10K"]],
  [1_000_000, ["0", "500K", "1M"]],
  [150_000_000, ["0", "100M", "200M"]],
])("the scale of %d deliveries an hour has round numbers that fit beside it", async (count, scale) => {
  expect(scaleOf(await drawn(count))).toEqual(scale);
});

test("a drawing is at least half full", () => {
  for (let max = 1; max < 3_000; max++) expect(niceCeiling(max)).toBeWithin(max, max * 2 + 1);
});

test("one failure among a million is visible", async () => {
  const [, height] = /<rect class="exhausted"[^>]* height="([\d.]+)"/.exec(await drawn(1_000_000, 1))!;
  expect(Number(height)).toBeGreaterThan(1);
  expect(await drawn(0)).toContain("the last 24 hours: none.");
});
