// An erasure in the Temporal UI. Its request and its steps are in PostgreSQL; this workflow repeats the activity until
// nothing remains.

import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { ERASURE_CHANGED, type EraseInput, type ErasureProgress } from "./contract.ts";
import { countSignals } from "./signals.ts";

const changed = defineSignal(ERASURE_CHANGED);

/** The interval of checks, which doubles after each. */
const FIRST_LOOK_MS = 200;
const MAX_LOOK_MS = 30_000;

const { continueErasure } = proxyActivities<Activities>({
  // It may search every stored payload. The next attempt continues an interrupted search.
  startToCloseTimeout: "1h",
  heartbeatTimeout: "10s",
  retry: { initialInterval: "500ms", maximumInterval: "10s" },
});

export async function erasePerson(input: EraseInput): Promise<ErasureProgress> {
  const changes = countSignals(changed);
  let look = FIRST_LOOK_MS;
  while (!workflowInfo().continueAsNewSuggested) {
    const isChanged = changes.sinceNow();
    const progress = await continueErasure(input);
    if (progress.state === "Completed") return progress;
    setCurrentDetails(
      progress.open > 0 ? `waits for ${progress.open} open deliveries` : "waits for transactions that began before it",
    );
    if (await condition(isChanged, look)) look = FIRST_LOOK_MS;
    else look = Math.min(2 * look, MAX_LOOK_MS);
  }
  return continueAsNew<typeof erasePerson>(input);
}
