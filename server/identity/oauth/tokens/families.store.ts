import type { PendingQuery, Row } from "postgres";
import type { Queries } from "../../../platform/db/sql.ts";
import { hearOwn } from "../../../platform/db/watch.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { isAwake } from "../../signin/store.ts";
import { type Allowance, allowance } from "../clients/consents.store.ts";
import { cameOfProvider } from "../clients/store.ts";
import { ENTITY_API } from "../resources.ts";
import { forgottenOn, REVOCATION_CHANNEL } from "./revocations.store.ts";

/** All tokens of one grant. */
export interface Family extends Allowance {
  id: string;
  clientId: number;
  /** null: the client's own. */
  userId: number | null;
  scopes: string[];
  resources: string[];
  /** Names of userinfo claims beyond those of the scopes. */
  claims: string[];
  /** The sign-in session in which it began; null after the session has ended. */
  sessionId: string | null;
  authTime: Date | null;
  acr: string | null;
  amr: string[] | null;
  /** The thumbprint of the key required for refreshing; null: none. */
  jkt: string | null;
  /** The number of its newest refresh token. */
  generation: number;
  /** The number of the token used last, which stays valid until the newest one is used; null: none. */
  former: number | null;
  /** When the newest token was issued, or used if it is not rotated. */
  rotatedOn: Date;
  /** Rotated so recently that concurrent requests may have used the former token. */
  isJustRotated: boolean;
  /** When it expires without further use. */
  endsOn: Date;
  /** Neither revoked nor expired, and its user is active. */
  isLive: boolean;
}

export interface NewFamily {
  id: string;
  clientId: number;
  userId?: number;
  scopes: string[];
  resources?: string[];
  claims?: string[];
  sessionId?: string;
  authTime?: Date;
  acr?: string;
  amr?: string[];
  jkt?: string | undefined;
  generation: number;
  former?: number;
  /** A time, or seconds from now. */
  expiresOn: Date | number;
}

/** A family that is not refreshed within this time ends. */
const IDLE = "30 days";
/** Concurrent uses of a token within this time get the same next one. */
const AT_ONCE = "10 seconds";

/** Of refresh_families f: neither revoked nor expired. */
export const isLiveFamily = (sql: Queries) => sql`
  f.revoked_on is null and f.expires_on > now() and f.rotated_on > now() - ${IDLE}::interval`;

/** For a statement: inserts the family for the row that it selects. @param sessionId of that row */
export function insertedFamily(
  sql: Queries,
  tenantId: TenantId,
  family: NewFamily,
  sessionId: PendingQuery<Row[]>,
  from: PendingQuery<Row[]>,
) {
  const { expiresOn } = family;
  const end = typeof expiresOn === "number" ? sql`now() + make_interval(secs => ${expiresOn})` : sql`${expiresOn}`;
  return sql`
    insert into refresh_families (id, tenant_id, application_id, user_id, scopes, resources, userinfo_claims, session_id, auth_time, acr,
      amr, jkt, generation, former, expires_on)
    select ${family.id}, ${tenantId}, ${family.clientId}, ${family.userId ?? null}, ${family.scopes}::text[],
      ${family.resources ?? [ENTITY_API]}::text[], ${family.claims ?? []}::text[], ${sessionId}, ${family.authTime ?? null}, ${family.acr ?? null}, ${family.amr ?? null}::text[],
      ${family.jkt ?? null}, ${family.generation}, ${family.former ?? null}, ${end} ${from}
    on conflict do nothing returning id`;
}

/** @returns false if the id exists */
export async function insertFamily(sql: Queries, tenantId: TenantId, family: NewFamily): Promise<boolean> {
  const sessionId = sql`${family.sessionId ?? null}::uuid`;
  return (await insertedFamily(sql, tenantId, family, sessionId, sql``)).length > 0;
}

