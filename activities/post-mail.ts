import { Context } from "@temporalio/activity";
import type { CloseMailInput, MailOutcome, PostMailInput } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";
import { attemptFailed, closingOf, isWorkflowCancelled, untilDone } from "./retry.ts";

type Dependencies = Pick<ActivityDependencies, "mails" | "log" | "metrics">;

/** One attempt of a mail. Its failure contains the host, the status and one word, never an address or a line. */
export function createPostMail({ mails, log, metrics }: Dependencies) {
  return async (input: PostMailInput): Promise<MailOutcome> => {
    const context = Context.current();
    const stopBeating = heartbeat(context);
    try {
      return await post(input, context.cancellationSignal);
    } finally {
      stopBeating();
    }
  };

  async function post({ tenantId, mailId, retry }: PostMailInput, signal: AbortSignal): Promise<MailOutcome> {
    const database = <T>(step: () => Promise<T>) => untilDone(log, { tenantId, mailId }, signal, step);
    const startedBy = Bun.randomUUIDv7();
    const mail = await database(() => mails.startAttempt(tenantId, mailId, retry.maximumAttempts, startedBy));
    if (!mail) return { state: "Removed", attempts: 0 };
    const { number } = mail;
    if (!mail.isStarted) return afterEnd(mail.state, number, mail.reason, mail.waitMs);

    const result = await mails.send(tenantId, mail, signal);
    const { state, reason, nextInMs } = await database(() => mails.record(tenantId, mailId, mail, result, retry));
    log.info({ tenantId, mailId, kind: mail.kind, attempt: number, state, reason }, "mail attempt");
    metrics.mailAttempted(result);
    if (state === undefined) return { state: "Removed", attempts: number };
    if (isWorkflowCancelled(signal)) throw signal.reason;
    return afterEnd(state, number, reason, nextInMs);
  }
}

function afterEnd(state: MailOutcome["state"], attempts: number, reason: string | null, nextInMs = 0): MailOutcome {
  if (state === "Failed" || state === "Bounced") throw attemptFailed(reason ?? "not sent");
  if (state === "Waiting") throw attemptFailed(reason ?? "its next attempt is not due yet", Math.ceil(nextInMs));
  return { state, attempts };
}

/** As for a logout: with attempts left, a mail whose workflow has ended gets a new one. */
export function createCloseMail({ mails, log }: Dependencies) {
  return async (input: CloseMailInput): Promise<MailOutcome> => {
    const { tenantId, mailId } = input;
    const { reason, minAttempts } = closingOf(input);
    const state = await mails.closeOpen(tenantId, mailId, reason, minAttempts);
    log.warn({ tenantId, mailId, state, reason }, "mail closed without an attempt's result");
    if (state === "Waiting") await mails.endLease(tenantId, mailId);
    return { state: state ?? "Removed", attempts: 0 };
  };
}
