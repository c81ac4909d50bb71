import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";

/** A user's second factor, without what is secret. */
export interface EnrolledFactor {
  since: Date;
  /** Recovery codes not used yet. */
  recoveryCodes: number;
}

export async function findFactor(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
): Promise<EnrolledFactor | undefined> {
  const [row] = await sql<EnrolledFactor[]>`
    select created_on as since,
      (select count(*) from recovery_codes c where c.tenant_id = t.tenant_id and c.user_id = t.user_id) as "recoveryCodes"
    from totp_secrets t where tenant_id = ${tenantId} and user_id = ${userId}::bigint`;
  return row;
}

/** As it is stored. */
export interface SealedFactor {
  secret: Uint8Array;
  /** What the digests of recovery codes are made by; null: from before there was one. */
  recoveryKey: Uint8Array | null;
}

export async function findSealedFactor(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
): Promise<SealedFactor | undefined> {
  const [row] = await sql<SealedFactor[]>`
    select secret, recovery_key as "recoveryKey" from totp_secrets
    where tenant_id = ${tenantId} and user_id = ${userId}`;
  return row;
}

/** Of all tenants. */
export async function listFactorsWithoutRecoveryKey(
  sql: Queries,
): Promise<(SealedFactor & { tenantId: TenantId; userId: number })[]> {
  return sql`
    select tenant_id as "tenantId", user_id as "userId", secret, recovery_key as "recoveryKey" from totp_secrets
    where recovery_key is null`;
}

/** Of a factor that has none yet. */
export async function saveRecoveryKey(sql: Queries, tenantId: TenantId, userId: number, sealed: Buffer): Promise<void> {
  await sql`
    update totp_secrets set recovery_key = ${sealed}
    where tenant_id = ${tenantId} and user_id = ${userId} and recovery_key is null`;
}

/**
 * @param secret sealed
 * @param step of the code that it was confirmed by
 * @returns false if the user has one already
 */
export async function insertSecret(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  secret: Buffer,
  step: number,
): Promise<boolean> {
  const rows = await sql`
    insert into totp_secrets (tenant_id, user_id, secret, last_step)
    select tenant_id, id, ${secret}, ${step} from users where tenant_id = ${tenantId} and id = ${userId}
    on conflict do nothing returning user_id`;
  return rows.length > 0;
}

/** @returns false if a code of that step, or a later one, was taken before */
export async function takeStep(sql: Queries, tenantId: TenantId, userId: number, step: number): Promise<boolean> {
  const rows = await sql`
    update totp_secrets set last_step = ${step}
    where tenant_id = ${tenantId} and user_id = ${userId} and last_step < ${step} returning user_id`;
  return rows.length > 0;
}

/** @returns false if the user has none */
export async function deleteFactor(sql: Queries, tenantId: TenantId, userId: number): Promise<boolean> {
  const rows = await sql`
    delete from totp_secrets where tenant_id = ${tenantId} and user_id = ${userId}::bigint returning user_id`;
  return rows.length > 0;
}

/** @param key sealed, by which the digests were made */
export async function replaceRecoveryCodes(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  key: Buffer,
  digests: Buffer[],
): Promise<void> {
  await sql`update totp_secrets set recovery_key = ${key} where tenant_id = ${tenantId} and user_id = ${userId}`;
  await sql`delete from recovery_codes where tenant_id = ${tenantId} and user_id = ${userId}`;
  const hex = digests.map((digest) => digest.toString("hex"));
  await sql`
    insert into recovery_codes (tenant_id, user_id, digest)
    select tenant_id, user_id, decode(code, 'hex') from totp_secrets, unnest(${hex}::text[]) as code
    where tenant_id = ${tenantId} and user_id = ${userId}`;
}

/** @returns false if there is no such code, or it was used before */
export async function takeRecoveryCode(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  digest: Buffer,
): Promise<boolean> {
  const rows = await sql`
    delete from recovery_codes where tenant_id = ${tenantId} and user_id = ${userId} and digest = ${digest}
    returning user_id`;
  return rows.length > 0;
}
