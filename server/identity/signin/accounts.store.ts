import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { needsSecondFactor } from "./store.ts";

export interface Account {
  id: number;
  isActive: boolean;
  /** Null: the account has no password, or one that may no longer be used. */
  hash: string | null;
  isImported: boolean;
  isExpired: boolean;
  knownDevice: boolean;
  knownAddress: boolean;
  needsSecondFactor: boolean;
}

/**
 * At most two accounts, because users who cannot sign in may share a user name, and a decoy: for a name without a
 * password, the imported hash of an account of the tenant, always of the same one, or undefined for its own kind. So its
 * check takes as long as that of a name with a password. One statement, which takes as long for every name.
 * @param key the normalized user name
 */
export async function findAccounts(
  sql: Queries,
  tenantId: TenantId,
  key: string,
  device: Buffer | undefined,
  address: string,
): Promise<{ accounts: Account[]; decoy: string | undefined }> {
  const known = sql`select from known_devices d where d.tenant_id = u.tenant_id and d.user_id = u.id`;
  const rows = await sql<((Account | { id: null }) & { decoy: string | null })[]>`
    with bounds as (
      select (select id from users where tenant_id = ${tenantId} order by id limit 1) as low,
        (select id from users where tenant_id = ${tenantId} order by id desc limit 1) as high
    ), near as (
      select u.id from bounds, lateral (
        select id from users where tenant_id = ${tenantId}
          and id >= low + abs(hashtextextended(${key}, 0) % (high - low + 1)) order by id limit 1) u
    ), decoy as (
      select ${usableHash(sql)} as hash from near join passwords p on p.user_id = near.id and p.imported_on is not null
    ), accounts as (
      select u.id, u.is_active as "isActive", ${usableHash(sql)} as hash, p.imported_on is not null as "isImported",
        coalesce(p.valid_until <= now(), false) as "isExpired",
        exists (${known} and d.digest = ${device ?? null}) as "knownDevice",
        exists (${known} and d.address = ${address}) as "knownAddress",
        ${needsSecondFactor(sql)} as "needsSecondFactor"
      from users u left join passwords p on p.user_id = u.id
      where u.tenant_id = ${tenantId} and md5(u.username_key) = md5(${key}) and u.username_key = ${key}
      order by u.id limit 2
    )
    select (select hash from decoy) as decoy, a.* from (values (true)) one left join accounts a on true`;
  return {
    accounts: rows.filter((row): row is (typeof rows)[number] & Account => row.id !== null),
    decoy: rows[0]!.decoy ?? undefined,
  };
}

/** Of the password in row `p`. A weak hash of another system may be used for some time only. */
const usableHash = (sql: Queries) => sql`case when p.valid_until <= now() then null else p.hash end`;
