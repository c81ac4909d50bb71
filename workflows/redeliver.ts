// A bulk redelivery in the Temporal UI. Its request and progress are in PostgreSQL, and the queue sends its deliveries;
// this workflow follows them until all have ended.

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
import { countSignals } from "./signals.ts";

const changed = defineSignal(REDELIVERY_CHANGED);
const progressQuery = defineQuery<RedeliveryProgress | undefined>(REDELIVERY_PROGRESS);

/** The interval of checks for retries, which doubles after each. */
const FIRST_LOOK_MS = 500;
const MAX_LOOK_MS = 30_000;

const { followRedelivery, cancelRedelivery } = proxyActivities<Activities>({
  startToCloseTimeout: "2m",
  // A killed worker is soon replaced.
  heartbeatTimeout: "10s",
  retry: { initialInterval: "500ms", maximumInterval: "10s" },
});

/** @returns the final progress @throws CancelledFailure if the workflow is cancelled, as is the redelivery then */
export async function redeliver(input: RedeliverInput): Promise<RedeliveryProgress> {
  const { tenantId, redeliveryId } = input;
  let { progress } = input;
  let look = FIRST_LOOK_MS;
  setHandler(progressQuery, () => progress);
  const changes = countSignals(changed);
  try {
    for (;;) {
      const isChanged = changes.sinceNow();
      progress = await followRedelivery({ tenantId, redeliveryId });
      setCurrentDetails(describe(progress));
      if (progress.state === "Completed" || progress.state === "Cancelled") return progress;
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

/** The text in the Temporal UI. */
function describe({ state, total, done, delivered, exhausted, waitsFor }: RedeliveryProgress): string {
  const counts = `${done} of ${total} done: ${delivered} delivered, ${exhausted} exhausted`;
  return waitsFor ? `${state}, waits for ${waitsFor}; ${counts}` : `${state}; ${counts}`;
}
