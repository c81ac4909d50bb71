import type { Actor, SettingsStore, Stamped } from "../../access/index.ts";
import type { Queries } from "../../db/connection.ts";
import { Conflict } from "../../errors.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { MappedClaim } from "../claim-mapping.ts";
import type { AccessTokenType } from "../clients/store.ts";
import type { SigningAlg } from "../keys/rotation.ts";

export interface ApiScope {
  name: string;
  /** What a user is told of it. */
  description: string;
}

/** An API of the tenant's own, which takes our access tokens. */
export interface Api extends Stamped {
  id: string;
  name: string;
  /** The `aud` of tokens for it, and the `resource` that they are asked for with (RFC 8707). */
  audience: string;
  scopes: ApiScope[];
  accessTokenAlg: SigningAlg;
  accessTokenType: AccessTokenType;
  /** Seconds. */
  tokenLifetime: number | null;
  /** A user's claims of the granted scopes stand in its tokens. */
  includeClaims: boolean;
  claimMapping: MappedClaim[];
  /** The Application by whose client it introspects. */
  applicationId: number | null;
}

const columns = (sql: Queries) => sql`id, name, audience, scopes, access_token_alg as "accessTokenAlg",
  access_token_type as "accessTokenType", token_lifetime as "tokenLifetime", include_claims as "includeClaims", claim_mapping as "claimMapping", application_id as "applicationId",
  created_on as "createdOn", actor_reference(created_by_type, created_by_id) as "createdBy",
  modified_on as "modifiedOn", actor_reference(modified_by_type, modified_by_id) as "modifiedBy"`;

export const API_STORE: SettingsStore<Api> = {
  list: (sql, tenantId, { name }, limit, after) => sql<Api[]>`
    select ${columns(sql)} from apis
    where tenant_id = ${tenantId} ${after ? sql`and id < ${after}` : sql``}
      ${name === undefined ? sql`` : sql`and name = ${name}`}
    order by id desc limit ${limit + 1}`,

  async find(sql, tenantId, key) {
    const match = "id" in key ? sql`id = ${key.id}` : sql`name = ${key.name}`;
    const [api] = await sql<Api[]>`select ${columns(sql)} from apis where tenant_id = ${tenantId} and ${match}`;
    return api;
  },

  async insert(sql, tenantId, api, actor) {
    const [row] = await heldByNobody(sql<Api[]>`
      insert into apis (id, tenant_id, created_by_type, created_by_id, ${names(sql)})
      values (${Bun.randomUUIDv7()}, ${tenantId}, ${actor.type}, ${actor.id}, ${values(sql, tenantId, api, actor)})
      returning ${columns(sql)}`);
    return row!;
  },

  async update(sql, tenantId, api, actor, before) {
    const [row] = await heldByNobody(sql<Api[]>`
      update apis set (${names(sql)}, modified_on) = (${values(sql, tenantId, api, actor)}, now())
      where tenant_id = ${tenantId} and id = ${api.id} returning ${columns(sql)}`);
    const kept = new Set(api.scopes.map((scope) => scope.name));
    await takeScopes(
      sql,
      tenantId,
      before.scopes.map((scope) => scope.name).filter((scope) => !kept.has(scope)),
    );
    return row!;
  },

  async remove(sql, tenantId, id) {
    const [gone] = await sql<Pick<Api, "scopes">[]>`
      delete from apis where tenant_id = ${tenantId} and id = ${id} returning scopes`;
    await takeScopes(sql, tenantId, gone?.scopes.map((scope) => scope.name) ?? []);
  },
};

const names = (sql: Queries) => sql`name, audience, scopes, access_token_alg, access_token_type, token_lifetime,
  include_claims, claim_mapping,
  application_id, modified_by_type, modified_by_id`;

/** An Application that is not the tenant's is none. */
function values(sql: Queries, tenantId: TenantId, api: Omit<Api, "id" | keyof Stamped>, actor: Actor) {
  return sql`${api.name}, ${api.audience}, ${sql.json(api.scopes as never)}, ${api.accessTokenAlg},
    ${api.accessTokenType}, ${api.tokenLifetime}::integer, ${api.includeClaims}::boolean, ${sql.json(api.claimMapping as never)}, (select a.id from applications a where a.tenant_id = ${tenantId} and a.id = ${api.applicationId}::bigint),
    ${actor.type},
    ${actor.id}::bigint`;
}

/** It may be held by another tenant's: then this is all that is said of it. @throws Conflict */
function heldByNobody<Row>(written: Promise<Row>): Promise<Row> {
  return written.catch((error) => {
    if (error.constraint_name !== "apis_audience_key") throw error;
    throw new Conflict("Audience is held by another Api.");
  });
}

/** A scope that is gone is nobody's any more, lest it comes back to them with another API. */
async function takeScopes(sql: Queries, tenantId: TenantId, scopes: string[]): Promise<void> {
  if (scopes.length === 0) return;
  const rest = sql`scopes = array(
    select scope from unnest(scopes) with ordinality as one (scope, place)
    where scope <> all (${scopes}::text[]) order by place)`;
  await sql`update credentials set ${rest} where scopes && ${scopes}::text[]
    and application_id in (select id from applications where tenant_id = ${tenantId})`;
  await sql`update roles set ${rest} where tenant_id = ${tenantId} and scopes && ${scopes}::text[]`;
  await sql`update consents set ${rest} where tenant_id = ${tenantId} and scopes && ${scopes}::text[]`;
}

/** All of a tenant's, the newest first. */
export async function listApis(sql: Queries, tenantId: TenantId): Promise<Api[]> {
  return sql<Api[]>`select ${columns(sql)} from apis where tenant_id = ${tenantId} order by id desc`;
}

/** All, and until the transaction ends nobody changes or deletes one. */
export async function lockApis(sql: Queries, tenantId: TenantId): Promise<Pick<Api, "scopes">[]> {
  return sql<Pick<Api, "scopes">[]>`select scopes from apis where tenant_id = ${tenantId} order by id for share`;
}

export async function findApis(sql: Queries, tenantId: TenantId, ids: readonly string[]): Promise<Api[]> {
  return sql<Api[]>`
    select ${columns(sql)} from apis where tenant_id = ${tenantId} and id = any (${[...ids]}::uuid[])`;
}

export async function countApis(sql: Queries, tenantId: TenantId): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from apis where tenant_id = ${tenantId}`;
  return row!.count;
}

/** Of these scopes one that another API of the tenant has. */
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
