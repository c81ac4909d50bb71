import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { isAwake } from "../store.ts";

export interface ListedSession {
  id: string;
  userAgent: string;
  address: string;
  startedOn: Date;
  lastSeen: Date;
}

/** Active sessions, most recently used first. */
export async function listSessions(sql: Queries, tenantId: TenantId, userId: number): Promise<ListedSession[]> {
  return sql<ListedSession[]>`
    select id, user_agent as "userAgent", address, created_on as "startedOn", last_seen as "lastSeen"
    from sessions
    where tenant_id = ${tenantId} and user_id = ${userId} and finished_on is not null and expires_on > now()
      and ${isAwake(sql)}
    order by last_seen desc, id desc`;
}

/** @returns false if the session is not this user's */
export async function deleteUsersSession(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  id: string,
): Promise<boolean> {
  const rows = await sql`
    delete from sessions where tenant_id = ${tenantId} and user_id = ${userId} and id = ${id} returning id`;
  return rows.length > 0;
}

/** Ends the sessions that began at a provider. @param except a session that stays @returns the ended sessions' Ids */
export async function deleteSessionsBy(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  identityProviderId: number,
  except: string | undefined,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    delete from sessions
    where tenant_id = ${tenantId} and user_id = ${userId} and identity_provider_id = ${identityProviderId}
      and id is distinct from ${except ?? null}::uuid
    returning id`;
  return rows.map(({ id }) => id);
}

/** @param except a session that stays @returns the number ended */
export async function deleteOtherSessions(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  except: string | undefined,
): Promise<number> {
  const deleted = await sql`
    delete from sessions
    where tenant_id = ${tenantId} and user_id = ${userId} and id is distinct from ${except ?? null}::uuid`;
  return deleted.count;
}
