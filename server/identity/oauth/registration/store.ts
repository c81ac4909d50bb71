import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

export const REGISTRATION_MODES = ["Off", "InitialAccessToken", "Open"] as const;
export const DOCUMENT_MODES = ["Off", "On"] as const;

export interface RegistrationRules {
  mode: (typeof REGISTRATION_MODES)[number];
  /** The maximum scopes of such a client. */
  scopes: string[];
  /** Whether clients with metadata documents are allowed. */
  documents: (typeof DOCUMENT_MODES)[number];
}

const rules = (sql: Queries) => sql`client_registration as mode, registration_scopes as scopes,
  client_id_metadata_documents as documents`;

/** Locks the rules and serializes registrations until the transaction ends. */
export async function lockRules(sql: Queries, tenantId: TenantId): Promise<RegistrationRules> {
  const [row] = await sql<RegistrationRules[]>`
    select ${rules(sql)} from tenants where id = ${tenantId} for no key update`;
  return row!;
}

/** @param tenant the untrusted Id from the request; undefined: the only tenant */
export async function findOpenTenant(sql: Queries, tenant: string | undefined): Promise<TenantId | undefined> {
  const isIt = tenant === undefined ? sql`true` : sql`id::text = ${tenant}`;
  const [row, ...others] = await sql<{ id: TenantId; mode: string }[]>`
    select id, client_registration as mode from tenants where ${isIt} limit 2`;
  return row?.mode === "Open" && others.length === 0 ? row.id : undefined;
}

/** Whether any tenant allows registration. */
export async function isAnywhereOn(sql: Queries): Promise<boolean> {
  const [row] = await sql<{ isOn: boolean }[]>`
    select exists (select from tenants where client_registration <> 'Off') as "isOn"`;
  return row!.isOn;
}

/** An initial access token without its value. */
export interface StoredInitialToken {
  id: string;
  name: string;
  usesLeft: number;
  expiresOn: Date;
  createdOn: Date;
}

const columns = (sql: Queries) => sql`
  id, name, uses_left as "usesLeft", expires_on as "expiresOn", created_on as "createdOn"`;

/** Serializes the creation of tokens until the transaction ends. */
export async function lockInitialTokens(sql: Queries, tenantId: TenantId): Promise<StoredInitialToken[]> {
  await lockRules(sql, tenantId);
  return listInitialTokens(sql, tenantId);
}

/** Valid tokens, newest first. */
export async function listInitialTokens(sql: Queries, tenantId: TenantId): Promise<StoredInitialToken[]> {
  return sql<StoredInitialToken[]>`
    select ${columns(sql)} from registration_tokens
    where tenant_id = ${tenantId} and uses_left > 0 and expires_on > now() order by id desc`;
}

export async function insertInitialToken(
  sql: Queries,
  tenantId: TenantId,
  { name, digest, uses, seconds }: { name: string; digest: Buffer; uses: number; seconds: number },
): Promise<StoredInitialToken> {
  const [row] = await sql<StoredInitialToken[]>`
    insert into registration_tokens (id, tenant_id, name, digest, uses_left, expires_on)
    values (${Bun.randomUUIDv7()}, ${tenantId}, ${name}, ${digest}, ${uses}, now() + make_interval(secs => ${seconds}))
    returning ${columns(sql)}`;
  return row!;
}

export async function deleteInitialToken(
  sql: Queries,
  tenantId: TenantId,
  id: string,
): Promise<StoredInitialToken | undefined> {
  const [row] = await sql<StoredInitialToken[]>`
    delete from registration_tokens where tenant_id = ${tenantId} and id = ${id} returning ${columns(sql)}`;
  return row;
}

/** The token determines the tenant, so there is no tenant filter. */
export async function findTenantOfToken(sql: Queries, digest: Buffer): Promise<TenantId | undefined> {
  const [row] = await sql<{ tenantId: TenantId }[]>`
    select tenant_id as "tenantId" from registration_tokens
    where digest = ${digest} and uses_left > 0 and expires_on > now()`;
  return row?.tenantId;
}

