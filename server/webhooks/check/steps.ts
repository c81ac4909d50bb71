// The steps of a receiver check: the calls of each, and what their answers mean.

import type { CheckStep } from "../../../workflows/contract.ts";
import type { EventId, TenantId } from "../../platform/ids.ts";
import { newId, timeOfId } from "../../platform/ids.ts";
import type { EventType } from "../../records/index.ts";

export const VERDICTS = ["Passed", "Advised", "Failed", "Skipped"] as const;

export interface CheckSample {
  eventRecord: string;
  eventType: EventType;
  data: Record<string, unknown>;
}

export interface CheckAnswer {
  status: number | null;
  failure: string | null;
  ms: number;
  hasRetryAfter: boolean;
}

/** A test event, and how its call differs from a right one. */
export interface CheckCall {
  eventId: EventId;
  payload: string;
  sequences: number[];
  isSignedWrong?: boolean;
  /** Its signature is of so many milliseconds ago. */
  ageMs?: number;
}

export interface StepResult {
  Got: string;
  Verdict: (typeof VERDICTS)[number];
  Advice: string;
}

/** Receivers accept timestamps of the last five minutes. */
const OLD_MS = 600_000;
/** The maximum of one change. */
export const MAX_RECORDS_SENT = 1_000;
export const BURST = 20;
/** A receiver that takes longer gets fewer calls at a time. */
const PROMPT_MS = 1_000;

interface Step {
  expected: string;
  /** The needed setting of the connection. */
  needs?: "signature" | "secret";
  calls(made: (change?: Partial<CheckCall> & { several?: number }) => CheckCall): CheckCall[];
  /** Whether the calls are sent at once. */
  isBurst?: boolean;
  judge(answers: CheckAnswer[]): Pick<StepResult, "Verdict" | "Advice">;
}

const accepts = ({ status }: CheckAnswer) => status !== null && status >= 200 && status < 300;
const PASSED = { Verdict: "Passed", Advice: "" } as const;
const failed = (Advice: string) => ({ Verdict: "Failed", Advice }) as const;
const passesIf = (isPassed: boolean, advice: string) => (isPassed ? PASSED : failed(advice));

/** A call that must not be processed: any answer of 4xx. */
const rejects =
  (advice: string) =>
  ([answer]: CheckAnswer[]) => {
    const { status } = answer!;
    if (accepts(answer!)) return failed(advice);
    if (status !== null && status >= 400 && status < 500) return PASSED;
    return failed("The call was not processed, but the answer should be 401: another one is retried.");
  };

export const STEPS: Record<CheckStep, Step> = {
  Right: {
    expected: "2xx for a right call",
    calls: (made) => [made()],
    judge: ([answer]) => passesIf(accepts(answer!), "Answer 2xx. Tests have the field Test, which is true."),
  },
  WrongSignature: {
    expected: "4xx for a call with a wrong signature",
    needs: "signature",
    calls: (made) => [made({ isSignedWrong: true })],
    judge: rejects("Anyone can send calls. Verify webhook-signature before you process a call, and answer 401."),
  },
  OldTimestamp: {
    expected: "4xx for a call that was signed 10 minutes ago",
    needs: "secret",
    calls: (made) => [made({ ageMs: OLD_MS })],
    judge: rejects("A stored call can be replayed. Reject a webhook-timestamp older than five minutes."),
  },
  Twice: {
    expected: "2xx for the same event, twice",
    calls: (made) => {
      const call = made();
      return [call, call];
    },
    judge: (answers) =>
      passesIf(answers.every(accepts), "Answer a repeated EventId with 2xx and ignore it. An error is sent again."),
  },
  OutOfOrder: {
    expected: "2xx for a change that comes after a newer one of its record",
    calls: (made) => [made({ sequences: [2] }), made({ sequences: [1] })],
    judge: (answers) =>
      passesIf(answers.every(accepts), "Answer 2xx, and drop a change whose webhook-sequence is not higher."),
  },
  Largest: {
    expected: `2xx for a change of ${MAX_RECORDS_SENT.toLocaleString("en")} records`,
    calls: (made) => [made({ several: MAX_RECORDS_SENT })],
    judge: ([answer]) =>
      passesIf(
        accepts(answer!),
        answer!.status === 413
          ? "The body is larger than the receiver accepts. Raise the limit of its proxy or framework."
          : "Accept large bodies, and answer before you process them.",
      ),
  },
  Prompt: {
    expected: `an answer within ${PROMPT_MS / 1_000} s`,
    calls: (made) => [made(), made(), made()],
    judge(answers) {
      if (!answers.every(accepts)) return failed("Answer 2xx, and process the event afterwards.");
      if (answers.every(({ ms }) => ms < PROMPT_MS)) return PASSED;
      return {
        Verdict: "Advised",
        Advice: "Store the event, answer, and process it afterwards. A slow receiver gets fewer calls at a time.",
      };
    },
  },
  Burst: {
    expected: `2xx for ${BURST} calls at once`,
    isBurst: true,
    calls: (made) => Array.from({ length: BURST }, () => made()),
    judge(answers) {
      const others = answers.filter((answer) => !accepts(answer));
      if (others.length === 0) return PASSED;
      const isAsked = others.every(({ status, hasRetryAfter }) => (status === 429 || status === 503) && hasRetryAfter);
      const advice = "Set MaxInFlight or RatePerSecond of the connection to what the receiver can take.";
      return isAsked ? { Verdict: "Advised", Advice: advice } : failed(`${advice} Answer 429 with Retry-After.`);
    },
  },
};

export function callsOf(step: CheckStep, tenantId: TenantId, sample: CheckSample): CheckCall[] {
  return STEPS[step].calls(({ several, ...change } = {}) => {
    const eventId = newId<EventId>();
    const data = several ? Array.from({ length: several }, () => sample.data) : sample.data;
    return { eventId, payload: payloadOf(tenantId, eventId, sample, data), sequences: [1], ...change };
  });
}

/** Of a test, as docs/webhooks.md "Make a connection" describes it. */
function payloadOf(
  tenantId: TenantId,
  eventId: EventId,
  { eventRecord, eventType }: CheckSample,
  data: unknown,
): string {
  return JSON.stringify({
    TenantId: tenantId,
    EventType: eventType,
    EventId: eventId,
    Version: "1.0",
    Timestamp: timeOfId(eventId).toISOString(),
    EventRecord: eventRecord,
    EventResponse: Array.isArray(data) ? "Array" : "Object",
    Data: data,
    Test: true,
  });
}

export function resultOf(step: CheckStep, answers: CheckAnswer[]): StepResult {
  return { Got: inWords(answers), ...STEPS[step].judge(answers) };
}

export const SKIPPED: StepResult = { Got: "", Verdict: "Skipped", Advice: "The connection has no Secret. Set one." };

/** @example "200, 503; at most 340 ms" */
function inWords(answers: CheckAnswer[]): string {
  const words = answers.map(({ status, failure }) => failure ?? String(status));
  const counted = [...new Set(words)].map((word) => {
    const count = words.filter((one) => one === word).length;
    return count > 1 ? `${count} × ${word}` : word;
  });
  const slowest = Math.max(...answers.map(({ ms }) => ms)).toLocaleString("en");
  return `${counted.join(", ")}; ${answers.length > 1 ? "at most " : ""}${slowest} ms`;
}
