import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { scopesOfRoles } from "../../../records/index.ts";
import { isLiveFamily } from "./families.store.ts";

export interface Live {
  /** Of the client. */
  scopes: string[];
  /** The scopes of the user's roles; null without a user. */
  ofRoles: string[] | null;
  /** Only for an exchange. */
  forExchange?: ForExchange;
}

export interface ForExchange {
  /** The grant of the token's family; null without a family, or if it has ended. */
  grant: { scopes: string[]; resources: string[] } | null;
  /** The user's key, for the audit log. */
  personalKey: Uint8Array | null;
}

/** @returns undefined if the client or its user is inactive */
export async function findLive(
  sql: Queries,
  tenantId: TenantId,
  clientId: number,
  userId: number | undefined,
  exchanged: { familyId: string | undefined } | undefined,
): Promise<Live | undefined> {
  const ofRoles = userId === undefined ? sql`null::text[]` : scopesOfRoles(sql, tenantId, userId);
  const isUser =
    userId === undefined
      ? sql``
      : sql`and exists (select from users where tenant_id = ${tenantId} and id = ${userId} and is_active)`;
  const grant = sql`
    (select json_build_object('scopes', scopes, 'resources', resources) from refresh_families f
      where tenant_id = ${tenantId} and id = ${exchanged?.familyId ?? null} and ${isLiveFamily(sql)})`;
  const more = exchanged
    ? sql`, ${grant} as grant, (select key from personal_keys where tenant_id = ${tenantId} and user_id = ${userId ?? null}) as "personalKey"`
    : sql``;
  const [row] = await sql<(Live & Partial<ForExchange>)[]>`
    select c.scopes, ${ofRoles} as "ofRoles" ${more}
    from applications a join credentials c on c.application_id = a.id
    where a.tenant_id = ${tenantId} and a.id = ${clientId} and a.is_active ${isUser}`;
  if (!row) return undefined;
  const { grant: granted = null, personalKey = null, ...live } = row;
  return { ...live, ...(exchanged && { forExchange: { grant: granted, personalKey } }) };
}
