import type { PendingQuery, Row } from "postgres";
import { readUrl } from "../../../platform/address.ts";
import type { Queries } from "../../../platform/db/sql.ts";
import { hearOwn } from "../../../platform/db/watch.ts";
import { toRecordId } from "../../../platform/http/query.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { storedFields } from "../../../records/index.ts";
import type { texts } from "../../../ui/index.ts";
import { KEYS_CHANNEL } from "../keys/store.ts";
import type { Credentials } from "./contract.ts";
import { CREDENTIALS } from "./contract.ts";
import { defaultsOf, withoutLoopbackPort } from "./credential-rules.ts";
import type { StoredSecret } from "./secret.ts";

export interface Client extends Credentials {
  /** The Application's Id, which is also the client_id unless the client has a metadata document. */
  id: number;
  /** The address of its client ID metadata document, which is then its client_id. */
  documentUrl: string | null;
  tenantId: TenantId;
  /** The Application's Name and WebSiteURL; "" if empty. */
  name: string;
  webSite: string;
  isActive: boolean;
  /** The tenant's key for pairwise subjects. */
  subjectKey: Uint8Array;
  isConsole: boolean;
  tenantPages: texts.TenantPages;
  /** It was registered dynamically without an initial access token. */
  isOpen: boolean;
  administratorSet: string[];
  /** The provider where its users sign in; `allowLocal`: a password also works. */
  identityProvider: { id: number; allowLocal: boolean } | null;
  secrets: { id: string; digest: Uint8Array }[];
  /** Of its rows, without its secrets; see clientVersion. */
  version: string;
}

/** Registered without an initial access token and not marked as the tenant's own by an administrator. */
export function isStranger({ isOpen, firstParty }: Pick<Client, "isOpen" | "firstParty">): boolean {
  return isOpen && !firstParty;
}

/** Whether a field's value was set by the tenant, not only by a dynamic registration. */
export function isVouchedFor({ isOpen, administratorSet }: Pick<Client, "isOpen" | "administratorSet">, field: string) {
  return !isOpen || administratorSet.includes(field);
}

/** The stored form; a null key: the tenant has none yet. */
export type StoredClient = Omit<Client, "subjectKey"> & { sealedSubjectKey: Uint8Array | null };

/** The client determines the tenant, so there is no tenant filter. */
export async function findClient(sql: Queries, clientId: string): Promise<StoredClient | undefined> {
  if (isDocumentUrl(clientId)) {
    return findOne(sql, sql`a.id = (select application_id from registered_clients where document_url = ${clientId})`);
  }
  const id = toRecordId(clientId);
  return id === undefined ? undefined : findOne(sql, sql`a.id = ${id}`);
}

export function clientIdOf({ id, documentUrl }: Pick<Client, "id" | "documentUrl">): string {
  return documentUrl ?? String(id);
}

/** The maximum number of characters. */
const DOCUMENT_URL_LIMIT = 1_000;

/** Client ID metadata documents, section 3. Only one spelling is allowed, without dot segments and default port. */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith("https://") || clientId.length > DOCUMENT_URL_LIMIT || clientId.includes("#")) return false;
  const url = readUrl(clientId);
  return url?.href === clientId && url.username === "" && url.password === "";
}

/** Whether any client has a redirect URI of this origin. The tenant is unknown, so there is no tenant filter. */
export async function isOriginOfClient(sql: Queries, origin: string): Promise<boolean> {
  const atAnyPort = `${withoutLoopbackPort(origin)}:*`;
  const rows = await sql`
    select from credentials where redirect_origins(redirect_uris, client_type) && ${[origin, atAnyPort]}::text[] limit 1`;
  return rows.length > 0;
}

/**
 * For a statement: a text that changes with every row which a Client is made of, except secrets; null: there is none. A
 * copy with this version is the present state. @param id the Application's
 */
