// Which receivers are slow: known from their latest posts, kept in PostgreSQL, where every dispatcher reads it.

import type { Logger } from "pino";
import type { Sql } from "../../db/connection.ts";
import { markSlow } from "./store.ts";

/** So long after its last slow post a receiver is taken to be quick again. */
const SLOW_FOR_MS = 60_000;
/** Slow posts within that time before a receiver is: one may be an accident, and costs little. */
const POSTS_TO_TELL = 3;
/** What is written is good for a while; each slow post would write it again. */
const RENEWED_AFTER_MS = SLOW_FOR_MS / 4;

export interface SlowReceivers {
  /** Told of a post that held its workflow's task for as long as it may. */
  notice(tenantId: string, connectionId: string): Promise<void>;
  /** Told of a slow post to a receiver that was known to be slow. */
  renew(tenantId: string, connectionId: string): Promise<void>;
}

export function createSlowReceivers(sql: Sql, log: Logger): SlowReceivers {
  const noticed = new Map<string, { count: number; since: number }>();
  const marked = new Map<string, number>();

  async function mark(tenantId: string, connectionId: string): Promise<void> {
    const now = performance.now();
    if (now - (marked.get(connectionId) ?? -Infinity) < RENEWED_AFTER_MS) return;
    forget(marked, (at) => at);
    marked.set(connectionId, now);
    await markSlow(sql, tenantId, connectionId, SLOW_FOR_MS).catch((error) => {
      marked.delete(connectionId);
      log.warn({ err: error, tenantId, connectionId }, "a slow receiver could not be written down");
    });
  }

  return {
    async notice(tenantId, connectionId) {
      forget(noticed, ({ since }) => since);
      const { count, since } = noticed.get(connectionId) ?? { count: 0, since: performance.now() };
      noticed.set(connectionId, { count: count + 1, since });
      if (count + 1 >= POSTS_TO_TELL) await mark(tenantId, connectionId);
    },
    renew: mark,
  };
}

function forget<T>(told: Map<string, T>, at: (entry: T) => number): void {
  for (const [connectionId, entry] of told) {
    if (performance.now() - at(entry) > SLOW_FOR_MS) told.delete(connectionId);
  }
}
