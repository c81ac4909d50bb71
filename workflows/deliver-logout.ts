// One logout token for one client: posted until it is taken, three times at most.

import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
  sleep,
  TemporalFailure,
} from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { causeOf, exhaustedBy, RECORDING_MS, SILENCE_MS, waitAfter } from "./attempts.ts";
import { type DeliverLogoutInput, EXHAUSTED, LOGOUT_QUEUE, type LogoutOutcome } from "./contract.ts";

const { closeLogout } = proxyActivities<Activities>({
  startToCloseTimeout: "1m",
  summary: "write the final state of a logout that no attempt has ended",
});

/**
 * @throws ApplicationFailure Exhausted if it was not delivered, so that "Failed" is a filter in the Temporal UI
 * @throws CancelledFailure if the workflow is cancelled; the logout then is Cancelled too
 */
export async function deliverLogout(input: DeliverLogoutInput): Promise<LogoutOutcome> {
  try {
    return await post(input);
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const cause = causeOf(error);
    if (cause instanceof ApplicationFailure && cause.type === EXHAUSTED) throw exhaustedBy(cause.message);
    const { tenantId, logoutId } = input;
    const state = CancellationScope.current().consideredCancelled ? "Cancelled" : "Exhausted";
    await CancellationScope.nonCancellable(() => closeLogout({ tenantId, logoutId, state }));
    throw error;
  }
}

/** The attempts are counted in PostgreSQL: the one that was the last says so itself. */
async function post({ timeout, ...asked }: DeliverLogoutInput): Promise<LogoutOutcome> {
  const { postLogout } = proxyActivities<Activities>({
    taskQueue: LOGOUT_QUEUE,
    startToCloseTimeout: timeout + RECORDING_MS,
    heartbeatTimeout: SILENCE_MS,
    retry: { maximumAttempts: 1 },
    // A post that is out is broken off and logged before the workflow ends.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: "post the logout token",
  });
  for (let turn = 1; ; turn++) {
    try {
      return await postLogout({ ...asked, turn });
    } catch (error) {
      await sleep(waitAfter(error, asked.retry, turn), { summary: "until the next post" });
    }
  }
}
