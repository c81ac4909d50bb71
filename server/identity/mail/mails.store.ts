import type { Queries, Transaction } from "../../platform/db/sql.ts";
import { type MailId, newId } from "../../platform/ids.ts";
import { isMailAddress } from "../../platform/mail-address.ts";
import type { SealedColumn, Vault } from "../../platform/vault.ts";
import { texts } from "../../ui/index.ts";
import type { NewMail } from "./kinds.ts";

/** The face of the tenant in row `t`, as it looks when the mail is sent. */
export const mailFace = (sql: Queries) => sql`
  t.display_name, t.reply_to, jsonb_build_object('logo', t.logo, 'accent', t.accent, 'darkAccent', t.dark_accent,
    'background', t.background, 'darkBackground', t.dark_background, 'helpUri', t.help_uri, 'privacyUri', t.privacy_uri,
    'termsUri', t.terms_uri) as branding`;

/** Notified by each new mail. */
export const MAIL_CHANNEL = "gatehouse_mail";
export const MAIL_PURPOSE = "mail";
export const SEALED_MAILS: SealedColumn = { table: "mails", column: "content", purpose: MAIL_PURPOSE };

/** Text that is no address is recorded as Failed, so that callers answer the same for all users. */
export function createInsertMail(vault: Vault) {
  const { seal } = vault.sealFor(MAIL_PURPOSE);
  return async (tx: Transaction, mail: NewMail): Promise<MailId> => {
    const { tenantId, kind, to, userId, values } = mail;
    const id = newId<MailId>();
    const isValid = isMailAddress(to);
    const content = isValid ? seal(JSON.stringify({ ...values, language: await languageFor(tx, mail) })) : null;
    const expiresOn = "expiresOn" in values ? values.expiresOn : null;
    await tx`
      insert into mails (id, tenant_id, kind, recipient, user_id, content, expires_on, state, reason, ended_on)
      values (${id}, ${tenantId}, ${kind}, ${to}, ${userId}, ${content}, ${expiresOn},
        ${isValid ? "Waiting" : "Failed"}, ${isValid ? null : "not an address"}, ${isValid ? null : tx`now()`})`;
    if (isValid) await tx`select pg_notify(${MAIL_CHANNEL}, '')`;
    return id;
  };
}

/** The user's own, else that of the page, else the tenant's. */
async function languageFor(tx: Transaction, { tenantId, userId, language }: NewMail): Promise<texts.LanguageCode> {
  const [found] = await tx<{ own: string | null; tenant: texts.LanguageCode }[]>`
    select t.language as tenant, (select locale from users where tenant_id = t.id and id = ${userId}) as own
    from tenants t where t.id = ${tenantId}`;
  return texts.bestOf(found!.own ?? undefined) ?? language ?? found!.tenant;
}
