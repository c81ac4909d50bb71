import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

export interface EnrolledFactor {
  since: Date;
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

export interface SealedFactor {
  secret: Uint8Array;
  recoveryKey: Uint8Array;
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

/** @param factor sealed @param step the confirming code's @returns false if the user already has a factor */
export async function insertSecret(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  factor: { secret: Buffer; recoveryKey: Buffer },
  step: number,
): Promise<boolean> {
  const rows = await sql`
    insert into totp_secrets (tenant_id, user_id, secret, recovery_key, last_step)
    select tenant_id, id, ${factor.secret}, ${factor.recoveryKey}, ${step} from users
    where tenant_id = ${tenantId} and id = ${userId}
    on conflict do nothing returning user_id`;
  return rows.length > 0;
}

/** @returns false if a code of this step or a later one was already used */
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

/** @param key sealed; codes made with the previous key become invalid */
export async function replaceRecoveryKey(sql: Queries, tenantId: TenantId, userId: number, key: Buffer): Promise<void> {
  await sql`update totp_secrets set recovery_key = ${key} where tenant_id = ${tenantId} and user_id = ${userId}`;
}

export async function replaceRecoveryCodes(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  digests: Buffer[],
): Promise<void> {
  await sql`delete from recovery_codes where tenant_id = ${tenantId} and user_id = ${userId}`;
  const hex = digests.map((digest) => digest.toString("hex"));
  await sql`
    insert into recovery_codes (tenant_id, user_id, digest)
    select tenant_id, user_id, decode(code, 'hex') from totp_secrets, unnest(${hex}::text[]) as code
    where tenant_id = ${tenantId} and user_id = ${userId}`;
}

/** @returns false if the code is unknown or was already used */
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
