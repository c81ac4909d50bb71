// One event's deliveries: each posted by a local activity of its own, in parallel, so that one receiver's failure
// never touches another's. One that has waited in the queue has a workflow of its own, and to a slow receiver a regular
// activity, for a local one holds the workflow's task.

import {
  ActivityCancellationType,
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
import { causeOf, exhaustedBy, RECORDING_MS, SILENCE_MS, waitAfter, waitOf } from "./attempts.ts";
import {
  type DeliverWebhookInput,
  type DeliveryOutcome,
  type DeliveryState,
  type DeliveryToMake,
  EXHAUSTED,
  MAXIMUM_ATTEMPTS,
  type PostWebhookResult,
  TASK_QUEUE,
} from "./contract.ts";

/** After so long without anybody taking it from a worker's own queue that worker is gone. */
const NOBODY_MS = 5_000;
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
 * Every attempt stands in the history with its failure, and every wait is a durable timer. The attempts are counted in
 * PostgreSQL: the one that was the last says so itself.
 */
async function post(input: DeliverWebhookInput, delivery: DeliveryToMake): Promise<PostWebhookResult> {
  const { tenantId, eventId, retry, own } = input;
  const { to, ...ids } = delivery;
  let taskQueue = own?.taskQueue;
  let wait = own?.waitMs ?? 0;
  for (let attempt = 1; ; attempt++) {
    if (wait > 0) await sleep(wait, { summary: `until the next post to ${to}` });
    const asked = {
      tenantId,
      eventId,
      ...ids,
      maximumAttempts: MAXIMUM_ATTEMPTS,
      retry,
      again: own !== undefined && attempt > 1,
    };
    const options = {
      startToCloseTimeout: input.timeout + RECORDING_MS,
      retry: { maximumAttempts: 1 },
      summary: `post to ${to}`,
    };
    const made = taskQueue
      ? proxyActivities<Activities>({
          ...options,
          taskQueue,
          // Nobody asks for a dead worker's; any worker does for the common queue's.
          scheduleToStartTimeout: taskQueue === TASK_QUEUE ? undefined : NOBODY_MS,
          heartbeatTimeout: SILENCE_MS,
          // A post that is out is broken off and logged before the workflow ends.
          cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        }).postQueued(asked)
      : proxyLocalActivities<Activities>(options).postWebhook(asked);
    try {
      return await made;
    } catch (error) {
      wait = waitAfter(error, retry, attempt);
      // The worker that had a place for it may have died.
      if (taskQueue && waitOf(error) === undefined) taskQueue = TASK_QUEUE;
    }
  }
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
