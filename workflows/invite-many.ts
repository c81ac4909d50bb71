// An import of invitations in the Temporal UI. Its people and progress are in PostgreSQL; a pause ends this workflow, and
// another run continues it.

import { continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { ImportProgress, InviteInput } from "./contract.ts";

const { inviteNext } = proxyActivities<Activities>({
  startToCloseTimeout: "10m",
  // A killed worker is soon replaced.
  heartbeatTimeout: "30s",
  retry: { initialInterval: "500ms", maximumInterval: "10s" },
});

export async function inviteMany(input: InviteInput): Promise<ImportProgress> {
  while (!workflowInfo().continueAsNewSuggested) {
    const progress = await inviteNext(input);
    setCurrentDetails(`${progress.state}; ${progress.done} of ${progress.total} done, ${progress.invited} invited`);
    if (progress.state !== "Running") return progress;
  }
  return continueAsNew<typeof inviteMany>(input);
}