/** @returns its Id, or undefined if it is invalid */
export async function takeInitialToken(sql: Queries, tenantId: TenantId, digest: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    update registration_tokens set uses_left = uses_left - 1
    where tenant_id = ${tenantId} and digest = ${digest} and uses_left > 0 and expires_on > now() returning id`;
  return row?.id;
}

export async function removeSpentInitialTokens(sql: Queries): Promise<number> {
  return (await sql`delete from registration_tokens where uses_left = 0 or expires_on < now()`).count;
}

export interface RegisteredClient {
  applicationId: number;
  tenantId: TenantId;
  /** The digest of its registration access token; null: it has none. */
  digest: Uint8Array | null;
  isOpen: boolean;
  /** Its tenant no longer allows dynamic registration. */
  isOff: boolean;
  registeredOn: Date;
  name: string;
  webSite: string;
  isActive: boolean;
  /** The number of changes in the last hour. */
  changesLately: number;
}

/** The client determines the tenant, so there is no tenant filter. */
export async function findRegistered(sql: Queries, applicationId: number): Promise<RegisteredClient | undefined> {
  const [row] = await sql<RegisteredClient[]>`
    select r.application_id as "applicationId", r.tenant_id as "tenantId", r.digest, r.is_open as "isOpen",
      t.client_registration = 'Off' as "isOff", r.registered_on as "registeredOn", coalesce(a.name, '') as name, coalesce(a.web_site_url, '') as "webSite",
      a.is_active as "isActive",
      case when r.counted_from > now() - interval '1 hour' then r.changes else 0 end as "changesLately"
    from registered_clients r join applications a on a.id = r.application_id join tenants t on t.id = r.tenant_id
    where r.application_id = ${applicationId}::bigint`;
  return row;
}

export async function insertRegistered(
  sql: Queries,
  tenantId: TenantId,
  { applicationId, digest, isOpen }: { applicationId: number; digest: Buffer | null; isOpen: boolean },
): Promise<Date> {
  const [row] = await sql<{ registeredOn: Date }[]>`
    insert into registered_clients (application_id, tenant_id, digest, is_open)
    values (${applicationId}, ${tenantId}, ${digest}, ${isOpen})
    returning registered_on as "registeredOn"`;
  return row!.registeredOn;
}

/** Each change replaces the token. @returns false if it was replaced concurrently */
export async function replaceDigest(
  sql: Queries,
  { tenantId, applicationId, digest }: RegisteredClient,
  next: Buffer,
): Promise<boolean> {
  const rows = await sql`
    update registered_clients set digest = ${next}, token_made_on = now(), token_used_on = now(),
      changes = case when counted_from > now() - interval '1 hour' then changes + 1 else 1 end,
      counted_from = case when counted_from > now() - interval '1 hour' then counted_from else now() end
    where tenant_id = ${tenantId} and application_id = ${applicationId} and digest = ${digest}
    returning application_id`;
  return rows.length > 0;
}

/** Records the token's use, at most once in half an hour. */
export async function noteTokenUse(sql: Queries, { tenantId, applicationId }: RegisteredClient): Promise<void> {
  await sql`
    update registered_clients set token_used_on = now()
    where tenant_id = ${tenantId} and application_id = ${applicationId}
      and coalesce(token_used_on < now() - interval '30 minutes', true)`;
}

export async function isDigest(sql: Queries, { tenantId, applicationId, digest }: RegisteredClient): Promise<boolean> {
  const rows = await sql`
    select from registered_clients
    where tenant_id = ${tenantId} and application_id = ${applicationId} and digest = ${digest}`;
  return rows.length > 0;
}

/** Records a registration without an initial access token; deletes records older than an hour. */
export async function noteOpenRegistration(sql: Queries, tenantId: TenantId, network: string): Promise<void> {
  await sql`
    with gone as (
      delete from open_registrations where tenant_id = ${tenantId} and made_on < now() - interval '1 hour'
    )
    insert into open_registrations (tenant_id, network) values (${tenantId}, ${network})`;
}

/** The number of registrations without an initial access token in the last hour. */
export async function countOpenLately(
  sql: Queries,
  tenantId: TenantId,
  network: string,
): Promise<{ ofTenant: number; ofAddress: number }> {
  const [row] = await sql<{ ofTenant: number; ofAddress: number }[]>`
    select count(*) as "ofTenant", count(*) filter (where network = ${network}) as "ofAddress"
    from open_registrations where tenant_id = ${tenantId} and made_on > now() - interval '1 hour'`;
  return row!;
}

/** Clients registered without a token that no user has granted access and no administrator has adopted. */
export async function listUnused(
  sql: Queries,
  seconds: number,
  limit: number,
): Promise<{ tenantId: TenantId; applicationId: number }[]> {
  return sql<{ tenantId: TenantId; applicationId: number }[]>`
    select r.tenant_id as "tenantId", r.application_id as "applicationId" from registered_clients r
    join credentials k on k.application_id = r.application_id and not k.first_party
    where r.is_open and r.registered_on < now() - make_interval(secs => ${seconds})
      and r.administrator_set = '{}'
      and not exists (select from role_members m where m.application_id = r.application_id)
      and not exists (select from apis i where i.application_id = r.application_id)
      and not exists (select from consents c where c.client_id = r.application_id)
    order by r.registered_on limit ${limit}`;
}
