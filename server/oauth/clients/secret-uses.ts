// When clients' secrets were last used, to the hour: written beside the requests' way, so that none waits for it.

import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Sql } from "../../db/sql.ts";
import { createOutageLog } from "../../log.ts";
import { recordUses, USE_EVERY_MS } from "./store.ts";

/** Of secrets beyond them the store alone knows that they were used a while ago. */
const SECRETS = 20_000;

/** Told of every secret that has proved a client. */
export type OnSecretUsed = (secretId: string) => void;

/** Of each secret this process writes the first use in half an hour, in one statement with all others that wait by then. */
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
        couldNotWrite({ err: error }, "it could not be written down that secrets of clients were used");
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
