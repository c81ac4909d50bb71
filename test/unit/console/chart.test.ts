// The chart of the overview, from no data to more than a day's data.

import { expect, test } from "bun:test";
import { BarChart, firstHour } from "../../../server/console/chart.tsx";
import { barsOf, DELIVERIES } from "../../../server/console/webhooks/deliveries.ts";

const NOW = Date.parse("2026-11-21T12:30:00Z");

async function drawn(delivered: number, exhausted = 0): Promise<string> {
  const since = firstHour(NOW);
  const counts = [
    { hour: since, state: "Delivered" as const, count: delivered },
    { hour: since, state: "Exhausted" as const, count: exhausted },
  ];
  return await BarChart({
    title: "Deliveries",
    series: DELIVERIES,
    bars: barsOf(counts, since),
    over: "by the hour, the last 24 hours",
  });
}

const scaleOf = (html: string) => [...html.matchAll(/<text x="0" y="[\d.]+">([^<]*)</g)].map(([, text]) => text);

test.each([
  [0, ["0", "1", "2", "3", "4"]],
  [1, ["0", "1", "2", "3", "4"]],
  [9_000, ["0", "3,000", "6,000", "9,000", "12K"]],
  [1_000_000, ["0", "300K", "600K", "900K", "1.2M"]],
  [150_000_000, ["0", "50M", "100M", "150M", "200M"]],
])("the scale of %d deliveries an hour has round numbers that fit beside it", async (count, scale) => {
  expect(scaleOf(await drawn(count))).toEqual(scale);
});

test("one failure among a million is visible", async () => {
  const [, height] = /<rect class="exhausted"[^>]* height="([\d.]+)"/.exec(await drawn(1_000_000, 1))!;
  expect(Number(height)).toBeGreaterThan(1);
  expect(await drawn(0)).toContain("the last 24 hours: none.");
});
