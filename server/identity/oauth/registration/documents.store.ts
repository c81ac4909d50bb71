// Fetch times of client metadata documents.

import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

export interface ClientDocument {
  applicationId: number;
  tenantId: TenantId;
  url: string;
  /** It need not be fetched yet. */
  isFresh: boolean;
  /** It was fetched recently enough for use while it cannot be fetched. */
  isKept: boolean;
  /** Its tenant no longer allows such clients. */
  isOff: boolean;
}

/** The client determines the tenant, so there is no tenant filter. */
export async function findDocument(sql: Queries, url: string, stale: number): Promise<ClientDocument | undefined> {
  const [row] = await sql<ClientDocument[]>`
    select r.application_id as "applicationId", r.tenant_id as "tenantId", r.document_url as url,
      r.document_fresh_until > now() as "isFresh",
      coalesce(r.document_read_on > now() - make_interval(secs => ${stale}), false) as "isKept",
      t.client_id_metadata_documents = 'Off' as "isOff"
    from registered_clients r join tenants t on t.id = r.tenant_id where r.document_url = ${url}`;
  return row;
}

/** @returns the only tenant, if it allows such clients, because an address names no tenant */
export async function findTenantOfDocuments(sql: Queries): Promise<TenantId | undefined> {
  const [row, ...others] = await sql<{ id: TenantId; isOn: boolean }[]>`
    select id, client_id_metadata_documents = 'On' as "isOn" from tenants limit 2`;
  return row?.isOn && others.length === 0 ? row.id : undefined;
}

/** @returns false if it was requested within this time */
export async function claimDocument(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  seconds: number,
): Promise<boolean> {
  const rows = await sql`
    update registered_clients set document_tried_on = now()
    where tenant_id = ${tenantId} and application_id = ${applicationId}
      and document_tried_on < now() - make_interval(secs => ${seconds})
    returning application_id`;
  return rows.length > 0;
}

/** Invalidates the last fetch, because the address no longer returns the document. */
export async function dropDocument(sql: Queries, tenantId: TenantId, applicationId: number): Promise<void> {
  await sql`
    update registered_clients set document_read_on = null
    where tenant_id = ${tenantId} and application_id = ${applicationId}`;
}

export async function noteDocument(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  url: string,
  freshSeconds: number,
): Promise<void> {
  await sql`
    update registered_clients set document_url = ${url}, document_read_on = now(), document_tried_on = now(),
      document_fresh_until = now() + make_interval(secs => ${freshSeconds})
    where tenant_id = ${tenantId} and application_id = ${applicationId}`;
}
