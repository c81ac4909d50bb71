// Mails for other features.

import type { Logger } from "pino";
import type { MailConfig } from "../../platform/config/mail.ts";
import { onCommit, type Transaction } from "../../platform/db/sql.ts";
import { Conflict } from "../../platform/errors.ts";
import type { MailId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import type { NewMail } from "./kinds.ts";
import { createInsertMail } from "./mails.store.ts";

export interface Mailer {
  /** Writes a mail in the transaction of its cause; a worker sends it after the commit. Without mail, does nothing. */
  recordMail(tx: Transaction, mail: NewMail): Promise<MailId | undefined>;
  /** False: SMTP_URL is not set, so features that need mail must be hidden. */
  canSend: boolean;
  /** @throws Conflict if the installation sends no mail, saying what to set */
  requireMail(): void;
}

export function createMailer(vault: Vault, { smtp, isKept }: MailConfig, log: Logger): Mailer {
  const insert = createInsertMail(vault);
  const canSend = smtp !== undefined || isKept;
  return {
    async recordMail(tx, mail) {
      if (!canSend) return undefined;
      const id = await insert(tx, mail);
      const { kind, to, values } = mail;
      const link = "link" in values ? values.link : undefined;
      if (isKept)
        onCommit(tx, () => log.info({ mailId: id, kind, to, link }, "mail kept, because SMTP_URL is not set"));
      return id;
    },
    canSend,
    requireMail() {
      if (!canSend)
        throw new Conflict("This installation sends no mail: its operator must set SMTP_URL and MAIL_FROM.");
    },
  };
}
