import { Counter, Histogram, type Registry } from "prom-client";
import { createRegistry } from "./serve.ts";

interface CountedAttempt {
  statusCode: number | null;
  failure: string | null;
  durationMs: number;
}

export interface WorkerMetrics {
  registry: Registry;
  /** A workflow was started without waiting for a slow receiver. @param since when the event was put into the outbox */
  dispatched(since: Date): void;
  attempted(attempt: CountedAttempt): void;
  /** @param since when the event occurred, for the first run */
  ended(state: string, since?: Date): void;
  logoutAttempted(attempt: Pick<CountedAttempt, "statusCode" | "failure">): void;
  logoutEnded(state: string): void;
  mailAttempted(attempt: Pick<CountedAttempt, "statusCode" | "failure">): void;
  /** @param counts of rows by table, and of whole partitions */
  removed(counts: Record<string, number>): void;
}

/** The upper bounds of the histogram of attempts, in seconds. */
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const DISPATCH_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];
const END_TO_END_BUCKETS = [...DISPATCH_BUCKETS, 3_600, 21_600, 86_400];
/** Final states of a run. Held is not final; the backlog counts it. */
const ENDS = ["Delivered", "Exhausted", "Cancelled"];

/** Labels have few, fixed values: never a tenant, a connection, an event or a receiver. */
export function createWorkerMetrics(): WorkerMetrics {
  const registry = createRegistry();
  const registers = [registry];
  const dispatch = new Histogram({
    name: "gatehouse_webhook_dispatch_duration_seconds",
    help: "Time from the outbox to the started workflow, without events that wait for a slow receiver.",
    buckets: DISPATCH_BUCKETS,
    registers,
  });
  const attempts = new Counter({
    name: "gatehouse_webhook_attempts_total",
    help: "Attempts by result: the class of the response's status, or the failure in one word.",
    labelNames: ["result"],
    registers,
  });
  const attemptDuration = new Histogram({
    name: "gatehouse_webhook_attempt_duration_seconds",
    help: "Duration of an attempt, from name resolution to the end of the response.",
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const ends = new Counter({
    name: "gatehouse_webhook_deliveries_total",
    help: "Finished deliveries by state.",
    labelNames: ["state"],
    registers,
  });
  const endToEnd = new Histogram({
    name: "gatehouse_webhook_end_to_end_duration_seconds",
    help: "Time from the change to the receiver's 2xx, including retries and holds; first runs only.",
    buckets: END_TO_END_BUCKETS,
    registers,
  });
  const logoutAttempts = new Counter({
    name: "gatehouse_logout_attempts_total",
    help: "Attempts to notify a client of a logout, by the same results as deliveries.",
    labelNames: ["result"],
    registers,
  });
  const logoutEnds = new Counter({
    name: "gatehouse_logouts_total",
    help: "Finished logouts by state.",
    labelNames: ["state"],
    registers,
  });
  const mailAttempts = new Counter({
    name: "gatehouse_mail_attempts_total",
    help: "Attempts to send a mail by result: sent, or the failure in one word.",
    labelNames: ["result"],
    registers,
  });
  const removed = new Counter({
    name: "gatehouse_retention_removed_total",
    help: "Expired data that maintenance has removed: rows by table, events, or whole partitions.",
    labelNames: ["what"],
    registers,
  });
  // Starts at 0, because Prometheus computes no rate from a counter's first value.
  removed.inc({ what: "partitions" }, 0);
  for (const state of ENDS) for (const counter of [ends, logoutEnds]) counter.inc({ state }, 0);
  return {
    registry,
    dispatched: (since) => dispatch.observe(secondsSince(since)),
    attempted({ durationMs, ...attempt }) {
      attempts.inc({ result: resultOf(attempt) });
      attemptDuration.observe(durationMs / 1_000);
    },
    ended(state, since) {
      if (!ENDS.includes(state)) return;
      ends.inc({ state });
      if (state === "Delivered" && since) endToEnd.observe(secondsSince(since));
    },
    logoutAttempted: (attempt) => logoutAttempts.inc({ result: resultOf(attempt) }),
    logoutEnded(state) {
      if (ENDS.includes(state)) logoutEnds.inc({ state });
    },
    mailAttempted: ({ failure }) => mailAttempts.inc({ result: failure ?? "sent" }),
    removed(counts) {
      for (const [what, count] of Object.entries(counts)) removed.inc({ what }, count);
    },
  };
}

function resultOf({ statusCode, failure }: Pick<CountedAttempt, "statusCode" | "failure">): string {
  return failure ?? statusClass(statusCode);
}

function statusClass(status: number | null): string {
  const first = Math.floor((status ?? 0) / 100);
  return first >= 1 && first <= 5 ? `${first}xx` : "other";
}

/** The time is from a different machine, whose clock may be slightly ahead. */
function secondsSince(moment: Date): number {
  return Math.max(0, (Date.now() - moment.getTime()) / 1_000);
}
