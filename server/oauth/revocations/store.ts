import type { Queries } from "../../db/connection.ts";

/** Told of every revocation when its transaction commits. */
export const REVOCATION_CHANNEL = "gatehouse_revocation";

/**
 * What every process keeps in memory, so of all tenants.
 * @param since those noted from then on
 */
export async function listRevoked(sql: Queries, since: Date): Promise<{ id: string; expiresOn: Date }[]> {
  return sql<{ id: string; expiresOn: Date }[]>`
    select id, expires_on as "expiresOn" from revoked_tokens where revoked_on >= ${since} and expires_on > now()`;
}