export const clientVersion = (sql: Queries, id: number | PendingQuery<Row[]>) => sql`
  (select row(va.xmin, va.ctid, vc.xmin, vc.ctid, vt.xmin, vt.ctid, vg.xmin, vg.ctid, vp.xmin, vp.ctid)::text
    from applications va join credentials vc on vc.application_id = va.id join tenants vt on vt.id = va.tenant_id
      left join registered_clients vg on vg.application_id = va.id
      left join identity_providers vp on vp.id = va.authentication_id
    where va.id = ${id})`;

export function findConsoleClient(sql: Queries, tenantId: TenantId): Promise<StoredClient | undefined> {
  return findOne(sql, sql`a.id = (select settings_client_id from tenants where id = ${tenantId})`);
}

async function findOne(sql: Queries, isIt: ReturnType<Queries>): Promise<StoredClient | undefined> {
  const [row] = await sql<(Omit<StoredClient, "secrets"> & { secretIds: string[]; digests: Uint8Array[] })[]>`
    select a.id, a.tenant_id as "tenantId", coalesce(a.name, '') as name, coalesce(a.web_site_url, '') as "webSite",
      a.is_active and (r.document_url is null or r.takes_documents) as "isActive", r.document_url as "documentUrl",
      (select t.subject_key from tenants t where t.id = a.tenant_id) as "sealedSubjectKey",
      (select json_build_object('language', t.language, 'texts', t.texts) from tenants t where t.id = a.tenant_id)
        as "tenantPages",
      coalesce((select t.settings_client_id = a.id from tenants t where t.id = a.tenant_id), false) as "isConsole",
      coalesce(g.is_open, false) as "isOpen", coalesce(g.administrator_set, '{}') as "administratorSet",
      ${credentialColumns(sql)},
      (select json_build_object('id', p.id, 'allowLocal', p.allow_local) from identity_providers p
        where p.id = a.authentication_id) as "identityProvider",
      coalesce(s.ids, '{}') as "secretIds", coalesce(s.digests, '{}') as digests,
      ${clientVersion(sql, sql`a.id`)} as version
    from applications a join credentials c on c.application_id = a.id
      left join registered_clients g on g.application_id = a.id
      left join lateral (
        select document_url, t.client_id_metadata_documents = 'On' as takes_documents
        from registered_clients join tenants t on t.id = tenant_id
        where application_id = a.id and document_url is not null) r on true,
      lateral (select array_agg(id) as ids, array_agg(digest) as digests from client_secrets
        where application_id = a.id) s
    where ${isIt}`;
  if (!row) return undefined;
  const { secretIds, digests, ...client } = row;
  return { ...client, secrets: secretIds.map((id, index) => ({ id, digest: digests[index]! })) };
}

const STORED = storedFields(CREDENTIALS);
const COLUMNS = STORED.map(({ name, column }) => `c.${column} as "${name}"`).join(", ");
const CHANGED = STORED.map(({ column }) => `${column} = excluded.${column}`).join(", ");

export const credentialColumns = (sql: Queries) => sql.unsafe(COLUMNS);

export async function hasCredentials(
  sql: Queries,
  tenantId: TenantId,
  type: "Application" | "User",
  id: number,
): Promise<boolean> {
  const [row] = await (type === "Application"
    ? sql<{ has: boolean }[]>`
        select exists (
          select from credentials c join applications a on a.id = c.application_id
          where a.tenant_id = ${tenantId} and a.id = ${id}) as has`
    : sql<{ has: boolean }[]>`
        select exists (
          select from passwords p join users u on u.id = p.user_id where u.tenant_id = ${tenantId} and u.id = ${id})
        or exists (select from upstream_identities where tenant_id = ${tenantId} and user_id = ${id}) as has`);
  return row!.has;
}

/** For rows with a user and an amr. The provider itself is not stored, so some sessions are ended unnecessarily. */
export const cameOfProvider = (sql: Queries, tenantId: TenantId, identityProviderId: number) => sql`
  'fed' = any(amr) and user_id in (
    select user_id from upstream_identities
    where tenant_id = ${tenantId} and identity_provider_id = ${identityProviderId})`;

