import { type Queries, repeating, type Transaction } from "../../platform/db/sql.ts";
import { UNKNOWN_ADDRESS } from "../../platform/http/context.ts";
import type { Details } from "../../platform/http/contract.ts";
import { laterOf } from "../../platform/http/query.ts";
import { lowestIdOf, type TenantId } from "../../platform/ids.ts";
import type { Sliced } from "../../platform/slices.ts";
import { AUDIT_RECORD } from "../events/event.ts";
import { isSubscribed } from "../events/store.ts";
import type { AuditEvent } from "./contract.ts";
import { type AuditKind, outcomeOf } from "./entry-kinds.ts";
import type { AuditFilter } from "./filter.ts";
import { openPlace, type Place, personOf, sealPlace } from "./sealing.ts";

/** The actor and source of an action. The API's Caller is one; `originOf` creates one from a page's request. */
export interface Origin {
  /** Undefined: unauthenticated. */
  actor?: { type: "User" | "Application"; id: number };
  clientId?: string;
  /** The `sub` of the party that acts for the actor (RFC 8693 4.1). */
  actedBy?: string | undefined;
  address: string | undefined;
  userAgent: string;
  requestKey: string;
  /** W3C Trace Context of the request. */
  traceParent?: string | undefined;
  /** The key of the entry's person, if another statement of the request has read it; null: it was deleted. */
  personalKey?: Uint8Array | null | undefined;
}

export interface AuditEntry {
  kind: AuditKind;
  /** The affected record, by its API type. */
  subject?: { type: string; id: string | number };
  /** Never contains secrets or personal data. */
  details?: Details;
}

/** The allowed clock difference between APIs and PostgreSQL: ids use an API's clock, occurred_on has PostgreSQL's. */
const CLOCKS_MS = 60_000;

/** An entry as it was written, with the address and the user agent only if they are stored in the clear. */
export interface WrittenEvent extends AuditEvent {
  /** Whether any connection of the tenant subscribes to audit events. */
  isSubscribed: boolean;
  /** The last hash of the chain, if there is one and a connection subscribes. */
  chainHead: string | null;
}

const own = (sql: Queries) => sql`
  id, occurred_on as "occurredOn", kind, outcome, actor_type as "actorType", actor_id as "actorId",
  client_id as "clientId", address, user_agent as "userAgent", subject_type as "subjectType",
  subject_id as "subjectId", details, request_key as "requestKey"`;

const subscribed = (sql: Queries, tenantId: TenantId) => isSubscribed(sql, tenantId, AUDIT_RECORD, "Created");

/** The audit event of the inserted row `entry`. */
const writtenEvent = (sql: Queries, tenantId: TenantId) => sql`
  select ${own(sql)}, "isSubscribed",
    case when "isSubscribed" then (select encode(hash, 'hex') from audit_chain order by entry_id desc limit 1) end
      as "chainHead"
  from entry cross join (select ${subscribed(sql, tenantId)} as "isSubscribed") connections`;

/**
 * An unknown tenant named in a request has no log.
 * @param unlessSubscribed writes nothing if a connection subscribes to audit events
 */
export const insertAuditEvent = repeating(async function insertAuditEvent(
  sql: Queries,
  tenantId: TenantId,
  origin: Origin,
  entry: AuditEntry,
  unlessSubscribed: boolean,
): Promise<WrittenEvent | undefined> {
  const { actor, clientId, requestKey } = origin;
  const { kind, subject, details = {} } = entry;
  const { clear, expiring, sealed } = await storedPlace(sql, tenantId, origin, entry);
  const [event] = await sql<WrittenEvent[]>`
    with entry as (
      insert into audit_log (tenant_id, id, kind, outcome, actor_type, actor_id, client_id, address, user_agent, sealed,
        subject_type, subject_id, details, request_key)
      select id, new_id(), ${kind}, ${outcomeOf(kind)}, ${actor?.type ?? null},
        ${actor?.id ?? null}, ${clientId ?? null}, ${clear?.address ?? ""}, ${clear?.userAgent ?? ""}, ${sealed ?? null},
        ${subject?.type ?? null}, ${subject ? String(subject.id) : null}, ${sql.json(details)}, ${requestKey}
      from tenants where id = ${tenantId} ${unlessSubscribed ? sql`and not ${subscribed(sql, tenantId)}` : sql``}
      returning *
    ), place as (
      insert into audit_places (tenant_id, entry_id, address, user_agent, expires_on)
      select tenant_id, id, ${expiring?.address ?? ""}, ${expiring?.userAgent ?? ""}, now() + make_interval(days => ${PLACE_DAYS})
      from entry where ${expiring !== undefined}
    )
    ${writtenEvent(sql, tenantId)}`;
  return event;
});

