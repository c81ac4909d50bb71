import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { isAwake } from "../store.ts";
import type { UserSession } from "./contract.ts";

/** Active sessions, newest first; one more than the limit if there are more. */
export async function listUserSessions(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  limit: number,
  after: string | undefined,
): Promise<UserSession[]> {
  return sql<UserSession[]>`
    select ${columns(sql)} from sessions where ${isLive(sql, tenantId, userId)} ${after ? sql`and id < ${after}` : sql``}
    order by id desc limit ${limit + 1}`;
}

export async function findUserSession(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  id: string,
): Promise<UserSession | undefined> {
  const [session] = await sql<UserSession[]>`
    select ${columns(sql)} from sessions where ${isLive(sql, tenantId, userId)} and id = ${id}`;
  return session;
}

const columns = (sql: Queries) => sql`
  id, user_agent as "userAgent", address, created_on as "startedOn", last_seen as "lastSeen", amr, acr`;

const isLive = (sql: Queries, tenantId: TenantId, userId: number) => sql`
  tenant_id = ${tenantId} and user_id = ${userId} and finished_on is not null and expires_on > now()
  and ${isAwake(sql)}`;
