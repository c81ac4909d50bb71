// The sending of mails: the steps of an attempt, and the loop that starts workflows.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import { intervalAfter, type PostRetryPolicy } from "../../../workflows/contract.ts";
import { urlOf } from "../../platform/address.ts";
import type { Config } from "../../platform/config/config.ts";
import type { MailConfig } from "../../platform/config/mail.ts";
import { endLease } from "../../platform/db/leases.store.ts";
import { boundTo, type Sql } from "../../platform/db/sql.ts";
import type { Passes } from "../../platform/db/watch.ts";
import type { Egress } from "../../platform/egress/index.ts";
import type { MailId, TenantId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import { MAIL_PURPOSE } from "./mails.store.ts";
import { type MailContent, messageOf } from "./message.tsx";
import {
  closeOpenMail,
  MAIL_LEASE,
  type OpenMail,
  type ReachedMail,
  recordMailAttempt,
  releaseHeld,
  startMailAttempt,
} from "./sending.store.ts";
import { createSendMessage, type SmtpResult } from "./smtp.ts";
import { startMails } from "./starter.ts";

export interface MailEngineDependencies {
  sql: Sql;
  egress: Egress;
  vault: Vault;
  mail: MailConfig;
  /** Milliseconds until a held mail is tried again. */
  probeInterval: number;
}

export type MailEngine = ReturnType<typeof createMailEngine>;

export function createMailEngine({ sql, egress, vault, mail: config, probeInterval }: MailEngineDependencies) {
  const { smtp, from } = config;
  const inSql = boundTo(sql);
  const { open } = vault.sealFor(MAIL_PURPOSE);
  const send = smtp && createSendMessage(egress, smtp, config);
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const record = inSql(recordMailAttempt);
  const release = inSql(releaseHeld);

  return {
    startAttempt: (tenantId: TenantId, id: MailId, maxAttempts: number, startedBy: string) =>
      startMailAttempt(sql, tenantId, id, { maxAttempts, startedBy, domain }),

    async send(tenantId: TenantId, mail: OpenMail, signal: AbortSignal): Promise<SmtpResult> {
      if (!send) throw new Error("A mail cannot be sent without SMTP_URL.");
      const values = JSON.parse(open(mail.content)) as MailContent & { link?: string };
      const source = await messageOf(mail.kind, values, mail, { ...mail, from });
      const secrets = values.link ? [values.link, ...urlOf(values.link).search.slice(1).split("&")] : [];
      return send({ tenantId, from, to: mail.to, source, secrets }, signal);
    },

    /** Stores an attempt, and its effect on the mail and on held ones. */
    async record(tenantId: TenantId, id: MailId, mail: OpenMail, result: SmtpResult, retry: PostRetryPolicy) {
      const reached = reachedBy(smtp?.host ?? "", mail, result, retry, probeInterval);
      const state = await record(tenantId, id, mail.number, result, reached);
      const { isServing, failure } = result;
      if (isServing && failure !== "cancelled" && failure !== "timeout") await release();
      return { ...reached, state };
    },

    closeOpen: inSql(closeOpenMail),
    endLease: (tenantId: TenantId, id: MailId) => endLease(sql, MAIL_LEASE, { id, tenantId }),
    /** Without SMTP_URL, mails wait. */
    run: (outbox: Sql, client: Client, settings: Pick<Config, "mail" | "webhooks">, log: Logger): Passes =>
      smtp ? startMails(outbox, client, settings, log) : { stop: async () => {} },
  };
}

/** A server that is down holds mails, at once if this one has been held before. */
function reachedBy(
  host: string,
  { numberInRun, run }: OpenMail,
  { failure, statusCode, isServing, isFinal }: SmtpResult,
  retry: PostRetryPolicy,
  probeInterval: number,
): ReachedMail {
  const reason = statusCode === null ? `${host}: ${failure}` : `${host} answered ${statusCode}: ${failure}`;
  if (failure === null) return { state: "Sent", reason: null, nextInMs: undefined };
  if (isFinal) return { state: failure === "bounced" ? "Bounced" : "Failed", reason, nextInMs: undefined };
  const isLast = numberInRun >= retry.maximumAttempts;
  if (!isServing && (isLast || run > 1)) return { state: "Held", reason, nextInMs: probeInterval };
  if (isLast) return { state: "Failed", reason, nextInMs: undefined };
  return { state: "Waiting", reason, nextInMs: intervalAfter(numberInRun, retry) };
}
