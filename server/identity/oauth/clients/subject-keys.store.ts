import type { Queries } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";

/** @returns the tenant's key, which is this one if it had none */
export async function keepSubjectKey(sql: Queries, tenantId: TenantId, sealed: Uint8Array): Promise<Uint8Array> {
  const [row] = await sql<{ key: Uint8Array }[]>`
    update tenants set subject_key = coalesce(subject_key, ${Buffer.from(sealed)}) where id = ${tenantId}
    returning subject_key as key`;
  return row!.key;
}
