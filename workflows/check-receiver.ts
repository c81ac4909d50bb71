// A check of a connection's receiver in the Temporal UI. Its steps and results are in PostgreSQL.

import { ActivityCancellationType, proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { CheckInput } from "./contract.ts";

const { runCheck } = proxyActivities<Activities>({
  startToCloseTimeout: "1h",
  heartbeatTimeout: "20s",
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: "1s", maximumInterval: "30s" },
});

/** The next try of an interrupted activity continues with the same step. */
export async function checkReceiver(input: CheckInput): Promise<void> {
  await runCheck(input);
}
