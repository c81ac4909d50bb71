// The steps of a receiver check: the calls of each, and what their answers mean.

export const VERDICTS = ["Passed", "Advised", "Failed", "Skipped"] as const;

export interface StepResult {
  Got: string;
  Verdict: (typeof VERDICTS)[number];
  Advice: string;
}

export interface CheckAnswer {
  status: number | null;
  failure: string | null;
  ms: number;
  hasRetryAfter: boolean;
}

/** How a call differs from a right one. */
export interface CallChange {
  isSignedWrong?: boolean;
  /** Its signature is of so many milliseconds ago. */
  ageMs?: number;
  /** It is the event of the call before. */
  isRepeated?: boolean;
  sequence?: number;
  /** The number of records in its array. */
  records?: number;
}

export interface StepOfCheck {
  expected: string;
  /** The needed setting of the connection. */
  needs?: "signature" | "secret";
  calls: CallChange[];
  /** Whether the calls are sent at once. */
  isBurst?: boolean;
  judge(answers: CheckAnswer[]): Pick<StepResult, "Verdict" | "Advice">;
}

/** Receivers accept timestamps of the last five minutes. */
const OLD_MS = 600_000;
/** The maximum of one change. */
export const MAX_RECORDS_SENT = 1_000;
export const BURST = 20;
/** A receiver that takes longer gets fewer calls at a time. */
const PROMPT_MS = 1_000;

const isAccepted = ({ status }: CheckAnswer) => status !== null && status >= 200 && status < 300;
const PASSED = { Verdict: "Passed", Advice: "" } as const;
const advised = (Advice: string) => ({ Verdict: "Advised", Advice }) as const;
const failed = (Advice: string) => ({ Verdict: "Failed", Advice }) as const;

/** Calls that must be processed, or ignored without an error. */
const accepts = (advice: string) => (answers: CheckAnswer[]) => (answers.every(isAccepted) ? PASSED : failed(advice));

/** A call that must not be processed. */
const rejects = (advice: string) => (answers: CheckAnswer[]) => {
  if (answers.some(isAccepted)) return failed(advice);
  if (answers.every(({ status }) => status !== null && status >= 400 && status < 500)) return PASSED;
  return failed("The call was not processed. Answer it with 401, not as a failure.");
};

/** In their order. */
export const STEPS = {
  Right: {
    expected: "2xx for a right call",
    calls: [{}],
    judge: accepts("Answer 2xx. Tests have the field Test, which is true."),
  },
  WrongSignature: {
    expected: "4xx for a call with a wrong signature",
    needs: "signature",
    calls: [{ isSignedWrong: true }],
    judge: rejects("Anyone can send calls. Verify webhook-signature before you process a call, and answer 401."),
  },
  OldTimestamp: {
    expected: "4xx for a call that was signed 10 minutes ago",
    needs: "secret",
    calls: [{ ageMs: OLD_MS }],
    judge: rejects("A stored call can be replayed. Reject a webhook-timestamp older than five minutes."),
  },
  Twice: {
    expected: "2xx for the same event, twice",
    calls: [{}, { isRepeated: true }],
    judge: accepts("Answer a repeated EventId with 2xx and ignore it. An error is sent again."),
  },
  OutOfOrder: {
    expected: "2xx for a change that comes after a newer one of its record",
    calls: [{ sequence: 2 }, { sequence: 1 }],
    judge: accepts("Answer 2xx, and drop a change whose webhook-sequence is not higher."),
  },
  Largest: {
    expected: `2xx for a change of ${MAX_RECORDS_SENT.toLocaleString("en")} records`,
    calls: [{ records: MAX_RECORDS_SENT }],
    judge: (answers) =>
      answers[0]!.status === 413
        ? failed("The body is larger than the receiver accepts. Raise the limit of its proxy or framework.")
        : accepts("Accept large bodies, and answer before you process them.")(answers),
  },
  Prompt: {
    expected: `an answer within ${PROMPT_MS / 1_000} s`,
    calls: [{}, {}, {}],
    judge: (answers) =>
      answers.every(isAccepted) && answers.some(({ ms }) => ms >= PROMPT_MS)
        ? advised("Store the event, answer, and process it afterwards. A slow receiver gets fewer calls at a time.")
        : accepts("Answer 2xx, and process the event afterwards.")(answers),
  },
  Burst: {
    expected: `2xx for ${BURST} calls at once`,
    calls: Array(BURST).fill({}),
    isBurst: true,
    judge(answers) {
      const others = answers.filter((answer) => !isAccepted(answer));
      const isPolite = others.every(({ status, hasRetryAfter }) => (status === 429 || status === 503) && hasRetryAfter);
      const advice = "Set MaxInFlight or RatePerSecond of the connection to what the receiver can take.";
      if (others.length === 0) return PASSED;
      return isPolite ? advised(advice) : failed(`${advice} Answer 429 with Retry-After.`);
    },
  },
} satisfies Record<string, StepOfCheck>;
export type CheckStep = keyof typeof STEPS;
