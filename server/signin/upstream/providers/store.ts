import type { Queries } from "../../../db/sql.ts";
import type { TenantId } from "../../../ids.ts";
import { recordTable } from "../../../records/index.ts";

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

export const PROVIDER_TABLE = recordTable<Provider>("identity_providers", {
  names: [
    "name",
    "externalId",
    "type",
    "issuer",
    "authorizationEndpoint",
    "tokenEndpoint",
    "userinfoEndpoint",
    "clientId",
    "clientSecret",
    "tokenEndpointAuthMethod",
    "clientKey",
    "authorizationParameters",
    "signOut",
    "allowedDomains",
    "allowedTenants",
    "requireVerifiedEmail",
    "scopes",
    "mapping",
    "provisioning",
    "allowLocal",
    "isActive",
  ],
  json: ["authorizationParameters", "mapping"],
  idType: "bigint",
  isRaced: true,
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
