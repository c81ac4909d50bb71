// A bulk redelivery as ops people see it. What is wished of it, and how far it has come, stands in PostgreSQL, and its
// deliveries go out from the queue; this follows them and says when they have ended.

import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { REDELIVERY_CHANGED, REDELIVERY_PROGRESS, type RedeliverInput, type RedeliveryProgress } from "./contract.ts";

const changed = defineSignal(REDELIVERY_CHANGED);
const progressQuery = defineQuery<RedeliveryProgress | undefined>(REDELIVERY_PROGRESS);

/** Between two looks at retries; twice as long after each. */
const FIRST_LOOK_MS = 500;
const MAX_LOOK_MS = 30_000;

const { followRedelivery, cancelRedelivery } = proxyActivities<Activities>({
  startToCloseTimeout: "2m",
  // A worker that was killed is soon replaced by another.
  heartbeatTimeout: "10s",
  retry: { initialInterval: "500ms", maximumInterval: "10s" },
});

/**
 * @returns what it came to
 * @throws CancelledFailure if the workflow is cancelled; the redelivery then is Cancelled too
 */
export async function redeliver(input: RedeliverInput): Promise<RedeliveryProgress> {
  const { tenantId, redeliveryId } = input;
  let { progress } = input;
  let changes = 0;
  let look = FIRST_LOOK_MS;
  setHandler(progressQuery, () => progress);
  setHandler(changed, () => {
    changes++;
  });
  try {
    for (;;) {
      const changesBefore = changes;
      progress = await followRedelivery({ tenantId, redeliveryId });
      setCurrentDetails(describe(progress));
      if (progress.state === "Completed" || progress.state === "Cancelled") return progress;
      const isChanged = () => changes !== changesBefore;
      if (progress.retrying) {
        await condition(isChanged, look);
        look = Math.min(2 * look, MAX_LOOK_MS);
      } else {
        look = FIRST_LOOK_MS;
        if (progress.waitsFor) await condition(isChanged);
      }
      if (workflowInfo().continueAsNewSuggested) break;
    }
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => cancelRedelivery({ tenantId, redeliveryId }));
    }
    throw error;
  }
  return continueAsNew<typeof redeliver>({ tenantId, redeliveryId, progress });
}

/** What a person reads in the Temporal UI. */
function describe({ state, total, done, delivered, exhausted, waitsFor }: RedeliveryProgress): string {
  const counts = `${done} of ${total} done: ${delivered} delivered, ${exhausted} exhausted`;
  return waitsFor ? `${state}, waits for ${waitsFor}; ${counts}` : `${state}; ${counts}`;
}
