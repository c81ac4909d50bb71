// One event's deliveries: each posted by a local activity of its own, in parallel, so that one receiver's failure
// never touches another's. A slow receiver's are posted by a regular activity in a lane of their own, for a local
// activity holds the workflow's task, and with it the others' retries.

import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TemporalFailure,
  upsertSearchAttributes,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  backoff,
  type DeliverWebhookInput,
  type DeliveryOutcome,
  type DeliveryState,
  EXHAUSTED,
  MAXIMUM_ATTEMPTS,
  type PostSlowlyInput,
  type PostWebhookInput,
  type PostWebhookResult,
  type RetrySettings,
  SLOW_TASK_QUEUE,
} from "./contract.ts";

/**
 * What reading and recording may take beyond the post itself. The post has its own, short limit; this one is long, so
 * that a PostgreSQL that is away for a while does not use up attempts.
 */
const RECORDING_MS = 3_600_000;
/** After so long without a sign of life a post in the slow lane has died with its worker. */
const SILENCE_MS = 20_000;
/** From the worst to the best. */
const WORST_FIRST: DeliveryState[] = ["Exhausted", "Held", "Cancelled", "Delivered"];

const { closeDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: "1m",
  summary: "write the final state of a delivery that no attempt has ended",
});

/**
 * @returns each delivery's outcome
 * @throws CancelledFailure if the workflow is cancelled; its open deliveries then are Cancelled too
 * @throws ApplicationFailure Exhausted if any was not delivered, so that "Failed" is a filter in the Temporal UI
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryOutcome[]> {
  const outcomes = await Promise.all(input.deliveries.map((delivery) => deliver(input, delivery)));
  const smooth = outcomes.every((outcome) => outcome.state === "Delivered" && outcome.attempts === 1);
  if (!smooth) upsertSearchAttributes({ DeliveryState: [worst(outcomes, input.held)] });
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure("cancelled, its open deliveries too");
  const exhausted = outcomes.filter((outcome) => outcome.state === "Exhausted");
  if (exhausted.length > 0) throw exhaustion(outcomes, exhausted);
  return outcomes;
}

async function deliver(
  input: DeliverWebhookInput,
  { deliveryId, connectionId, lane }: DeliverWebhookInput["deliveries"][number],
): Promise<DeliveryOutcome> {
  const { tenantId, retry } = input;
  const post = { tenantId, deliveryId, connectionId, maximumAttempts: MAXIMUM_ATTEMPTS, retry };
  try {
    const result = await (lane === "slow" ? postInSlowLane(input, post) : postInTask(input, post));
    return { connectionId, ...result };
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const cause = causeOf(error);
    if (cause instanceof ApplicationFailure && cause.type === EXHAUSTED) {
      return { connectionId, state: "Exhausted", attempts: MAXIMUM_ATTEMPTS, reason: cause.message };
    }
    // No attempt wrote a final state: the activity could not, or somebody cancelled the workflow.
    const state = CancellationScope.current().consideredCancelled ? "Cancelled" : "Exhausted";
    const closed = await CancellationScope.nonCancellable(() => closeDelivery({ tenantId, deliveryId, state }));
    return { connectionId, ...closed };
  }
}

/**
 * Every attempt stands in the history with its failure, and every wait is a durable timer. Temporal's own retry of a
 * local activity would do as much, but takes more steps to its timer than a hand-over takes to its activity: where both
 * happen in one task, a replay would find them in another order.
 */
async function postInTask(input: DeliverWebhookInput, post: PostWebhookInput): Promise<PostWebhookResult> {
  for (let attempt = 1; ; attempt++) {
    const { postWebhook } = proxyLocalActivities<Activities>({
      startToCloseTimeout: input.timeout + RECORDING_MS,
      retry: { maximumAttempts: 1 },
      summary: `post to connection ${post.connectionId}`,
    });
    const next = await postWebhook(post).catch((error) => waitAfter(error, input.retry, attempt));
    if (typeof next !== "number") {
      return next.state === "StillOut" ? postInSlowLane(input, { ...post, handedOver: true }) : next;
    }
    await sleep(next, { summary: `until the next post to connection ${post.connectionId}` });
  }
}

/**
 * The attempts are counted in PostgreSQL: the one that was the last says so itself.
 *
 * @returns milliseconds
 * @throws the error, if no attempt follows
 */
function waitAfter(error: unknown, retry: RetrySettings, attempt: number): number {
  if (!(error instanceof TemporalFailure) || CancellationScope.current().consideredCancelled) throw error;
  const cause = causeOf(error);
  if (!(cause instanceof ApplicationFailure)) return backoff(retry, attempt);
  if (cause.nonRetryable) throw error;
  return (cause.details?.[0] as number | undefined) ?? backoff(retry, attempt);
}

/** A local activity's failure is not wrapped, its timeout may be. */
function causeOf(error: TemporalFailure): Error | undefined {
  return error instanceof ActivityFailure ? error.cause : error;
}

function postInSlowLane(input: DeliverWebhookInput, post: PostSlowlyInput): Promise<PostWebhookResult> {
  const { postSlowly } = proxyActivities<Activities>({
    taskQueue: SLOW_TASK_QUEUE,
    startToCloseTimeout: input.timeout + RECORDING_MS,
    heartbeatTimeout: SILENCE_MS,
    // A post that is out is broken off and logged before the workflow ends.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Every failure of ours says how long to wait; this is for a worker that died.
    retry: { initialInterval: input.retry.initialInterval, backoffCoefficient: 1 },
    summary: `post to connection ${post.connectionId}, a slow receiver`,
  });
  return postSlowly(post);
}

function worst(outcomes: DeliveryOutcome[], held = 0): DeliveryState {
  const states = outcomes.map((outcome) => outcome.state);
  if (held > 0) states.push("Held");
  return WORST_FIRST.find((state) => states.includes(state)) ?? "Delivered";
}

function exhaustion(outcomes: DeliveryOutcome[], exhausted: DeliveryOutcome[]): ApplicationFailure {
  const reasons = [...new Set(exhausted.map((outcome) => outcome.reason))].slice(0, 5).join("; ");
  const message = `${exhausted.length} of ${outcomes.length} deliveries exhausted: ${reasons}`;
  const failure = ApplicationFailure.nonRetryable(message, EXHAUSTED);
  // A receiver's answer is no bug of ours: in the Temporal UI the reason should stand alone.
  failure.stack = "";
  return failure;
}