/** Days for which the place of an entry is kept if it is neither a User's nor an Application's. */
export const PLACE_DAYS = 30;

/** The place of an entry, stored in one of three ways, or not at all if the person's key was deleted. */
interface StoredPlace {
  clear?: Place;
  expiring?: Place;
  sealed?: Buffer;
}

async function storedPlace(
  sql: Queries,
  tenantId: TenantId,
  { actor, address = UNKNOWN_ADDRESS, userAgent, personalKey }: Origin,
  { subject }: AuditEntry,
): Promise<StoredPlace> {
  const place = { address, userAgent };
  const person = personOf(actor, subject);
  if (person === undefined) return actor ? { clear: place } : { expiring: place };
  const key = personalKey === undefined ? await findPersonalKey(sql, tenantId, person) : personalKey;
  return key ? { sealed: sealPlace(key, place) } : {};
}

async function findPersonalKey(sql: Queries, tenantId: TenantId, userId: number): Promise<Uint8Array | null> {
  const [row] = await sql<{ key: Uint8Array }[]>`
    select key from personal_keys where tenant_id = ${tenantId} and user_id = ${userId}`;
  return row?.key ?? null;
}

export async function removeExpiredPlaces(sql: Queries): Promise<number> {
  return (await sql`delete from audit_places where expires_on < now()`).count;
}

/**
 * Adds an entry for the consequence of an earlier one, with the same actor and source.
 * @param cause selects the earlier entry; details that identify it are copied
 */
export async function insertConsequence(
  tx: Transaction,
  tenantId: TenantId,
  { kind, subject, details }: Required<AuditEntry>,
  consequence: AuditKind,
): Promise<WrittenEvent | undefined> {
  const [event] = await tx<WrittenEvent[]>`
    with entry as (
      insert into audit_log (tenant_id, id, kind, outcome, actor_type, actor_id, client_id, address, user_agent, sealed,
        subject_type, subject_id, details, request_key)
      select tenant_id, new_id(), ${consequence}, ${outcomeOf(consequence)}, actor_type, actor_id, client_id,
        address, user_agent, sealed, subject_type, subject_id, ${tx.json(details)}, request_key
      from audit_log
      where tenant_id = ${tenantId} and subject_type = ${subject.type} and subject_id = ${String(subject.id)}
        and kind = ${kind} and details @> ${tx.json(details)}
      limit 1
      returning *
    )
    ${writtenEvent(tx, tenantId)}`;
  return event;
}

