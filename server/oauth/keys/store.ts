import type { Queries } from "../../db/sql.ts";

/** Notified of key changes when their transaction commits. */
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
    select kid, alg, public_jwk as "publicJwk", private_jwk as "privateJwk", signs_from as "signsFrom"
    from signing_keys order by signs_from desc, kid`;
}

export async function listKeyDates(sql: Queries): Promise<KeyDates[]> {
  return sql<KeyDates[]>`select kid, alg, signs_from as "signsFrom" from signing_keys order by signs_from desc, kid`;
}

export async function lockSigningKeys(sql: Queries): Promise<void> {
  await sql`select pg_advisory_xact_lock(${KEYS_LOCK})`;
}

export async function insertSigningKey(sql: Queries, key: StoredKey): Promise<void> {
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
