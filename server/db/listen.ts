import type { Sql } from "./connection.ts";

/**
 * Calls `wake` for every message of the channel, and whenever listening begins, also after PostgreSQL was away. If it is
 * away at first, postgres.js goes on trying by itself: a process that starts just then need not end.
 * @returns stops it
 */
export function listen(sql: Sql, channel: string, wake: (message?: string) => void): () => Promise<void> {
  const subscribed = sql.listen(channel, wake, () => wake()).catch(() => undefined);
  return async () => {
    const subscription = await subscribed;
    await subscription?.unlisten().catch(() => {});
  };
}
