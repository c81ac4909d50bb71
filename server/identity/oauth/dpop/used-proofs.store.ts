// Used DPoP proofs (RFC 9449 11.1), in PostgreSQL, so each is accepted once across all processes.

import { createHash } from "node:crypto";
import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

/** Each insertion deletes this many expired rows, so the table stays small. */
const SWEPT = 2;

/** @param seconds until the proof expires @returns false if it was already used */
export async function insertUsedProof(
  sql: Queries,
  tenantId: TenantId,
  { jkt, jti }: { jkt: string; jti: string },
  seconds: number,
): Promise<boolean> {
  const digest = createHash("sha256")
    .update(JSON.stringify([jkt, jti]))
    .digest();
  const rows = await sql`
    with swept as (
      delete from used_dpop_proofs where ctid = any(array(
        select ctid from used_dpop_proofs where expires_on < now() order by expires_on limit ${SWEPT}
        for update skip locked))
    )
    insert into used_dpop_proofs (tenant_id, digest, expires_on)
    values (${tenantId}, ${digest}, now() + make_interval(secs => ${seconds}))
    on conflict do nothing returning digest`;
  return rows.length > 0;
}

export async function deleteExpiredProofs(sql: Queries): Promise<number> {
  return (await sql`delete from used_dpop_proofs where expires_on < now()`).count;
}