/** @param isUsers whether it is a user's grant; the client's own is found without users, sessions and roles */
export async function findFamily(
  sql: Queries,
  tenantId: TenantId,
  { familyId, isUsers }: { familyId: string; isUsers: boolean },
): Promise<Family | undefined> {
  const columns = sql`
    f.id, f.application_id as "clientId", f.user_id as "userId", f.scopes, f.resources, f.userinfo_claims as claims,
    f.auth_time as "authTime", f.acr, f.amr, f.jkt, f.generation, f.former, f.rotated_on as "rotatedOn",
    f.rotated_on > now() - ${AT_ONCE}::interval as "isJustRotated",
    least(f.expires_on, f.rotated_on + ${IDLE}::interval) as "endsOn"`;
  const [family] = isUsers
    ? await sql<Family[]>`
        select ${columns}, s.id as "sessionId", ${isLiveFamily(sql)} and u.is_active as "isLive",
          ${allowance(sql, tenantId, sql`f.user_id`, sql`f.application_id`)}
        from refresh_families f join users u on u.id = f.user_id and u.tenant_id = f.tenant_id
          left join sessions s on s.id = f.session_id and s.tenant_id = f.tenant_id and s.expires_on > now()
            and ${isAwake(sql, sql`s.`)}
        where f.tenant_id = ${tenantId} and f.id = ${familyId}`
    : await sql<Family[]>`
        select ${columns}, null as "sessionId", ${isLiveFamily(sql)} as "isLive", '{}'::text[] as "ofRoles", null as consent
        from refresh_families f where f.tenant_id = ${tenantId} and f.id = ${familyId} and f.user_id is null`;
  return family;
}

/** @param next the newest and the last used token @returns false if it was advanced concurrently, or revoked */
export async function advanceFamily(
  sql: Queries,
  tenantId: TenantId,
  familyId: string,
  generation: number,
  next: Pick<Family, "generation" | "former">,
): Promise<boolean> {
  const rows = await sql`
    update refresh_families set generation = ${next.generation}, former = ${next.former}, rotated_on = now()
    where tenant_id = ${tenantId} and id = ${familyId} and generation = ${generation} and revoked_on is null
    returning id`;
  return rows.length > 0;
}

export type FamilyFilter =
  | { familyId: string }
  | { sessionId: string }
  | { identityProviderId: number }
  | { userId: number; clientId?: number; exceptSessionId?: string };

/** Access tokens end with the commit in this process, in others when notified. @returns the number of live families */
export async function updateFamiliesRevoked(sql: Queries, tenantId: TenantId, filter: FamilyFilter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with revoked as (
      update refresh_families set revoked_on = now()
      where tenant_id = ${tenantId} and revoked_on is null and ${matches(sql, tenantId, filter)}
      returning id
    ), tokens as (
      insert into revoked_tokens (id, tenant_id, expires_on)
      select id, ${tenantId}, ${forgottenOn(sql)} from revoked
      on conflict do nothing
    ), announced as (
      select pg_notify(${REVOCATION_CHANNEL}, '')
    )
    select (select count(*) from revoked) as count from announced`;
  hearOwn(sql, REVOCATION_CHANNEL);
  return row!.count;
}

function matches(sql: Queries, tenantId: TenantId, filter: FamilyFilter) {
  if ("familyId" in filter) return sql`id = ${filter.familyId}`;
  if ("sessionId" in filter) return sql`session_id = ${filter.sessionId}`;
  if ("identityProviderId" in filter) return cameOfProvider(sql, tenantId, filter.identityProviderId);
  const { userId, clientId, exceptSessionId } = filter;
  return sql`user_id = ${userId} ${clientId === undefined ? sql`` : sql`and application_id = ${clientId}`}
    ${exceptSessionId === undefined ? sql`` : sql`and session_id is distinct from ${exceptSessionId}`}`;
}

/** A client's own family is kept until its signed token has expired; otherwise that token would count as unused. */
export async function deleteEndedFamilies(sql: Queries): Promise<number> {
  const result = await sql`
    delete from refresh_families
    where expires_on < now() or (user_id is not null and rotated_on < now() - ${IDLE}::interval)`;
  return result.count;
}
