import type { Queries } from "../db/connection.ts";
import { NotFound } from "../errors.ts";
import type { TenantId } from "../tenant-id.ts";

/** Finds a User in its response shape, which is what policies judge. */
export type FindUser = (
  sql: Queries,
  tenantId: TenantId,
  type: "User",
  id: number,
) => Promise<Record<string, unknown> | undefined>;

/** The largest that a User's Id can be. */
const LARGEST_ID = 2 ** 31 - 1;

/**
 * @param text the Id as the path has it
 * @throws NotFound
 */
export async function requireUser(find: FindUser, sql: Queries, tenantId: TenantId, text: string) {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  const record = id <= LARGEST_ID ? await find(sql, tenantId, "User", id) : undefined;
  if (!record) throw new NotFound("There is no User with this Id.");
  return { id, record };
}
