// The timeline of a delivery's attempts, with an axis for each run.

import { expect, test } from "bun:test";
import { Timeline } from "../../../server/console/activity/timeline.tsx";
import type { DeliveryState } from "../../../workflows/contract.ts";

const FIRST = {
  ...{ Number: 1, Run: 1, StartedOn: "2026-11-21T12:00:00.000Z", DurationMs: 20, StatusCode: 500, Failure: null },
  Response: null,
};
const SECOND = { ...FIRST, Number: 2, Run: 2, StartedOn: "2026-11-21T13:00:00.000Z" };

const drawn = async (state: DeliveryState, currentRun: number, underWay: boolean, attempts = [FIRST]) =>
  String(await Timeline({ attempts, state, currentRun, underWay })).split("</figure>");

test("a waiting retry is shown on its own axis", async () => {
  const [first, ...more] = await drawn("Retrying", 1, false);
  expect([first!.includes(">waits<"), more.join("")]).toEqual([true, ""]);
  const [one, two] = await drawn("Retrying", 2, false, [FIRST, SECOND]);
  expect([one!.includes(">waits<"), two!.includes(">waits<")]).toEqual([false, true]);
});

test.each([
  [false, "Its first attempt is not made yet."],
  [true, "Its first attempt is in progress."],
])("a redelivery without an attempt yet leaves the former run's axis unchanged", async (underWay, words) => {
  const [former, current] = await drawn("Pending", 2, underWay);
  expect(former).toContain("Run 1");
  expect(former).not.toMatch(/>waits<|>in progress</);
  expect(current).toContain("Run 2, sent again");
  expect(current).toContain(words);
});
