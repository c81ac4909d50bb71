import postgres from "postgres";

/** Ids are below 2^53, so int8 is read as a number. */
const int8 = { to: 20, from: [20], parse: Number, serialize: String };

export type Sql = postgres.Sql<{ int8: number }>;
export type Transaction = postgres.TransactionSql<{ int8: number }>;
/** What a store function needs: it runs alone or inside a transaction. */
export type Queries = Sql | Transaction;

/**
 * Opens a pool.
 * @param name stands in pg_stat_activity, and tells /readyz which processes are there
 */
export function connect(
  databaseUrl: string,
  name: string,
  max = 10,
  more: Pick<postgres.Options<Record<string, never>>, "max_lifetime" | "connect_timeout"> = {},
): Sql {
  return postgres(databaseUrl, {
    max,
    types: { int8 },
    connection: { application_name: name },
    onnotice: () => {},
    // A restarted PostgreSQL should be found again at once, not after a growing wait.
    backoff: () => 0.25,
    // A connection that PostgreSQL's end has left half made should not hold its request for long.
    connect_timeout: 3,
    ...more,
  }) as unknown as Sql;
}
