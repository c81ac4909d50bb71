// Mails to administrators about alerts, in the transaction that raises them.

import type { Transaction } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { findAlertMails } from "./log.store.ts";
import type { Mailer } from "./mailer.ts";

type MailAlerts = (
  tx: Transaction,
  tenantId: TenantId,
  alerts: readonly { kind: string; reason: string | null }[],
) => Promise<void>;

/** One mail to each chosen address, with all alerts of the chosen kinds. */
export function createMailAlerts({ recordMail, canSend }: Mailer, publicUrl: string): MailAlerts {
  return async (tx, tenantId, alerts) => {
    const { kinds, to } = canSend ? await findAlertMails(tx, tenantId) : { kinds: [], to: [] };
    const told = alerts.filter(({ kind }) => kinds.includes(kind));
    if (told.length === 0) return;
    const lines = told.slice(0, MAX_LINES).map(({ kind, reason }) => `${kind}: ${reason ?? ""}`);
    const values = { lines, count: told.length, link: `${publicUrl}/settings/alerts`, at: new Date() };
    for (const address of to) await recordMail(tx, { tenantId, kind: "Alert", to: address, userId: null, values });
  };
}

const MAX_LINES = 20;
