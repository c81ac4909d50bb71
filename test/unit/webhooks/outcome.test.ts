import { expect, test } from "bun:test";
import { endingOf, outcomeOf } from "../../../server/webhooks/deliveries/outcome.ts";

const RETRY = { maximumAttempts: 3, initialInterval: 1_000, backoffCoefficient: 6, maximumInterval: 86_400_000 };
const HOLDING = { after: 10, probeInterval: 60_000 };
const HOLD = { gone: undefined as string | undefined, after: 10, probeInMs: expect.any(Number) };

const result = (
  changes: { failure?: string; delivered?: boolean; gone?: string; refused?: boolean; retryAfterMs?: number } = {},
) => ({
  delivered: false,
  gone: undefined,
  refused: false,
  retryAfterMs: undefined,
  ...changes,
  attempt: { failure: changes.failure ?? null },
});
const outcome = (numberInRun: number, of = result(), { ping = false, isCancelled = false } = {}) =>
  outcomeOf({ numberInRun, ping }, of, RETRY, HOLDING, isCancelled);

test("a failed attempt is retried after growing intervals, and the last one ends the delivery", () => {
  expect(outcome(1)).toEqual({ reached: "Retrying", hold: HOLD, nextInMs: expect.any(Number) });
  expect(outcome(2)).toEqual({ reached: "Retrying", hold: HOLD, nextInMs: expect.any(Number) });
  expect(outcome(3)).toEqual({ reached: "Exhausted", hold: HOLD, nextInMs: undefined });
});

test("waits differ by up to a tenth, and none is longer than the policy's last", () => {
  const range = (wait: () => number | undefined) => {
    const waits = Array.from({ length: 2_000 }, () => wait()!);
    return [Math.min(...waits), Math.max(...waits)] as const;
  };
  const [first, second, probe] = [
    () => outcome(1).nextInMs,
    () => outcome(2).nextInMs,
    () => outcome(3).hold?.probeInMs,
  ].map(range);
  expect(first![0]).toBeWithin(900, 910);
  expect(first![1]).toBeWithin(1_090, 1_101);
  expect(second![0]).toBeWithin(5_400, 5_420);
  expect(second![1]).toBeWithin(5_980, 6_001);
  expect(probe![0]).toBeWithin(54_000, 54_200);
  expect(probe![1]).toBeWithin(65_800, 66_001);
});

test("Retry-After makes the wait longer, never shorter", () => {
  expect(outcome(1, result({ retryAfterMs: 30_000 })).nextInMs).toBe(30_000);
  expect(outcome(2, result({ retryAfterMs: 10 })).nextInMs).toBeGreaterThanOrEqual(5_400);
});

test("410 ends the delivery at once and holds its connection", () => {
  const gone = { reached: "Exhausted", hold: { ...HOLD, gone: "410 Gone" }, nextInMs: undefined } as const;
  expect(outcome(1, result({ gone: "410 Gone" }))).toEqual(gone);
});

test("abort-message ends the delivery at once, and counts as one exhausted", () => {
  expect(outcome(1, result({ refused: true }))).toEqual({ reached: "Exhausted", hold: HOLD, nextInMs: undefined });
});

test("a ping has one attempt, and does not affect its connection", () => {
  expect(outcome(1, result(), { ping: true })).toEqual({ reached: "Exhausted", hold: undefined, nextInMs: undefined });
  expect(outcome(1, result({ delivered: true }), { ping: true }).reached).toBe("Delivered");
});

test("an aborted attempt does not count against its receiver, and a cancelled workflow ends its deliveries", () => {
  const aborted = result({ failure: "cancelled" });
  expect(outcome(3, aborted)).toEqual({ reached: "Exhausted", hold: undefined, nextInMs: undefined });
  expect(outcome(3, aborted, { isCancelled: true }).reached).toBe("Retrying");
});

test("a window is updated by a response, a timeout, or the absence of a post", () => {
  expect(endingOf(result())).toBe("answered");
  expect(endingOf(result({ failure: "timeout" }))).toBe("unanswered");
  expect(endingOf(result({ failure: "cancelled" }))).toBe("aborted");
  expect(endingOf({ unsent: "no socket" })).toBe("unsent");
});
