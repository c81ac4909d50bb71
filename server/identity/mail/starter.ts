// Starts a workflow for each mail. Runs beside the worker, so writing a mail does not need Temporal.

import type { Client } from "@temporalio/client";
import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from "@temporalio/common";
import type { Logger } from "pino";
import { type SendMailInput, TASK_QUEUE } from "../../../workflows/contract.ts";
import type { Config } from "../../platform/config/config.ts";
import { startDue } from "../../platform/db/leases.store.ts";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { Passes } from "../../platform/db/watch.ts";
import { policyInWords, retryPolicy } from "../../platform/temporal/retry-policy.ts";
import { TENANT_ID } from "../../platform/temporal/search-attributes.ts";
import { inBytes } from "../../platform/temporal/ui-texts.ts";
import { MAIL_CHANNEL } from "./mails.store.ts";
import { areWaiting, type DueMail, leaseMails, MAIL_LEASE, settleHeld, wakeSender } from "./sending.store.ts";
import { SMTP_TIMEOUT_MS } from "./smtp.ts";

const BATCH = 50;
/** How soon more mails are started if MAIL_RATE has stopped some. */
const RATE_PAUSE_MS = 200;

/** The workflow of a mail's run. @example "Mail/Invitation/0197c6f2-…" */
export function mailWorkflowId({ id, kind, run }: Pick<DueMail, "id" | "kind" | "run">): string {
  return [`Mail/${kind}/${id}`, ...(run === 1 ? [] : [run])].join("/");
}

/** Checks each workflow repeatedly until its mail has ended, because Temporal's store may be wiped. */
export function startMails(
  sql: Sql,
  client: Client,
  { mail, webhooks }: Pick<Config, "mail" | "webhooks">,
  log: Logger,
): Passes {
  const retry = retryPolicy(webhooks);
  let timer: Timer | undefined;

  async function leaseDue(queries: Queries, limit: number): Promise<DueMail[]> {
    await settleHeld(queries);
    const due = await leaseMails(queries, webhooks.reconcileInterval, mail.rate, limit);
    if (due.length < limit && (await areWaiting(queries))) {
      clearTimeout(timer);
      timer = setTimeout(() => wakeSender(sql).catch(() => {}), RATE_PAUSE_MS);
    }
    return due;
  }

  const passes = startDue(sql, log, {
    lease: MAIL_LEASE,
    channel: MAIL_CHANNEL,
    nouns: ["a mail", "mails"],
    idName: "mailId",
    batch: BATCH,
    leaseDue,
    async start({ id, tenantId, kind, run }) {
      const input: SendMailInput = { tenantId, mailId: id, retry, timeout: SMTP_TIMEOUT_MS };
      await client.workflow.start("sendMail", {
        taskQueue: TASK_QUEUE,
        workflowId: mailWorkflowId({ id, kind, run }),
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        args: [input],
        typedSearchAttributes: [{ key: TENANT_ID, value: tenantId }],
        staticSummary: inBytes(`Mail ${kind}`),
        staticDetails: `${policyInWords(retry)}.`,
      });
    },
  });
  return {
    async stop() {
      clearTimeout(timer);
      await passes.stop();
    },
  };
}
