import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

/** Limits set by administrators on a client's own changes. */
export interface Ceiling {
  /** Fields of Credentials, the Application's Name and WebSiteURL, and Secrets. */
  set: string[];
  givenScopes: string[];
  /** The client is in a role, named by a policy, or an Api's own client, so it may not change its authentication. */
  isTrusted: boolean;
}

/** Has no effect on an Application that was not registered dynamically. @param tx in which the Application is locked */
export async function noteAdministrator(
  tx: Queries,
  tenantId: TenantId,
  applicationId: number,
  set: string[],
  addedScopes: string[] = [],
): Promise<void> {
  await tx`
    update registered_clients set
      administrator_set = array(select distinct unnest(administrator_set || ${set}::text[]) order by 1),
      given_scopes = array(select distinct unnest(given_scopes || ${addedScopes}::text[]))
    where tenant_id = ${tenantId} and application_id = ${applicationId}`;
}

/** @param tx in which the Application is locked @param named by the tenant's policies */
export async function findCeiling(
  tx: Queries,
  tenantId: TenantId,
  applicationId: number,
  named: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Ceiling> {
  const isNamed = named.get("Client")?.has(String(applicationId)) ?? false;
  const [row] = await tx<Ceiling[]>`
    select r.administrator_set as set, r.given_scopes as "givenScopes",
      ${isNamed}
        or exists (select from role_members m where m.tenant_id = ${tenantId} and m.application_id = r.application_id)
        or exists (select from apis a where a.tenant_id = ${tenantId} and a.application_id = r.application_id)
        as "isTrusted"
    from registered_clients r where r.tenant_id = ${tenantId} and r.application_id = ${applicationId}`;
  return row!;
}
