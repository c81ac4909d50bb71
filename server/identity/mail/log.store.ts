import type { Queries } from "../../platform/db/sql.ts";
import type { LogRow } from "../../platform/http/fields.ts";
import type { MailId, TenantId } from "../../platform/ids.ts";
import { logTable } from "../../records/index.ts";
import { MAIL, type MailFilter } from "./contract.ts";
import type { MailKind } from "./kinds.ts";
import { mailFace } from "./mails.store.ts";
import type { Sender } from "./message.tsx";
import { again, wakeSender } from "./sending.store.ts";

type Row = LogRow<typeof MAIL.field>;

export const MAILS = logTable<typeof MAIL.field, MailFilter, Pick<Row, "attempts">>(MAIL, {
  more: {
    attempts: (sql) => sql`
      coalesce((
        select json_agg(json_build_object('number', number, 'startedOn', started_on, 'durationMs', duration_ms,
          'statusCode', status_code, 'failure', failure, 'response', response) order by number)
        from mail_attempts where mail_id = mails.id
      ), '[]')`,
  },
  matching: (sql, { To, UserId, Kind, State }) => sql`
    ${To ? sql`and lower(recipient) = lower(${To})` : sql``} ${UserId ? sql`and user_id = ${UserId}` : sql``}
    ${Kind ? sql`and kind = ${Kind}` : sql``} ${State ? sql`and state = ${State}` : sql``}`,
});
export type LoggedMail = Row;

/** Begins another run of a mail that was not sent. @returns false if it cannot be sent, or its link has expired */
export async function resendMail(sql: Queries, tenantId: TenantId, id: MailId): Promise<boolean> {
  const { count } = await sql`
    update mails set ${again(sql)}
    where tenant_id = ${tenantId} and id = ${id} and state in ('Failed', 'Bounced', 'Held') and content is not null
      and coalesce(expires_on > now(), true)`;
  if (count > 0) await wakeSender(sql);
  return count > 0;
}

/** The values of a mail that has not been sent, sealed. */
export async function findMailContent(sql: Queries, tenantId: TenantId, id: MailId): Promise<Buffer | null> {
  const [row] = await sql<{ content: Buffer | null }[]>`
    select content from mails where tenant_id = ${tenantId} and id = ${id}`;
  return row?.content ?? null;
}

export async function findSender(sql: Queries, tenantId: TenantId): Promise<Sender> {
  const [row] = await sql<Sender[]>`
    select name as "tenantName", display_name as "displayName", reply_to as "replyTo", texts, branding
    from (select t.name, t.texts, ${mailFace(sql)} from tenants t where t.id = ${tenantId}) found`;
  return row!;
}

/** The kinds of alerts that are mailed, and the addresses. */
export async function findAlertMails(sql: Queries, tenantId: TenantId): Promise<{ kinds: string[]; to: string[] }> {
  const [row] = await sql<{ kinds: string[]; to: string[] }[]>`
    select alert_mail_kinds as kinds, alert_mail_to as "to" from tenants where id = ${tenantId}`;
  return row!;
}

/** Mails of these kinds in the last hour. @param of an address in any case, or a User who caused them */
export async function countMails(
  sql: Queries,
  tenantId: TenantId,
  kinds: readonly MailKind[],
  of: { to?: string; userId?: number } = {},
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from mails
    where tenant_id = ${tenantId} and kind = any (${[...kinds]}::text[]) and created_on > now() - interval '1 hour'
      ${of.to === undefined ? sql`` : sql`and lower(recipient) = lower(${of.to})`}
      ${of.userId === undefined ? sql`` : sql`and user_id = ${of.userId}`}`;
  return row!.count;
}
