import type { Queries } from "./connection.ts";

/**
 * Ids as an array whose length PostgreSQL does not look into: one plan serves all of them. Seeing it, PostgreSQL plans
 * anew for every few ids, which costs more than looking those few up.
 */
export const uuids = (sql: Queries, ids: readonly string[]) => sql`((select ${ids as string[]}::uuid[])::uuid[])`;
