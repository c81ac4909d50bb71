// The states of a mail: leased for a workflow, its attempts, held while the SMTP server is down.

import type { MailState } from "../../../workflows/contract.ts";
import type { Lease } from "../../platform/db/leases.store.ts";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { MailId, TenantId } from "../../platform/ids.ts";
import type { MailKind } from "./kinds.ts";
import { MAIL_CHANNEL, mailFace } from "./mails.store.ts";
import type { Sender } from "./message.tsx";
import type { SmtpResult } from "./smtp.ts";

export const MAIL_LEASE: Lease = { table: "mails" };
/** Days for which a mail's row is kept. */
const MAIL_KEPT_DAYS = 30;
/** An arbitrary constant, unique among our advisory locks: workers lease in turn, so that the rate is kept. */
const LEASING_LOCK = 7_203_447;
/** Mails that are being sent, over all workers; those that wait for a retry are not counted. */
const MAX_UNDER_WAY = 20;
/** Attempts of a mail that are kept; a held one is tried often. */
const MAX_ATTEMPTS_KEPT = 20;

export interface DueMail {
  id: MailId;
  tenantId: TenantId;
  kind: MailKind;
  run: number;
}

/**
 * While mails are held, new ones are held as well, and one is tried again, if it is due: of those that were tried least,
 * the oldest, so that one that can never be sent holds no others. Mails whose link has expired are not sent.
 */
export async function settleHeld(sql: Queries): Promise<void> {
  const [held] = await sql<{ reason: string }[]>`
    select reason from mails where state = 'Held' order by retry_on desc nulls last limit 1`;
  if (!held) return;
  await sql`
    update mails set state = 'Failed', reason = 'expired', content = null, ended_on = now()
    where state = 'Held' and expires_on < now()`;
  await sql`
    update mails set state = 'Held', reason = ${held.reason}
    where state = 'Waiting' and run = 1 and lease_until = '-infinity'`;
  await sql`
    update mails set ${again(sql)} where id = (
      select id from mails where state = 'Held'
        and not exists (select from mails where state = 'Held' and retry_on > now())
        and not exists (select from mails where state = 'Waiting' and run > 1)
      order by run, id limit 1
    )`;
}

/** In turn of tenants, so that many mails of one do not delay those of others; invitations after its other mails. */
export async function leaseMails(sql: Queries, checkMs: number, rate: number, limit: number): Promise<DueMail[]> {
  return sql<DueMail[]>`
    with turn as materialized (select pg_try_advisory_xact_lock(${LEASING_LOCK}) as mine
    ), free as (
      select least(
        ${rate} - (select count(*) from mails where started_on > now() - interval '1 second'),
        ${MAX_UNDER_WAY} - (
          select count(*) from mails
          where state = 'Waiting' and lease_until > '-infinity' and coalesce(retry_on, now()) <= now())
      ) as places
    ), ranked as (
      select id, row_number() over (order by place, id) as rank from (
        select id, row_number() over (partition by tenant_id order by kind = 'Invitation', id) as place
        from mails where state = 'Waiting' and lease_until = '-infinity'
      ) waiting
    ), due as (
      select m.id from turn, free, mails m left join ranked r on r.id = m.id
      where turn.mine and m.state = 'Waiting' and m.lease_until < now()
        and (m.lease_until > '-infinity' or r.rank <= free.places)
      order by r.rank nulls first limit ${limit} for update of m skip locked
    )
    update mails m set lease_until = now() + ${checkMs} * interval '1 millisecond',
      started_on = case when m.lease_until = '-infinity' then clock_timestamp() else m.started_on end
    from due where m.id = due.id
    returning m.id, m.tenant_id as "tenantId", m.kind, m.run`;
}

export async function areWaiting(sql: Queries): Promise<boolean> {
  const [row] = await sql<{ waiting: boolean }[]>`
    select exists (select from mails where state = 'Waiting' and lease_until = '-infinity') as waiting`;
  return row!.waiting;
}

export const wakeSender = (sql: Queries) => sql`select pg_notify(${MAIL_CHANNEL}, '')`;

/** The columns of a mail that begins a new run, with all attempts. */
export const again = (sql: Queries) => sql`
  state = 'Waiting', run = run + 1, earlier_attempts = attempts, reason = null, retry_on = null, ended_on = null,
  lease_until = '-infinity'`;

export interface OpenMail extends Sender {
  state: MailState;
  kind: MailKind;
  reason: string | null;
  /** True if an attempt is started; otherwise the mail has ended or must wait. */
  isStarted: boolean;
  /** The attempt's number, or the number of attempts so far. */
  number: number;
  numberInRun: number;
  run: number;
  waitMs: number;
  to: string;
  messageId: string;
  createdOn: Date;
  /** Sealed. */
  content: Buffer;
}

/**
 * Starts an attempt if it is due. An earlier one without a result was lost with its worker; if that was the last, the
 * mail is Failed, as one whose link has expired.
 * @param startedBy a key of the caller: repeating a call after a lost response returns the same attempt
 * @param domain of the Message-ID, which stays the same
 * @returns undefined if the mail was removed
 */
