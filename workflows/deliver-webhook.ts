// One event's deliveries: each posted by a local activity of its own, in parallel, so that one receiver's failure
// never touches another's. Three exponential attempts are the activity's retry policy. A delivery that has waited in
// the queue has a workflow of its own, and to a slow receiver a regular activity, for a local one holds the workflow's
// task.

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
import { attempts, exhaustedBy, exhaustionIn, longAttempts, untilNext } from "./attempts.ts";
import type {
  DeliverWebhookInput,
  DeliveryOutcome,
  DeliveryState,
  DeliveryToMake,
  PostWebhookResult,
} from "./contract.ts";

/** After so long without anybody taking it from a worker's own queue that worker is gone. */
const NOBODY_MS = 5_000;
/** From the worst to the best. */
const WORST_FIRST: DeliveryState[] = ["Exhausted", "Held", "Cancelled", "Delivered"];

const { closeDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: "1m",
  summary: "go on with a delivery that no attempt has ended",
});

/**
 * @returns each delivery's outcome
 * @throws CancelledFailure if the workflow is cancelled; its open deliveries then are Cancelled too
 * @throws ApplicationFailure Exhausted if any was not delivered, so that "Failed" is a filter in the Temporal UI
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryOutcome[]> {
  const outcomes = await Promise.all(input.deliveries.map((delivery) => deliver(input, delivery)));
  // What is queued has its state from its own workflow.
  const ended = outcomes.filter((outcome) => outcome.state !== "Queued");
  const smooth = ended.every((outcome) => outcome.state === "Delivered" && outcome.attempts === 1);
  if (!smooth) upsertSearchAttributes({ DeliveryState: [worst(ended, input.held)] });
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure("cancelled, its open deliveries too");
  const exhausted = outcomes.filter((outcome) => outcome.state === "Exhausted");
  if (exhausted.length > 0) throw exhaustion(ended, exhausted);
  return outcomes;
}

async function deliver(input: DeliverWebhookInput, delivery: DeliveryToMake): Promise<DeliveryOutcome> {
  const { tenantId } = input;
  const { deliveryId, connectionId } = delivery;
  try {
    return { connectionId, ...(await post(input, delivery)) };
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const { maximumAttempts } = input.retry;
    const reason = exhaustionIn(error);
    if (reason !== undefined) return { connectionId, state: "Exhausted", attempts: maximumAttempts, reason };
    // No attempt wrote a final state: the activity could not, or somebody cancelled the workflow.
    const cancelled = CancellationScope.current().consideredCancelled;
    const close = () => closeDelivery({ tenantId, deliveryId, connectionId, cancelled, maximumAttempts });
    return { connectionId, ...(await CancellationScope.nonCancellable(close)) };
  }
}

/**
 * Every attempt stands in the history with its number and its failure, and every wait is a durable timer. PostgreSQL
 * counts the posts as well: an attempt that a worker's death has cut off is made again here, and not there.
 */
function post(input: DeliverWebhookInput, { to, ...ids }: DeliveryToMake): Promise<PostWebhookResult> {
  const { tenantId, eventId, retry, timeout, fromQueue } = input;
  const summary = `post to ${to}`;
  // Nobody takes what a worker that has died has a place for: it goes back to the queue.
  const ofWorker = fromQueue?.taskQueue && { taskQueue: fromQueue.taskQueue, scheduleToStartTimeout: NOBODY_MS };
  const { postWebhook } = ofWorker
    ? proxyActivities<Activities>({ ...longAttempts(retry, timeout), ...ofWorker, summary })
    : proxyLocalActivities<Activities>({ ...attempts(retry, timeout), summary });
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
