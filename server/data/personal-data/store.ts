import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { PERSONAL_ROWS } from "./tables.ts";

type PersonalTable = (typeof PERSONAL_ROWS)[number];

function isAbout(sql: Queries, { column, through }: PersonalTable, tenantId: TenantId, userId: number) {
  if (!through) return sql`${sql(column)} = ${userId}`;
  const { key, table } = through;
  return sql`${sql(column)} in (
    select ${sql(key)} from ${sql(table)} where tenant_id = ${tenantId} and user_id = ${userId})`;
}

export async function readPersonalRows(
  sql: Queries,
  tenantId: TenantId,
  personal: PersonalTable,
  columns: readonly string[],
  userId: number,
): Promise<Record<string, unknown>[]> {
  return sql<Record<string, unknown>[]>`
    select ${sql([...columns])} from ${sql(personal.table)} where ${isAbout(sql, personal, tenantId, userId)}`;
}

export type PersonalCounts = Record<string, number>;

/** @returns the number of rows of each table that are about a User, by their files in an export */
export async function countPersonalRows(sql: Queries, tenantId: TenantId, userId: number): Promise<PersonalCounts> {
  const counts = await Promise.all(
    PERSONAL_ROWS.map(async (personal) => {
      const [row] = await sql<{ count: number }[]>`
        select count(*) as count from ${sql(personal.table)} where ${isAbout(sql, personal, tenantId, userId)}`;
      return [personal.file, row!.count] as const;
    }),
  );
  return Object.fromEntries(counts);
}