export async function startMailAttempt(
  sql: Queries,
  tenantId: TenantId,
  id: MailId,
  { maxAttempts, startedBy, domain }: { maxAttempts: number; startedBy: string; domain: string },
): Promise<OpenMail | undefined> {
  const [row] = await sql<OpenMail[]>`
    with found as (
      select m.*, t.name as tenant_name, t.texts, ${mailFace(sql)},
        coalesce(m.attempt_opened_by = ${startedBy} and exists (
          select from mail_attempts a where a.mail_id = m.id and a.duration_ms is null and a.failure is null
        ), false) as mine,
        coalesce(m.expires_on <= now(), false) as expired,
        greatest(0, 1000 * extract(epoch from m.retry_on - now()))::float8 as wait_ms
      from mails m join tenants t on t.id = m.tenant_id
      where m.tenant_id = ${tenantId} and m.id = ${id} for update of m
    ), judged as (
      select *, not mine and state = 'Waiting' and not expired and attempts - earlier_attempts < ${maxAttempts}
          and coalesce(wait_ms, 0) = 0 as begins,
        case when mine or state <> 'Waiting' then state
          when expired or attempts - earlier_attempts >= ${maxAttempts} then 'Failed' else state end as becomes
      from found
    ), lost as (
      update mail_attempts a set failure = 'lost' from judged j
      where a.mail_id = j.id and a.duration_ms is null and a.failure is null and (j.begins or j.becomes <> j.state)
    ), old as (
      delete from mail_attempts a using judged j
      where j.begins and a.mail_id = j.id and a.number <= j.attempts + 1 - ${MAX_ATTEMPTS_KEPT}
    ), started as (
      insert into mail_attempts (mail_id, number, started_on)
      select id, attempts + 1, clock_timestamp() from judged where begins
    )
    update mails m set state = j.becomes, attempt_opened_by = ${startedBy}, attempts = m.attempts + j.begins::int,
      message_id = coalesce(m.message_id, '<' || m.id || '@' || ${domain}::text || '>'),
      content = case when j.becomes = 'Failed' and j.expired then null else m.content end,
      reason = case when j.becomes = j.state then m.reason when j.expired then 'expired' else 'lost' end,
      ended_on = case when j.becomes = j.state then m.ended_on else now() end
    from judged j where m.id = j.id
    returning m.state, m.kind, m.reason, j.begins or j.mine as "isStarted", m.attempts as number,
      m.attempts - m.earlier_attempts as "numberInRun", m.run, coalesce(j.wait_ms, 0) as "waitMs", m.recipient as to,
      m.message_id as "messageId", m.created_on as "createdOn", m.content, j.tenant_name as "tenantName",
      j.display_name as "displayName", j.branding, j.reply_to as "replyTo", j.texts`;
  return row;
}

/** The effect of an attempt. Held: `nextInMs` is the time until it is tried again. */
export interface ReachedMail {
  state: MailState;
  reason: string | null;
  nextInMs: number | undefined;
}

/** A sent mail loses its content. @returns the mail's state; undefined if it was removed */
export async function recordMailAttempt(
  sql: Queries,
  tenantId: TenantId,
  id: MailId,
  number: number,
  { durationMs, statusCode, failure, response }: SmtpResult,
  { state, reason, nextInMs }: ReachedMail,
): Promise<MailState | undefined> {
  const [row] = await sql<{ state: MailState }[]>`
    with attempt as (
      update mail_attempts a set duration_ms = ${durationMs}, status_code = ${statusCode}, failure = ${failure},
        response = ${response}
      from mails m where m.tenant_id = ${tenantId} and m.id = ${id} and a.mail_id = m.id and a.number = ${number}
    )
    update mails set state = ${state}, reason = ${reason},
      retry_on = now() + ${nextInMs ?? null}::float8 * interval '1 millisecond',
      content = case when ${state === "Sent"} then null else content end,
      ended_on = case when ${state !== "Waiting" && state !== "Held"} then now() end
    where tenant_id = ${tenantId} and id = ${id} and (state = 'Waiting' or ${state === "Sent"})
    returning state, pg_notify(${MAIL_CHANNEL}, '')`;
  return row?.state ?? (await stateOf(sql, tenantId, id));
}

/** The server answers again: all held mails are sent. */
export async function releaseHeld(sql: Queries): Promise<void> {
  const { count } = await sql`update mails set ${again(sql)} where state = 'Held'`;
  if (count > 0) await wakeSender(sql);
}

/** Ends a mail without an attempt, unless this run has fewer attempts than `minAttempts`. */
export async function closeOpenMail(
  sql: Queries,
  tenantId: TenantId,
  id: MailId,
  reason: string,
  minAttempts: number,
): Promise<MailState | undefined> {
  const [closed] = await sql<{ state: MailState }[]>`
    with closed as (
      update mails set state = 'Failed', reason = ${reason}, ended_on = now()
      where tenant_id = ${tenantId} and id = ${id} and state = 'Waiting' and attempts - earlier_attempts >= ${minAttempts}
      returning id, state
    ), lost as (
      update mail_attempts a set failure = 'lost' from closed
      where a.mail_id = closed.id and a.duration_ms is null and a.failure is null
    )
    select state from closed`;
  return closed?.state ?? (await stateOf(sql, tenantId, id));
}

async function stateOf(sql: Queries, tenantId: TenantId, id: MailId): Promise<MailState | undefined> {
  const [row] = await sql<{ state: MailState }[]>`
    select state from mails where tenant_id = ${tenantId} and id = ${id}`;
  return row?.state;
}

/** Links of mails that were not sent are kept only as long as they are valid. @returns the number of removed mails */
export async function removeOldMails(sql: Sql): Promise<number> {
  await sql`
    update mails set content = null, state = case when state in ('Waiting', 'Held') then 'Failed' else state end,
      reason = case when state in ('Waiting', 'Held') then 'expired' else reason end, ended_on = coalesce(ended_on, now())
    where expires_on < now() and content is not null`;
  return (await sql`delete from mails where created_on < now() - make_interval(days => ${MAIL_KEPT_DAYS})`).count;
}
