// Registration access tokens, without the tokens' values.

import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Credentials } from "../clients/contract.ts";
import { credentialColumns } from "../clients/store.ts";
import type { StoredAccessToken } from "./contract.ts";

export interface RegistrationRow extends StoredAccessToken {
  applicationId: number;
  name: string;
  externalId: string;
  credentials: Credentials;
}

const select = (sql: Queries, tenantId: TenantId) => sql`
  select r.application_id as "applicationId", coalesce(a.name, '') as name, coalesce(a.external_id, '') as "externalId",
    r.is_open as open, r.registered_on as "registeredOn", case when r.digest is not null then r.token_made_on end as "madeOn",
    r.token_used_on as "lastUsedOn", r.administrator_set as "administratorSet", ${credentialColumns(sql)}
  from registered_clients r join applications a on a.id = r.application_id join credentials c on c.application_id = a.id
  where r.tenant_id = ${tenantId} and r.document_url is null`;

type Stored = Omit<RegistrationRow, "credentials"> & Credentials;

const toRow = (stored: Stored): RegistrationRow => ({ ...stored, credentials: stored });

/** Oldest first; one more than the limit if there are more. */
export async function listRegistrations(
  sql: Queries,
  tenantId: TenantId,
  limit: number,
  after: string | undefined,
): Promise<RegistrationRow[]> {
  const rows = await sql<Stored[]>`
    ${select(sql, tenantId)} and r.application_id > ${after ?? 0}::bigint order by r.application_id limit ${limit + 1}`;
  return rows.map(toRow);
}

export async function findRegistration(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
): Promise<RegistrationRow | undefined> {
  const [row] = await sql<Stored[]>`${select(sql, tenantId)} and r.application_id = ${applicationId}::bigint`;
  return row && toRow(row);
}

/** @param digest null removes the token */
export async function setRegistrationToken(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  digest: Buffer | null,
): Promise<void> {
  await sql`
    update registered_clients set digest = ${digest}, token_made_on = now()
    where tenant_id = ${tenantId} and application_id = ${applicationId}`;
}
