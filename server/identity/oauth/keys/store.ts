import type { Queries } from "../../../platform/db/sql.ts";
import type { SigningAlg } from "../contract.ts";

/** Notified of key changes when their transaction commits, also by triggers of clients and APIs. */
export const KEYS_CHANNEL = "gatehouse_signing_keys";
/** An arbitrary constant for the lock that serializes key changes. */
const KEYS_LOCK = 7_203_416;

export interface StoredKey {
  kid: string;
  alg: string;
  publicJwk: Record<string, unknown>;
  /** The private JWK, sealed by MASTER_KEY. */
  privateJwk: Uint8Array;
  /** It is the algorithm's active key until the next key becomes active. */
  signsFrom: Date;
  isPublished: boolean;
}

type KeyDates = Pick<StoredKey, "kid" | "alg" | "signsFrom">;

/** PostgreSQL's time, which all stored times use. */
export async function currentTime(sql: Queries): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select now()`;
  return row!.now;
}

/** Newest first. */
export async function listSigningKeys(sql: Queries): Promise<StoredKey[]> {
  return sql<StoredKey[]>`
    select kid, alg, public_jwk as "publicJwk", private_jwk as "privateJwk", signs_from as "signsFrom",
      used_on is not null as "isPublished"
    from signing_keys order by signs_from desc, kid`;
}

/** The dates of the published keys. */
export async function listKeyDates(sql: Queries): Promise<KeyDates[]> {
  return sql<KeyDates[]>`
    select kid, alg, signs_from as "signsFrom" from signing_keys where used_on is not null
    order by signs_from desc, kid`;
}

/** The default of id_tokens, and the algorithm of certificates. */
const ALWAYS_USED = "RS256" satisfies SigningAlg;
/** Longer than an access token lives, which is 24 hours at most; uses are noted once an hour. */
const PUBLISHED_AFTER_USE = "26 hours";

/** Publishes the keys of used algorithms, and withdraws those that only this service has used for long enough. */
export async function publishUsedKeys(sql: Queries): Promise<void> {
  await sql`
    with used as (
      update signing_keys set used_on = now()
      where alg = ${ALWAYS_USED}
        or exists (
          select from credentials where alg in (access_token_alg, id_token_alg, userinfo_alg, introspection_alg))
        or exists (select from apis where access_token_alg = alg)
    )
    select pg_notify(${KEYS_CHANNEL}, '')`;
  await sql`update signing_keys set used_on = null where used_on < now() - ${PUBLISHED_AFTER_USE}::interval`;
}

export async function lockSigningKeys(sql: Queries): Promise<void> {
  await sql`select pg_advisory_xact_lock(${KEYS_LOCK})`;
}

export async function insertSigningKey(sql: Queries, key: Omit<StoredKey, "isPublished">): Promise<void> {
  await sql`
    with key as (
      insert into signing_keys (kid, alg, public_jwk, private_jwk, signs_from)
      values (${key.kid}, ${key.alg}, ${sql.json(key.publicJwk as never)}, ${Buffer.from(key.privateJwk)},
        ${key.signsFrom})
    )
    select pg_notify(${KEYS_CHANNEL}, '')`;
}

export async function deleteSigningKeys(sql: Queries, kids: string[]): Promise<void> {
  if (kids.length === 0) return;
  await sql`
    with gone as (delete from signing_keys where kid = any (${kids}))
    select pg_notify(${KEYS_CHANNEL}, '')`;
}
