import type { PendingQuery, Row } from "postgres";
import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { scopesOfRoles } from "../../../records/index.ts";

export interface Consent {
  scopes: string[];
  resources: string[];
  /** Names of claims allowed beyond those of the scopes. */
  claims: string[];
}

export interface Destinations {
  destinations: string[];
}

/** The access that a user's roles and consent allow a client now. */
export interface Allowance {
  /** The scopes of the user's roles. */
  ofRoles: string[];
  /** null: the user has given none. */
  consent: (Consent & Destinations) | null;
}

type Id = number | PendingQuery<Row[]>;

/** For a statement that has the user and the client as parameters or columns, so one look-up reads the grant as well. */
export const allowance = (sql: Queries, tenantId: TenantId, userId: Id, clientId: Id) => sql`
  ${scopesOfRoles(sql, tenantId, userId)} as "ofRoles",
  (select json_build_object('scopes', k.scopes, 'resources', k.resources, 'claims', k.claims, 'destinations', k.destinations)
    from consents k where k.tenant_id = ${tenantId} and k.user_id = ${userId} and k.client_id = ${clientId}) as consent`;

export interface SessionAllowance extends Allowance {
  /** When the user last withdrew consent from the client; null: never. */
  withdrawnOn: Date | null;
}

/** Further columns of a session `s`. */
export const allowanceOfSession = (sql: Queries, tenantId: TenantId, clientId: number) => sql`,
  ${allowance(sql, tenantId, sql`s.user_id`, clientId)},
  (select w.withdrawn_on from consent_withdrawals w
    where w.tenant_id = ${tenantId} and w.user_id = s.user_id and w.client_id = ${clientId}) as "withdrawnOn"`;

/** Adds to the earlier consent. */
export async function rememberConsent(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  clientId: number,
  { scopes, resources, claims, destinations }: Consent & Destinations,
): Promise<void> {
  await sql`
    insert into consents as c (tenant_id, user_id, client_id, scopes, resources, claims, destinations)
    values (${tenantId}, ${userId}, ${clientId},
      ${scopes}::text[], ${resources}::text[], ${claims}::text[], ${destinations}::text[])
    on conflict (tenant_id, user_id, client_id) do update set granted_on = now(),
      scopes = array(select distinct unnest(c.scopes || excluded.scopes)),
      resources = array(select distinct unnest(c.resources || excluded.resources)),
      claims = array(select distinct unnest(c.claims || excluded.claims)),
      destinations = array(select distinct unnest(c.destinations || excluded.destinations))`;
}
