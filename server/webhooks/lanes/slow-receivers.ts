// Which receivers are slow: told by the posts that are out to them, kept in PostgreSQL, where every dispatcher reads it.

import type { Logger } from "pino";
import type { Sql } from "../../db/connection.ts";
import { markSlow, unmarkSlow } from "./store.ts";

/** So long after its last slow post a receiver is taken to be quick again. */
const SLOW_FOR_MS = 60_000;
/** What is written is good for a while; each slow post would write it again. */
const RENEWED_AFTER_MS = SLOW_FOR_MS / 4;
/** After so many quick posts in a row it is taken to be quick at once. */
const QUICK_POSTS = 5;

export interface SlowReceivers {
  /** Told of a post to a receiver that is slow. */
  mark(tenantId: string, connectionId: string): Promise<void>;
  /** Told of a post of the slow lane that was quick. */
  noteQuick(tenantId: string, connectionId: string): Promise<void>;
}

export function createSlowReceivers(sql: Sql, log: Logger): SlowReceivers {
  const marked = new Map<string, number>();
  const quick = new Map<string, number>();

  return {
    async mark(tenantId, connectionId) {
      quick.delete(connectionId);
      const now = performance.now();
      for (const [known, at] of marked) if (now - at > RENEWED_AFTER_MS) marked.delete(known);
      if (marked.has(connectionId)) return;
      marked.set(connectionId, now);
      await markSlow(sql, tenantId, connectionId, SLOW_FOR_MS).catch((error) => {
        marked.delete(connectionId);
        log.warn({ err: error, tenantId, connectionId }, "a slow receiver could not be written down");
      });
    },
    async noteQuick(tenantId, connectionId) {
      const posts = (quick.get(connectionId) ?? 0) + 1;
      quick.set(connectionId, posts);
      if (posts < QUICK_POSTS) return;
      quick.delete(connectionId);
      marked.delete(connectionId);
      await unmarkSlow(sql, tenantId, connectionId).catch((error) => {
        log.warn({ err: error, tenantId, connectionId }, "a receiver that is quick again is taken to be slow a while");
      });
    },
  };
}