const secretColumns = (sql: Queries) => sql`
  s.id, s.name, s.created_on as "createdOn", s.last_used_on as "lastUsedOn"`;

/** An Application without stored credentials has the defaults. @returns undefined if the Application does not exist */
export async function findCredentials(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
): Promise<Credentials | undefined> {
  const [row] = await sql<(Credentials & { isStored: boolean })[]>`
    select c.application_id is not null as "isStored", ${credentialColumns(sql)}
    from applications a left join credentials c on c.application_id = a.id
    where a.tenant_id = ${tenantId} and a.id = ${applicationId}::bigint`;
  if (!row) return undefined;
  const { isStored, ...stored } = row;
  return isStored ? stored : defaultsOf("confidential");
}

/** Locks until the transaction ends; an API may still make it its own client. @returns false if it does not exist */
export async function lockApplication(sql: Queries, tenantId: TenantId, applicationId: number): Promise<boolean> {
  const rows = await sql`
    select id from applications where tenant_id = ${tenantId} and id = ${applicationId}::bigint for no key update`;
  return rows.length > 0;
}

/** @param applicationId locked, so it belongs to the tenant */
export async function saveCredentials(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  values: Credentials,
): Promise<void> {
  const stored = STORED.map(({ name, column, isJson }) => {
    const value = values[name as keyof Credentials];
    return [column, isJson && value ? sql.json(value as never) : value];
  });
  // A key may be published.
  hearOwn(sql, KEYS_CHANNEL);
  await sql`
    insert into credentials ${sql({ application_id: applicationId, ...Object.fromEntries(stored) })}
    on conflict (application_id) do update set ${sql.unsafe(CHANGED)}
    where exists (select from applications a where a.id = credentials.application_id and a.tenant_id = ${tenantId})`;
}

/** Oldest first. */
export async function listSecrets(sql: Queries, tenantId: TenantId, applicationId: number): Promise<StoredSecret[]> {
  return sql<StoredSecret[]>`
    select ${secretColumns(sql)}
    from client_secrets s join applications a on a.id = s.application_id
    where a.tenant_id = ${tenantId} and a.id = ${applicationId}::bigint order by s.created_on, s.id`;
}

export async function findSecretDigests(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
): Promise<Uint8Array[]> {
  const rows = await sql<{ digest: Uint8Array }[]>`
    select s.digest from client_secrets s join applications a on a.id = s.application_id
    where a.tenant_id = ${tenantId} and a.id = ${applicationId}::bigint`;
  return rows.map(({ digest }) => digest);
}

export async function insertSecret(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  secret: { id: string; name: string; digest: Buffer },
): Promise<StoredSecret> {
  const [row] = await sql<StoredSecret[]>`
    insert into client_secrets as s (id, application_id, name, digest)
    select ${secret.id}, id, ${secret.name}, ${secret.digest} from applications
    where tenant_id = ${tenantId} and id = ${applicationId}
    returning ${secretColumns(sql)}`;
  return row!;
}

export async function deleteSecret(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  secretId: string,
): Promise<StoredSecret | undefined> {
  const [row] = await sql<StoredSecret[]>`
    delete from client_secrets s using applications a
    where a.id = s.application_id and a.tenant_id = ${tenantId} and a.id = ${applicationId}::bigint
      and s.id = ${secretId}
    returning ${secretColumns(sql)}`;
  return row;
}

/** The table and each process keep one use in this time, so the stored one is at most twice this old. */
export const USE_EVERY_MS = 1_800_000;

/** For all tenants; skips secrets that another process is updating. */
export async function recordUses(sql: Queries, secretIds: string[]): Promise<void> {
  await sql`
    with due as (
      select id from client_secrets
      where id = any(${secretIds}::uuid[])
        and (last_used_on is null or last_used_on < now() - make_interval(secs => ${USE_EVERY_MS / 1_000}))
      order by id for update skip locked
    )
    update client_secrets set last_used_on = now() from due where client_secrets.id = due.id`;
}
