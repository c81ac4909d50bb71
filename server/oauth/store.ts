import type { Queries } from "../db/connection.ts";
import type { TenantId } from "../tenants/index.ts";

/** A client as the token endpoint sees it. */
export interface Client {
  id: number;
  tenantId: TenantId;
  isActive: boolean;
  clientType: "confidential" | "public" | "native";
  grantTypes: string[];
  scopes: string[];
  /** SHA-256 of each live secret. */
  digests: Uint8Array[];
}

/** The client's own tenant is the answer here, so this look-up alone has no tenant to filter by. */
export async function findClient(sql: Queries, clientId: number): Promise<Client | undefined> {
  const [client] = await sql<Client[]>`
    select a.id, a.tenant_id as "tenantId", a.is_active as "isActive", c.client_type as "clientType",
      c.grant_types as "grantTypes", c.scopes,
      coalesce((select array_agg(s.digest) from client_secrets s where s.application_id = a.id), '{}') as digests
    from applications a join credentials c on c.application_id = a.id
    where a.id = ${clientId}`;
  return client;
}

export interface StoredKey {
  kid: string;
  alg: string;
  publicJwk: Record<string, unknown>;
  privateJwk: Uint8Array;
  retired: boolean;
}

export async function listSigningKeys(sql: Queries): Promise<StoredKey[]> {
  return sql<StoredKey[]>`
    select kid, alg, public_jwk as "publicJwk", private_jwk as "privateJwk", retired_on is not null as retired
    from signing_keys order by created_on desc`;
}

/** Does nothing if another process was faster: there is one live key an algorithm. */
export async function insertSigningKey(sql: Queries, key: Omit<StoredKey, "retired">): Promise<void> {
  await sql`
    insert into signing_keys (kid, alg, public_jwk, private_jwk)
    values (${key.kid}, ${key.alg}, ${sql.json(key.publicJwk as never)}, ${Buffer.from(key.privateJwk)})
    on conflict do nothing`;
}
