import type { Queries } from "../../../platform/db/sql.ts";
import { hearOwn } from "../../../platform/db/watch.ts";
import { Conflict } from "../../../platform/errors.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type RecordStore, recordTable } from "../../../records/index.ts";
import { ACCESS_TOKEN_LIFETIME } from "../contract.ts";
import { KEYS_CHANNEL } from "../keys/store.ts";
import { API, type Api } from "./contract.ts";
import { normalAddress } from "./normal-address.ts";

export const API_TABLE = recordTable<Api>(API, {
  searched: { Audience: "audience" },
  written: (sql, tenantId, { audience, applicationId }) => ({
    audience_key: normalAddress(audience!),
    // null unless it is an Application of the tenant.
    application_id: sql`(select a.id from applications a where a.tenant_id = ${tenantId} and a.id = ${applicationId!}::bigint)`,
  }),
});

export const API_STORE: RecordStore<Api> = {
  ...API_TABLE,
  insert(sql, ...row) {
    // A key may be published.
    hearOwn(sql, KEYS_CHANNEL);
    return API_TABLE.insert(sql, ...row);
  },
  async update(sql, tenantId, api, actor, before) {
    hearOwn(sql, KEYS_CHANNEL);
    const updated = await API_TABLE.update(sql, tenantId, api, actor);
    if (normalAddress(api.audience) !== normalAddress(before.audience)) {
      await restAudience(sql, tenantId, before.audience);
    }
    return updated;
  },
};

export function audienceIsHeld(): Conflict {
  return new Conflict("Audience is already used by another Api.");
}

/** Seconds for which a released audience is reserved: the maximum lifetime of an access token. */
const [, AUDIENCE_RESTS] = ACCESS_TOKEN_LIFETIME;

export async function restAudience(sql: Queries, tenantId: TenantId, audience: string): Promise<void> {
  await sql`
    insert into resting_audiences (audience_key, tenant_id, rests_until)
    values (${normalAddress(audience)}, ${tenantId}, now() + make_interval(secs => ${AUDIENCE_RESTS}))
    on conflict (audience_key) do update set tenant_id = excluded.tenant_id, rests_until = excluded.rests_until`;
}

/** Whether tokens for another tenant's API with this audience may still be valid. Call it after claiming it. */
export async function restsForAnother(sql: Queries, tenantId: TenantId, audience: string): Promise<boolean> {
  const rows = await sql`
    select from resting_audiences
    where audience_key = ${normalAddress(audience)} and tenant_id <> ${tenantId} and rests_until > now()`;
  return rows.length > 0;
}

export async function removeRestedAudiences(sql: Queries): Promise<number> {
  return (await sql`delete from resting_audiences where rests_until < now()`).count;
}

export interface ScopeLoss {
  type: "Application" | "Role";
  id: string;
  before: string[];
  after: string[];
}

/** Removes scopes from clients, roles, consents and registration rules. @returns the affected clients and roles */
export async function takeScopes(sql: Queries, tenantId: TenantId, scopes: string[]): Promise<ScopeLoss[]> {
  const rest = sql`scopes = array(
    select scope from unnest(had.scopes) with ordinality as one (scope, place)
    where scope <> all (${scopes}::text[]) order by place)`;
  const clients = await sql<ScopeLoss[]>`
    update credentials c set ${rest}
    from credentials had join applications a on a.id = had.application_id
    where a.tenant_id = ${tenantId} and had.scopes && ${scopes}::text[] and c.application_id = had.application_id
    returning 'Application' as type, c.application_id::text as id, had.scopes as before, c.scopes as after`;
  const roles = await sql<ScopeLoss[]>`
    update roles r set ${rest} from roles had
    where had.tenant_id = ${tenantId} and had.scopes && ${scopes}::text[] and r.id = had.id
    returning 'Role' as type, r.id::text as id, had.scopes as before, r.scopes as after`;
  await sql`
    update consents c set ${rest} from consents had
    where had.tenant_id = ${tenantId} and had.scopes && ${scopes}::text[]
      and c.tenant_id = had.tenant_id and c.user_id = had.user_id and c.client_id = had.client_id`;
  await sql`
    update tenants had set registration_scopes = array(
      select scope from unnest(had.registration_scopes) with ordinality as one (scope, place)
      where scope <> all (${scopes}::text[]) order by place)
    where id = ${tenantId} and registration_scopes && ${scopes}::text[]`;
  return [...clients, ...roles];
}

/** All APIs of a tenant, newest first. */
export async function listApis(sql: Queries, tenantId: TenantId): Promise<Api[]> {
  return (await API_TABLE.findWhere(sql, tenantId, sql`true`)).toReversed();
}

/** Locks all APIs of a tenant against changes. @returns the names of their scopes */
export async function lockScopesOfApis(sql: Queries, tenantId: TenantId): Promise<string[]> {
  const apis = await sql<Pick<Api, "scopes">[]>`
    select scopes from apis where tenant_id = ${tenantId} order by id for share`;
  return apis.flatMap(({ scopes }) => scopes.map(({ name }) => name));
}

export async function countApis(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from apis where tenant_id = ${tenantId}`;
  return row!.count;
}

export async function findHeldScope(
  sql: Queries,
  tenantId: TenantId,
  { id, scopes }: Pick<Api, "id" | "scopes">,
): Promise<string | undefined> {
  const [held] = await sql<{ scope: string }[]>`
    select scope->>'name' as scope from apis, jsonb_array_elements(scopes) as scope
    where tenant_id = ${tenantId} and id <> ${id} and scope->>'name' = any (${scopes.map(({ name }) => name)}::text[])
    limit 1`;
  return held?.scope;
}
