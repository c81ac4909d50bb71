// Counts by slices of time: each past slice is counted once.

import { expect, test } from "bun:test";
import type { TenantId } from "../../server/platform/ids.ts";
import { createPastSlices, slicesUntil } from "../../server/platform/slices.ts";

const HOUR_MS = 3_600_000;
const TENANT = "one" as TenantId;

/** One row for each slice, and the hours of each call. */
function counting() {
  const calls: number[] = [];
  const read = createPastSlices(async (_, from, to, sliceMs) => {
    calls.push((to.getTime() - from.getTime()) / HOUR_MS);
    const slices = (to.getTime() - from.getTime()) / sliceMs;
    return Array.from({ length: slices }, (_, index) => ({ from: new Date(from.getTime() + index * sliceMs) }));
  });
  return { calls, read };
}

test("a second reader of the same hours counts only the present one, and other tenants count their own", async () => {
  const { calls, read } = counting();
  const hours = slicesUntil(Date.now(), 24, HOUR_MS);
  const first = await read(TENANT, hours);
  expect(first.map(({ from }) => from)).toEqual(hours.starts);
  expect(calls.splice(0)).toEqual([24]);
  expect(await read(TENANT, hours)).toEqual(first);
  // Shortly after the full hour, the hour before is not settled yet.
  expect([1, 2]).toContain(calls.splice(0)[0]!);
  await read("another" as TenantId, hours);
  expect(calls).toEqual([24]);
});

test("no statement counts more than a day", async () => {
  const { calls, read } = counting();
  const week = slicesUntil(Date.now(), 28, 6 * HOUR_MS);
  expect((await read(TENANT, week)).map(({ from }) => from)).toEqual(week.starts);
  expect(calls).toEqual([24, 24, 24, 24, 24, 24, 24]);
});

test("slices begin at multiples of their length, and the last one has the present", () => {
  const now = Date.parse("2026-11-29T12:34:56Z");
  const { starts } = slicesUntil(now, 3, 5 * 60_000);
  expect(starts.map((start) => start.toISOString().slice(11, 16))).toEqual(["12:20", "12:25", "12:30"]);
});
