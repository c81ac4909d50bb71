// The last use of clients' secrets, to the hour, written in the background.

import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Sql } from "../../../platform/db/sql.ts";
import { createOutageLog } from "../../../platform/log.ts";
import { recordUses, USE_EVERY_MS } from "./store.ts";

/** The maximum number of secrets in memory; for others only the store knows the last use. */
const SECRETS = 20_000;

export type OnSecretUsed = (secretId: string) => void;

/** Each process writes a secret's first use in half an hour, batched in one statement. */
export function createSecretUses(sql: Sql, log: Logger): OnSecretUsed {
  const recorded = new LRUCache<string, true>({ max: SECRETS, ttl: USE_EVERY_MS });
  const couldNotWrite = createOutageLog(log);
  let waiting: string[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const ids = waiting;
      waiting = [];
      try {
        await recordUses(sql, ids);
      } catch (error) {
        // The next use tries again.
        for (const id of ids) recorded.delete(id);
        couldNotWrite({ err: error }, "the last use of client secrets could not be stored");
      }
    }
    isWriting = false;
  }

  return (secretId) => {
    if (recorded.has(secretId)) return;
    recorded.set(secretId, true);
    waiting.push(secretId);
    if (!isWriting) void write();
  };
}
