import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Credentials } from "../store.ts";
import { defaultsOf } from "./defaults.ts";

/** A secret as it can be read again: without itself. */
export interface StoredSecret {
  id: string;
  createdOn: Date;
}

/** An application that nobody has given credentials has those of a new client. @returns undefined if there is no such Application */
export async function findCredentials(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
): Promise<Credentials | undefined> {
  const [row] = await sql<(Credentials & { isStored: boolean })[]>`
    select c.application_id is not null as "isStored", c.client_type as "clientType", c.grant_types as "grantTypes",
      c.scopes, c.redirect_uris as "redirectUris", c.post_logout_redirect_uris as "postLogoutRedirectUris",
      c.access_token_alg as "accessTokenAlg", c.id_token_alg as "idTokenAlg", c.first_party as "firstParty"
    from applications a left join credentials c on c.application_id = a.id
    where a.tenant_id = ${tenantId} and a.id = ${applicationId}::bigint`;
  if (!row) return undefined;
  const { isStored, ...credentials } = row;
  return isStored ? credentials : defaultsOf("confidential");
}

/** Until the transaction ends, nobody else changes this Application's credentials. @returns false if there is none */
export async function lockApplication(sql: Queries, tenantId: TenantId, applicationId: number): Promise<boolean> {
  const rows = await sql`
    select id from applications where tenant_id = ${tenantId} and id = ${applicationId}::bigint for update`;
  return rows.length > 0;
}

/** @param applicationId locked, so known to be the tenant's */
export async function saveCredentials(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  values: Credentials,
): Promise<void> {
  await sql`
    insert into credentials (application_id, client_type, grant_types, scopes, redirect_uris,
      post_logout_redirect_uris, access_token_alg, id_token_alg, first_party)
    select id, ${values.clientType}, ${values.grantTypes}::text[], ${values.scopes}::text[],
      ${values.redirectUris}::text[], ${values.postLogoutRedirectUris}::text[], ${values.accessTokenAlg},
      ${values.idTokenAlg}, ${values.firstParty}
    from applications where tenant_id = ${tenantId} and id = ${applicationId}
    on conflict (application_id) do update set client_type = excluded.client_type,
      grant_types = excluded.grant_types, scopes = excluded.scopes, redirect_uris = excluded.redirect_uris,
      post_logout_redirect_uris = excluded.post_logout_redirect_uris, access_token_alg = excluded.access_token_alg,
      id_token_alg = excluded.id_token_alg, first_party = excluded.first_party`;
}

/** The oldest first. */
export async function listSecrets(sql: Queries, tenantId: TenantId, applicationId: number): Promise<StoredSecret[]> {
  return sql<StoredSecret[]>`
    select s.id, s.created_on as "createdOn"
    from client_secrets s join applications a on a.id = s.application_id
    where a.tenant_id = ${tenantId} and a.id = ${applicationId}::bigint order by s.created_on, s.id`;
}

export async function insertSecret(
  sql: Queries,
  tenantId: TenantId,
  applicationId: number,
  secret: { id: string; digest: Buffer },
): Promise<StoredSecret> {
  const [row] = await sql<StoredSecret[]>`
    insert into client_secrets (id, application_id, digest)
    select ${secret.id}, id, ${secret.digest} from applications
    where tenant_id = ${tenantId} and id = ${applicationId}
    returning id, created_on as "createdOn"`;
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
    returning s.id, s.created_on as "createdOn"`;
  return row;
}
