// Sends one mail, with at most three attempts.

import { CancellationScope, proxyActivities, TemporalFailure } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { MailOutcome, SendMailInput } from "./contract.ts";
import { besideTask, exhaustedBy, exhaustionIn } from "./retry.ts";

const { closeMail } = proxyActivities<Activities>({
  startToCloseTimeout: "1m",
  summary: "resume a mail that no attempt has finished",
});

/** @throws ApplicationFailure Exhausted if it was not sent, for the filter "Failed" in the Temporal UI */
export async function sendMail({ timeout, ...input }: SendMailInput): Promise<MailOutcome> {
  const { tenantId, mailId, retry } = input;
  const { postMail } = proxyActivities<Activities>({ ...besideTask(retry, timeout), summary: "send the mail" });
  try {
    return await postMail(input);
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const reason = exhaustionIn(error);
    if (reason !== undefined) throw exhaustedBy(reason);
    const cancelled = CancellationScope.current().consideredCancelled;
    const { maximumAttempts } = retry;
    await CancellationScope.nonCancellable(() => closeMail({ tenantId, mailId, cancelled, maximumAttempts }));
    throw error;
  }
}
