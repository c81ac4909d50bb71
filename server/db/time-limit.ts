import type { TenantId } from "../tenant-id.ts";
import type { Queries, Sql } from "./connection.ts";

const CANCELLED = "57014";

/**
 * Reads with a limit of time, which PostgreSQL holds for each statement.
 * @returns undefined if it took longer
 */
export async function readWithin<T>(
  sql: Sql,
  tenantId: TenantId,
  limitMs: number,
  read: (queries: Queries) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await sql.beginLong(tenantId, async (tx) => {
      await tx`select set_config('statement_timeout', ${String(limitMs)}, true)`;
      return read(tx);
    });
  } catch (error) {
    if ((error as { code?: string }).code === CANCELLED) return undefined;
    throw error;
  }
}
