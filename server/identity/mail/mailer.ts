// What features use to send mails.

import { Conflict } from "../../platform/errors.ts";
import type { Vault } from "../../platform/vault.ts";
import { createRecordMail, type RecordMail } from "./mails.store.ts";

export interface Mailer {
  recordMail: RecordMail;
  /** False: the installation has no SMTP_URL, so features that need mail must be hidden. */
  canSend: boolean;
  /** @throws Conflict if the installation cannot send mails, saying what to set */
  requireMail(): void;
}

/** @param canSend SMTP_URL is set, or `start` keeps mails for its outbox page */
export function createMailer(vault: Vault, canSend: boolean): Mailer {
  return {
    recordMail: createRecordMail(vault),
    canSend,
    requireMail() {
      if (!canSend) throw new Conflict("This installation sends no mail: its operator has not set SMTP_URL.");
    },
  };
}
