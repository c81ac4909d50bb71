import type { TenantId } from "../ids.ts";
import type { Queries } from "./sql.ts";

/** Transactions of a tenant that do the same thing take turns: each sees the result of the one before. */
export async function takeTurn(tx: Queries, tenantId: TenantId, what: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`${what} ${tenantId}`}, 0))`;
}
