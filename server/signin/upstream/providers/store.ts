import type { Queries } from "../../../db/sql.ts";
import type { TenantId } from "../../../ids.ts";

export const PROVIDER_TYPES = ["OpenIDConnect", "OAuth2"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];
export const PROVISIONINGS = ["Create", "LinkOnly"] as const;
export type Provisioning = (typeof PROVISIONINGS)[number];

/** How a client sends its secret to a token endpoint (RFC 6749 2.3.1). */
export const SECRET_METHODS = ["client_secret_basic", "client_secret_post"] as const;
export const AUTH_METHODS = [...SECRET_METHODS, "private_key_jwt"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Targets of a claim mapping: a User's fields, the subject, and whether Email is verified. */
export const MAPPED = [
  "Subject",
  "Name",
  "Username",
  "Email",
  "EmailVerified",
  "MobilePhone",
  "External_Id",
  "GivenName",
  "FamilyName",
  "Locale",
  "ZoneInfo",
  "Picture",
] as const;
type Mapped = (typeof MAPPED)[number];
export type MappedField = Exclude<Mapped, "Subject" | "EmailVerified">;
export const MAPPED_FIELDS = MAPPED.filter(
  (name): name is MappedField => name !== "Subject" && name !== "EmailVerified",
);
export type Mapping = Partial<Record<Mapped, string>>;

export interface Provider {
  id: number;
  name: string;
  externalId: string | null;
  type: ProviderType;
  issuer: string | null;
  authorizationEndpoint: string | null;
  tokenEndpoint: string | null;
  userinfoEndpoint: string | null;
  clientId: string;
  /** Sealed; null: a public client. */
  clientSecret: Uint8Array | null;
  /** null: as the metadata says. */
  tokenEndpointAuthMethod: AuthMethod | null;
  /** Sealed: the private JWK for private_key_jwt; null with any other method. */
  clientKey: Uint8Array | null;
  authorizationParameters: Record<string, string>;
  scopes: string[];
  mapping: Mapping;
  provisioning: Provisioning;
  /** Creates Users only for addresses in these domains, in lower case; empty: no restriction. */
  allowedDomains: string[];
  /** Creates Users only for members of these organisations (`hd`, `tid`); empty: no restriction. */
  allowedTenants: string[];
  requireVerifiedEmail: boolean;
  /** Users of an application with this provider may also sign in by password. */
  allowLocal: boolean;
  /** Signing out here also signs the user out at the provider (OpenID Connect RP-Initiated Logout 1.0). */
  signOut: boolean;
  isActive: boolean;
}

const columns = (sql: Queries) => sql`id, name, external_id as "externalId", type, issuer,
  authorization_endpoint as "authorizationEndpoint", token_endpoint as "tokenEndpoint",
  userinfo_endpoint as "userinfoEndpoint", client_id as "clientId", client_secret as "clientSecret",
  token_endpoint_auth_method as "tokenEndpointAuthMethod", client_key as "clientKey",
  authorization_parameters as "authorizationParameters", sign_out as "signOut", allowed_domains as "allowedDomains",
  allowed_tenants as "allowedTenants", require_verified_email as "requireVerifiedEmail", scopes, mapping,
  provisioning, allow_local as "allowLocal", is_active as "isActive"`;

export async function findProvider(sql: Queries, tenantId: TenantId, id: number): Promise<Provider | undefined> {
  const [row] = await sql<Provider[]>`
    select ${columns(sql)} from identity_providers where tenant_id = ${tenantId} and id = ${id}`;
  return row;
}

/** The provider's sealed key. Its public address names the provider without a tenant, so there is no tenant filter. */
export async function findClientKey(sql: Queries, id: number): Promise<Uint8Array | undefined> {
  const [row] = await sql<{ key: Uint8Array | null }[]>`
    select client_key as key from identity_providers where id = ${id}`;
  return row?.key ?? undefined;
}

/** The providers that exist among the ids. */
export async function findProviders(sql: Queries, tenantId: TenantId, ids: number[]): Promise<Provider[]> {
  return sql<Provider[]>`
    select ${columns(sql)} from identity_providers where tenant_id = ${tenantId} and id = any (${ids}::bigint[])`;
}

export async function lockProvider(sql: Queries, tenantId: TenantId, id: number): Promise<Provider | undefined> {
  const [row] = await sql<Provider[]>`
    select ${columns(sql)} from identity_providers where tenant_id = ${tenantId} and id = ${id} for update`;
  return row;
}

/** Providers with this name or external id, locked in the order of their ids. */
export async function lockProvidersNamed(
  sql: Queries,
  tenantId: TenantId,
  key: { name: string | undefined; externalId: string | undefined },
): Promise<Provider[]> {
  return sql<Provider[]>`
    select ${columns(sql)} from identity_providers
    where tenant_id = ${tenantId} and (name = ${key.name ?? null} or external_id = ${key.externalId ?? null})
    order by id for update`;
}

/** Ordered by id; one more than the limit if there are more. */
export async function listProviders(
  sql: Queries,
  tenantId: TenantId,
  filter: { name?: string },
  limit: number,
  after: string | undefined,
): Promise<Provider[]> {
  return sql<Provider[]>`
    select ${columns(sql)} from identity_providers
    where tenant_id = ${tenantId} ${after ? sql`and id > ${after}::bigint` : sql``}
      ${filter.name === undefined ? sql`` : sql`and name = ${filter.name}`}
    order by id limit ${limit + 1}`;
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

/** @returns undefined if the name or the external id is taken */
export async function insertProvider(
  sql: Queries,
  tenantId: TenantId,
  provider: Omit<Provider, "id">,
  id?: number,
): Promise<Provider | undefined> {
  const values = { tenant_id: tenantId, ...valuesOf(sql, provider), ...(id !== undefined && { id }) };
  const [row] = await sql<Provider[]>`
    insert into identity_providers ${sql(values as unknown as Record<string, string>)}
    on conflict do nothing returning ${columns(sql)}`;
  return row;
}

/** Draws an id from the sequence, so no other provider gets it. */
export async function nextProviderId(sql: Queries): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    select nextval(pg_get_serial_sequence('identity_providers', 'id')) as id`;
  return row!.id;
}

/** @returns the stored provider */
export async function updateProvider(sql: Queries, tenantId: TenantId, provider: Provider): Promise<Provider> {
  const values = valuesOf(sql, provider);
  const [row] = await sql<[Provider]>`
    update identity_providers set ${sql(values as unknown as Record<string, string>)}
    where tenant_id = ${tenantId} and id = ${provider.id} returning ${columns(sql)}`;
  return row;
}

export async function deleteSessionsOf(sql: Queries, tenantId: TenantId, providerId: number): Promise<void> {
  await sql`delete from sessions where tenant_id = ${tenantId} and identity_provider_id = ${providerId}`;
}

export async function deleteProvider(sql: Queries, tenantId: TenantId, id: number): Promise<void> {
  await sql`delete from identity_providers where tenant_id = ${tenantId} and id = ${id}`;
}

function valuesOf(sql: Queries, provider: Omit<Provider, "id">) {
  return {
    name: provider.name,
    external_id: provider.externalId,
    type: provider.type,
    issuer: provider.issuer,
    authorization_endpoint: provider.authorizationEndpoint,
    token_endpoint: provider.tokenEndpoint,
    userinfo_endpoint: provider.userinfoEndpoint,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    token_endpoint_auth_method: provider.tokenEndpointAuthMethod,
    client_key: provider.clientKey,
    authorization_parameters: sql.json(provider.authorizationParameters),
    sign_out: provider.signOut,
    allowed_domains: provider.allowedDomains,
    allowed_tenants: provider.allowedTenants,
    require_verified_email: provider.requireVerifiedEmail,
    scopes: provider.scopes,
    mapping: sql.json(provider.mapping),
    provisioning: provider.provisioning,
    allow_local: provider.allowLocal,
    is_active: provider.isActive,
  };
}
