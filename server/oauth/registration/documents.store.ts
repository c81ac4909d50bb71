// When the documents of clients known by an address were read.

import type { Queries } from "../../db/sql.ts";
import type { TenantId } from "../../ids.ts";

/** A client that is known by the address of its metadata. */
export interface ClientDocument {
  applicationId: number;
  tenantId: TenantId;
  url: string;
  /** It need not be read again yet. */
  isFresh: boolean;
  /** It was read a short time ago, or is to be taken as if it was. */
  isKept: boolean;
  /** Its tenant takes no such clients any more. */
  isOff: boolean;
}

/** The client's own tenant is the answer here, so this look-up alone has no tenant to filter by. */
export async function findDocument(sql: Queries, url: string, stale: number): Promise<ClientDocument | undefined> {
  const [row] = await sql<ClientDocument[]>`
    select r.application_id as "applicationId", r.tenant_id as "tenantId", r.document_url as url,
      r.document_fresh_until > now() as "isFresh",
      coalesce(r.document_read_on > now() - make_interval(secs => ${stale}), false) as "isKept",
      t.client_id_metadata_documents = 'Off' as "isOff"
    from registered_clients r join tenants t on t.id = r.tenant_id where r.document_url = ${url}`;
  return row;
}

/** @returns the only tenant there is, if it takes such clients: an address names none */
export async function findTenantOfDocuments(sql: Queries): Promise<TenantId | undefined> {
  const [row, ...others] = await sql<{ id: TenantId; isOn: boolean }[]>`
    select id, client_id_metadata_documents = 'On' as "isOn" from tenants limit 2`;
  return row?.isOn && others.length === 0 ? row.id : undefined;
}

/** @returns false if it was asked for within this time */
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

/** What was read before no longer counts: the address has answered something else. */
export async function dropDocument(sql: Queries, tenantId: TenantId, applicationId: number): Promise<void> {
  await sql`
    update registered_clients set document_read_on = null
    where tenant_id = ${tenantId} and application_id = ${applicationId}`;
}

/** It was read now. */
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
