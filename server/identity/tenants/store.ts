import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { asTyped } from "../../platform/text.ts";

/** The maximum number of characters. */
export const TENANT_NAME_LIMIT = 100;

export interface Tenant {
  id: TenantId;
  name: string;
}

export async function countTenants(sql: Queries): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from tenants`;
  return row!.count;
}

/** @returns the only tenant, or undefined if there are none or several */
export async function findOnlyTenant(sql: Queries): Promise<Tenant | undefined> {
  const [tenant, ...others] = await sql<Tenant[]>`select id, name from tenants limit 2`;
  return others.length === 0 ? tenant : undefined;
}

/** @param nameOrId the typed name or Id */
export async function findTenant(sql: Queries, nameOrId: string): Promise<Tenant | undefined> {
  const { text } = asTyped(nameOrId, TENANT_NAME_LIMIT);
  if (!text) return undefined;
  const [tenant] = await sql<Tenant[]>`select id, name from tenants where name = ${text} or id::text = ${nameOrId}`;
  return tenant;
}

export async function insertTenant(sql: Queries, tenantId: TenantId, name: string): Promise<void> {
  await sql`insert into tenants (id, name) values (${tenantId}, ${name})`;
}

/** @returns the user's Id */
export async function insertAdmin(
  sql: Queries,
  tenantId: TenantId,
  admin: { username: string; passwordHash: string },
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with admin as (
      insert into users (tenant_id, name, username, is_active)
      values (${tenantId}, 'Administrator', ${admin.username}, true) returning id
    )
    insert into passwords (user_id, hash) select id, ${admin.passwordHash} from admin returning user_id as id`;
  return row!.id;
}

export async function insertClient(
  sql: Queries,
  tenantId: TenantId,
  client: {
    name: string;
    secretId: string;
    digest: Buffer;
    grants: string[];
    scopes: string[];
    redirectUris: string[];
  },
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with application as (
      insert into applications (tenant_id, name, application_key, is_active)
      values (${tenantId}, ${client.name}, ${client.name}, true) returning id
    ), credential as (
      insert into credentials (application_id, grant_types, scopes, redirect_uris)
      select id, ${client.grants}::text[], ${client.scopes}::text[], ${client.redirectUris}::text[] from application
    )
    insert into client_secrets (id, application_id, digest)
    select ${client.secretId}, id, ${client.digest} from application
    returning application_id as id`;
  return row!.id;
}

/** The code determines its properties, so few are stored. */
export async function insertConsoleClient(
  sql: Queries,
  tenantId: TenantId,
  { name, description }: { name: string; description: string },
): Promise<void> {
  const [application] = await sql<{ id: number }[]>`
    insert into applications (tenant_id, name, description, is_system, is_active)
    values (${tenantId}, ${name}, ${description}, true, true) returning id`;
  await sql`
    insert into credentials (application_id, grant_types, first_party)
    values (${application!.id}, '{authorization_code}', true)`;
  await sql`update tenants set settings_client_id = ${application!.id} where id = ${tenantId}`;
}
