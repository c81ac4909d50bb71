import type { Queries } from "../../../../platform/db/sql.ts";
import type { TenantId } from "../../../../platform/ids.ts";
import { recordTable } from "../../../../records/index.ts";
import type { Provider } from "./contract.ts";
import { PROVIDER } from "./contract.ts";

export const PROVIDER_TABLE = recordTable<Provider>(PROVIDER, {
  more: ["clientKey"],
  isRaced: true,
  searched: { ExternalId: "external_id", Issuer: "issuer" },
});

export function findProvider(sql: Queries, tenantId: TenantId, id: number): Promise<Provider | undefined> {
  return PROVIDER_TABLE.find(sql, tenantId, { id });
}

/** The provider's sealed key. Its public address names the provider without a tenant, so there is no tenant filter. */
export async function findClientKey(sql: Queries, id: number): Promise<Uint8Array | undefined> {
  const [row] = await sql<{ key: Uint8Array | null }[]>`
    select client_key as key from identity_providers where id = ${id}`;
  return row?.key ?? undefined;
}

/** Providers with this name or external id, locked in the order of their ids. */
export function lockProvidersNamed(
  sql: Queries,
  tenantId: TenantId,
  key: { name: string | undefined; externalId: string | undefined },
): Promise<Provider[]> {
  const isNamed = sql`name = ${key.name ?? null} or external_id = ${key.externalId ?? null}`;
  return PROVIDER_TABLE.findWhere(sql, tenantId, isNamed, "for update");
}

/** Active providers, by name. */
export async function listActiveProviders(
  sql: Queries,
  tenantId: TenantId,
  limit: number,
): Promise<Pick<Provider, "id" | "name" | "type">[]> {
  return sql<Pick<Provider, "id" | "name" | "type">[]>`
    select id, name, type from identity_providers where tenant_id = ${tenantId} and is_active
    order by lower(name), id limit ${limit}`;
}

/** Draws an id from the sequence, so no other provider gets it. */
export async function nextProviderId(sql: Queries): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    select nextval(pg_get_serial_sequence('identity_providers', 'id')) as id`;
  return row!.id;
}

export async function deleteSessionsOf(sql: Queries, tenantId: TenantId, providerId: number): Promise<void> {
  await sql`delete from sessions where tenant_id = ${tenantId} and identity_provider_id = ${providerId}`;
}
