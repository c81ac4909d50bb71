// Posts a logout token to one client, at most three times.

import { CancellationScope, proxyActivities, TemporalFailure } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { DeliverLogoutInput, LogoutOutcome } from "./contract.ts";
import { besideTask, exhaustedBy, exhaustionIn } from "./retry.ts";

const { closeLogout } = proxyActivities<Activities>({
  startToCloseTimeout: "1m",
  summary: "resume a logout that no attempt has finished",
});

/**
 * @throws ApplicationFailure Exhausted if it was not delivered, for the filter "Failed" in the Temporal UI
 * @throws CancelledFailure if the workflow is cancelled, as is the logout then
 */
export async function deliverLogout({ timeout, ...input }: DeliverLogoutInput): Promise<LogoutOutcome> {
  const { tenantId, logoutId, retry } = input;
  const { postLogout } = proxyActivities<Activities>({
    ...besideTask(retry, timeout),
    summary: "post the logout token",
  });
  try {
    return await postLogout(input);
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const reason = exhaustionIn(error);
    if (reason !== undefined) throw exhaustedBy(reason);
    const cancelled = CancellationScope.current().consideredCancelled;
    const { maximumAttempts } = retry;
    await CancellationScope.nonCancellable(() => closeLogout({ tenantId, logoutId, cancelled, maximumAttempts }));
    throw error;
  }
}
