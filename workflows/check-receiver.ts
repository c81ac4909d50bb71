// A check of a connection's receiver, step by step. Results are in PostgreSQL.

import { CancellationScope, proxyActivities, setCurrentDetails } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { CHECK_STEPS, type CheckInput } from "./contract.ts";

const { checkReceiver } = proxyActivities<Activities>({
  startToCloseTimeout: "5m",
  heartbeatTimeout: "20s",
  retry: { initialInterval: "1s", maximumInterval: "30s" },
});

/** If it is cancelled, the check ends with the steps so far. */
export async function checkReceiverSteps(input: CheckInput): Promise<void> {
  try {
    for (const [index, step] of CHECK_STEPS.entries()) {
      setCurrentDetails(`step ${index + 1} of ${CHECK_STEPS.length}: ${step}`);
      if (!(await checkReceiver({ ...input, step }))) return;
    }
  } finally {
    await CancellationScope.nonCancellable(() => checkReceiver({ ...input, step: "End" }));
  }
}
