// An event's deliveries, each posted by its own local activity in parallel, so receivers do not affect each other. The
// activity's retry policy has three exponential attempts. A queued delivery has its own workflow. For a slow receiver
// that uses a regular activity, because a local one blocks the workflow's task.

import {
  type ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TemporalFailure,
  upsertSearchAttributes,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type {
  DeliverWebhookInput,
  DeliveryOutcome,
  DeliveryState,
  DeliveryToMake,
  PostWebhookResult,
} from "./contract.ts";
import { besideTask, exhaustedBy, exhaustionIn, inTask, untilNext } from "./retry.ts";

/** If no worker polls its own queue for this time, the worker has ended. */
const NO_WORKER_MS = 5_000;
const WORST_FIRST: DeliveryState[] = ["Exhausted", "Held", "Cancelled", "Delivered"];

const { closeDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: "1m",
  summary: "resume a delivery that no attempt has finished",
});

/**
 * @returns each delivery's outcome
 * @throws CancelledFailure if the workflow is cancelled, as are its open deliveries then
 * @throws ApplicationFailure Exhausted if any was not delivered, for the filter "Failed" in the Temporal UI
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryOutcome[]> {
  const outcomes = await Promise.all(input.deliveries.map((delivery) => deliver(input, delivery)));
  // A queued delivery's state comes from its own workflow.
  const ended = outcomes.filter((outcome) => outcome.state !== "Queued");
  const smooth = ended.every((outcome) => outcome.state === "Delivered" && outcome.attempts === 1);
  if (!smooth) upsertSearchAttributes({ DeliveryState: [worst(ended, input.held)] });
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure("cancelled, its open deliveries too");
  const exhausted = outcomes.filter((outcome) => outcome.state === "Exhausted");
  if (exhausted.length > 0) throw exhaustion(ended, exhausted);
  return outcomes;
}

async function deliver(input: DeliverWebhookInput, delivery: DeliveryToMake): Promise<DeliveryOutcome> {
  const { tenantId, eventId } = input;
  const { deliveryId, connectionId } = delivery;
  try {
    return { connectionId, ...(await post(input, delivery)) };
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const { maximumAttempts } = input.retry;
    const reason = exhaustionIn(error);
    if (reason !== undefined) return { connectionId, state: "Exhausted", attempts: maximumAttempts, reason };
    // No attempt wrote a final state: the activity could not, or the workflow was cancelled.
    const cancelled = CancellationScope.current().consideredCancelled;
    const close = () => closeDelivery({ tenantId, eventId, deliveryId, connectionId, cancelled, maximumAttempts });
    return { connectionId, ...(await CancellationScope.nonCancellable(close)) };
  }
}

/**
 * Every attempt is in the history with its number and failure, and every wait is a durable timer. PostgreSQL counts
 * posts as well: an attempt lost with its worker is repeated here, but not there.
 */
function post(input: DeliverWebhookInput, { to, ...ids }: DeliveryToMake): Promise<PostWebhookResult> {
  const { tenantId, eventId, retry, timeout, fromQueue } = input;
  const summary = `post to ${to}`;
  // Only the worker with the reserved place polls it. If that worker has died, the delivery returns to the queue.
  const ofWorker = fromQueue?.taskQueue && { taskQueue: fromQueue.taskQueue, scheduleToStartTimeout: NO_WORKER_MS };
  const { postWebhook } = ofWorker
    ? proxyActivities<Activities>({ ...besideTask(retry, timeout), ...ofWorker, summary })
    : proxyLocalActivities<Activities>({ ...inTask(retry, timeout), summary });
  return untilNext(summary, async () => {
    if (fromQueue && fromQueue.waitMs > 0) await sleep(fromQueue.waitMs);
    return postWebhook({ tenantId, eventId, ...ids, retry, fromQueue: fromQueue !== undefined });
  });
}

function worst(outcomes: DeliveryOutcome[], held: number): DeliveryState {
  const states: string[] = outcomes.map((outcome) => outcome.state);
  if (held > 0) states.push("Held");
  return WORST_FIRST.find((state) => states.includes(state)) ?? "Delivered";
}

function exhaustion(outcomes: DeliveryOutcome[], exhausted: DeliveryOutcome[]): ApplicationFailure {
  const reasons = [...new Set(exhausted.map((outcome) => outcome.reason))].slice(0, 5).join("; ");
  return exhaustedBy(`${exhausted.length} of ${outcomes.length} deliveries exhausted: ${reasons}`);
}
