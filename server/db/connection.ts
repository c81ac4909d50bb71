import postgres from "postgres";
import { createBudget } from "../budget.ts";
import type { TenantId } from "../tenant-id.ts";
import { parseDatabaseUrl } from "./address.ts";

/** Ids are below 2^53, so int8 is read as a number. */
const int8 = { to: 20, from: [20], parse: Number, serialize: String };

export interface Sql extends postgres.Sql<{ int8: number }> {
  /** As `begin`, in the tenant's share of the pool. @throws TenantBusy */
  beginFor<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T>;
}
export type Transaction = postgres.TransactionSql<{ int8: number }>;
/** What a store function needs: it runs alone or inside a transaction. */
export type Queries = Sql | Transaction;

/** Transactions of a tenant that wait for a connection of its share. */
const MOST_WAITING = 1_000;

/**
 * Opens a pool. A tenant's transactions have half of it.
 * @param name stands in pg_stat_activity, and tells /readyz which processes are there
 */
export function connect(
  databaseUrl: string,
  name: string,
  max = 10,
  more: Pick<postgres.Options<Record<string, never>>, "max_lifetime" | "connect_timeout"> = {},
): Sql {
  const { url, ssl } = parseDatabaseUrl(databaseUrl);
  const sql = postgres(url, {
    max,
    ssl,
    types: { int8 },
    connection: { application_name: name },
    onnotice: () => {},
    // A restarted PostgreSQL should be found again at once, not after a growing wait.
    backoff: () => 0.25,
    // A connection that PostgreSQL's end has left half made should not hold its request for long.
    connect_timeout: 3,
    ...more,
  }) as unknown as Sql;
  const budget = createBudget({ name: "transactions", perTenant: Math.ceil(max / 2), waiting: MOST_WAITING });
  sql.beginFor = <T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>) =>
    budget.run(tenantId, () => sql.begin(work) as Promise<T>);
  return sql;
}