/** The number of entries of these kinds in the last hour, counted up to `max`. */
export async function countLately(
  sql: Queries,
  tenantId: TenantId,
  kinds: readonly AuditKind[],
  max: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from (
      select from audit_log
      where tenant_id = ${tenantId} and kind = any (${[...kinds]}::text[]) and occurred_on > now() - interval '1 hour'
        and id >= lowest_id(now() - interval '1 hour' - ${CLOCKS_MS} * interval '1 millisecond')
      limit ${max}
    ) as lately`;
  return row!.count;
}

export interface SignIns extends Sliced {
  succeeded: number;
  /** Different users. */
  people: number;
  secondFactors: number;
  /** Sign-ins with a passkey, alone or beside a password. */
  passkeys: number;
  failed: number;
  secondFactorsFailed: number;
}

/** @param from the start of a slice @returns each slice with sign-ins */
export async function countSignIns(
  sql: Queries,
  tenantId: TenantId,
  From: Date,
  To: Date,
  sliceMs: number,
): Promise<SignIns[]> {
  const kinds: AuditKind[] = ["SignIn.Succeeded", "SignIn.Failed", "SecondFactor.Failed"];
  return sql<SignIns[]>`
    select date_bin(${sliceMs} * interval '1 millisecond', occurred_on, ${From}) as "from",
      count(*) filter (where kind = 'SignIn.Succeeded') as succeeded,
      count(distinct subject_id) filter (where kind = 'SignIn.Succeeded') as people,
      count(*) filter (where kind = 'SignIn.Succeeded' and details -> 'Amr' @> '"mfa"') as "secondFactors",
      count(*) filter (where kind = 'SignIn.Succeeded'
        and (details -> 'Amr' @> '"hwk"' or details -> 'Amr' @> '"swk"')) as passkeys,
      count(*) filter (where kind = 'SignIn.Failed') as failed,
      count(*) filter (where kind = 'SecondFactor.Failed') as "secondFactorsFailed"
    from audit_log
    where ${matches(sql, tenantId, { From, To })} and kind = any (${kinds}::text[])
    group by 1`;
}

const columns = (sql: Queries) => sql`
  ${own(sql)}, sealed,
  case when sealed is not null then (
    select k.key from personal_keys k
    where k.tenant_id = l.tenant_id and k.user_id = person_of(actor_type, actor_id, subject_type, subject_id)) end as key,
  case when actor_type is null and sealed is null then (
    select json_build_object('address', p.address, 'userAgent', p.user_agent) from audit_places p
    where p.tenant_id = l.tenant_id and p.entry_id = l.id) end as place`;

interface StoredEvent extends AuditEvent {
  sealed: Uint8Array | null;
  /** Null if it is not sealed, or the key was destroyed. */
  key: Uint8Array | null;
  /** Null if it is kept otherwise, or has expired. */
  place: Place | null;
}

function opened({ sealed, key, place, ...event }: StoredEvent): AuditEvent {
  return { ...event, ...(sealed && key ? openPlace(key, sealed) : place) };
}

/** Newest first; one more than the limit if there are more. */
export async function listAuditEvents(
  sql: Queries,
  tenantId: TenantId,
  filter: AuditFilter,
  limit: number,
  after: string | undefined,
): Promise<AuditEvent[]> {
  const events = await sql<StoredEvent[]>`
    select ${columns(sql)} from audit_log l
    where ${matches(sql, tenantId, filter)} ${after ? sql`and id < ${after}` : sql``}
    order by id desc limit ${limit + 1}`;
  return events.map(opened);
}

/** Counts entries, but stops at `max`. */
export async function countAuditEvents(
  sql: Queries,
  tenantId: TenantId,
  filter: AuditFilter,
  max: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from (
      select from audit_log where ${matches(sql, tenantId, filter)} limit ${max}
    ) as matching`;
  return row!.count;
}

function matches(sql: Queries, tenantId: TenantId, wanted: AuditFilter) {
  const { Kind, ActorType, ActorId, SubjectType, SubjectId, RequestKey, Outcome, To: to } = wanted;
  const from = laterOf(wanted.From, wanted.Last);
  return sql`
  tenant_id = ${tenantId}
  ${Kind ? sql`and kind = ${Kind}` : sql``}
  ${ActorType ? sql`and actor_type = ${ActorType}` : sql``} ${ActorId ? sql`and actor_id = ${ActorId}` : sql``}
  ${SubjectType ? sql`and subject_type = ${SubjectType}` : sql``}
  ${SubjectId ? sql`and subject_id = ${SubjectId}` : sql``}
  ${RequestKey ? sql`and request_key = ${RequestKey}` : sql``} ${Outcome ? sql`and outcome = ${Outcome}` : sql``}
  ${from ? sql`and occurred_on >= ${from} and id >= ${lowestIdOf(new Date(from.getTime() - CLOCKS_MS))}` : sql``}
  ${to ? sql`and occurred_on < ${to} and id < ${lowestIdOf(new Date(to.getTime() + CLOCKS_MS))}` : sql``}`;
}

export async function findAuditEvents(sql: Queries, tenantId: TenantId, ids: readonly string[]): Promise<AuditEvent[]> {
  const events = await sql<StoredEvent[]>`
    select ${columns(sql)} from audit_log l where tenant_id = ${tenantId} and id = any (${[...ids]}::uuid[])`;
  return events.map(opened);
}
