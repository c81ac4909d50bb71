import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";

export interface ConsoleSession {
  clientId: number;
  organisation: string;
}

export async function insertConsoleSession(
  sql: Queries,
  tenantId: TenantId,
  session: { sessionId: string; familyId: string; digest: Buffer },
): Promise<void> {
  await sql`
    insert into settings_sessions (session_id, tenant_id, family_id, digest)
    values (${session.sessionId}, ${tenantId}, ${session.familyId}, ${session.digest})
    on conflict (session_id) do update set family_id = excluded.family_id, digest = excluded.digest`;
}

/** Requires an unrevoked grant and an active application of Settings. */
export async function findConsoleSession(
  sql: Queries,
  tenantId: TenantId,
  sessionId: string,
  digest: Buffer,
): Promise<ConsoleSession | undefined> {
  const [row] = await sql<ConsoleSession[]>`
    select a.id as "clientId", t.name as organisation
    from settings_sessions s
    join refresh_families f on f.id = s.family_id
    join applications a on a.id = f.application_id
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${tenantId} and s.session_id = ${sessionId} and s.digest = ${digest}
      and f.revoked_on is null and f.expires_on > now() and a.is_active`;
  return row;
}
