import type { Queries } from "../../../db/sql.ts";
import type { TenantId } from "../../../ids.ts";

export const PROVIDER_TYPES = ["OpenIDConnect", "OAuth2"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];
export const PROVISIONINGS = ["Create", "LinkOnly"] as const;
export type Provisioning = (typeof PROVISIONINGS)[number];

/** How a client shows its secret at a token endpoint (RFC 6749 2.3.1). */
export const SECRET_METHODS = ["client_secret_basic", "client_secret_post"] as const;
/** How it proves itself there, also by a key (OIDC Core 9). */
export const AUTH_METHODS = [...SECRET_METHODS, "private_key_jwt"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** What can be taken from a provider's claims: a User's fields, who the user is, and whether Email is the user's own. */
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
/** Fields of a User that a provider can give. */
export const MAPPED_FIELDS = MAPPED.filter(
  (name): name is MappedField => name !== "Subject" && name !== "EmailVerified",
);
/** The names of the claims. */
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
  /** What goes into its authorization requests beside what the protocol has. */
  authorizationParameters: Record<string, string>;
  scopes: string[];
  mapping: Mapping;
  provisioning: Provisioning;
  /** It makes Users only of people with an address at one of these, in lower case; empty: no such rule. */
  allowedDomains: string[];
  /** Who is of one of these organisations there (`hd`, `tid`); empty: no such rule. */
  allowedTenants: string[];
  requireVerifiedEmail: boolean;
  /** Users of an application that points here may also sign in by password. */
  allowLocal: boolean;
  /** Who signs out here is sent there to sign out too (OpenID Connect RP-Initiated Logout 1.0). */
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

/** The sealed key of a provider, which its own address names to anybody; so there is no tenant to filter by. */
export async function findClientKey(sql: Queries, id: number): Promise<Uint8Array | undefined> {
  const [row] = await sql<{ key: Uint8Array | null }[]>`
    select client_key as key from identity_providers where id = ${id}`;
  return row?.key ?? undefined;
}

/** Those of the ids that there are. */
export async function findProviders(sql: Queries, tenantId: TenantId, ids: number[]): Promise<Provider[]> {
  return sql<Provider[]>`
    select ${columns(sql)} from identity_providers where tenant_id = ${tenantId} and id = any (${ids}::bigint[])`;
}

export async function lockProvider(sql: Queries, tenantId: TenantId, id: number): Promise<Provider | undefined> {
  const [row] = await sql<Provider[]>`
    select ${columns(sql)} from identity_providers where tenant_id = ${tenantId} and id = ${id} for update`;
  return row;
}

/** Those that have the name or the external id, locked in the order of their ids. */
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

/** In the order of their ids; one more than the limit, if there are more. */
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

/** Those that users can be offered, by name. */
export async function listActiveProviders(
  sql: Queries,
  tenantId: TenantId,
  limit: number,
): Promise<Pick<Provider, "id" | "name" | "type">[]> {
  return sql<Pick<Provider, "id" | "name" | "type">[]>`
    select id, name, type from identity_providers where tenant_id = ${tenantId} and is_active
    order by lower(name), id limit ${limit}`;
}

/** @returns undefined if the name or the external id is another's */
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

/** One that no provider gets by itself any more. */
export async function nextProviderId(sql: Queries): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    select nextval(pg_get_serial_sequence('identity_providers', 'id')) as id`;
  return row!.id;
}

/** @returns it as it is read from now on */
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

/** With it go the links of its users. */
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
