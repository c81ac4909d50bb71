// How many access tokens were issued, by tenant, grant and hour: counted in memory, and written in batches.

import type { Logger } from "pino";
import type { Permitted } from "../../access/index.ts";
import type { Sql } from "../../db/sql.ts";
import type { TenantId } from "../../ids.ts";
import { createOutageLog } from "../../log.ts";
import { createWriteBehind } from "../../write-behind.ts";
import { addIssued, type HourOfTokens, type IssuedCount, listIssued } from "./issued.store.ts";

/** A process that is killed loses what it has counted since. */
const EVERY_MS = 5_000;
/** Counters in memory; while nothing can be written, what would take another is not counted. */
const MAX_COUNTERS = 10_000;
const HOUR_MS = 3_600_000;

/** Tokens are issued by requests, so callers who may read every request see how many there were. */
const READ_WITH = "Request";

export interface IssuedTokens {
  /** Told of every access token that the token endpoint has issued. */
  count(tenantId: TenantId, grantType: string): void;
  /** By the hour and grant, from the beginning of an hour on. @returns undefined to callers who may not see it */
  since(caller: Permitted<"Settings:Read">, since: Date): Promise<HourOfTokens[] | undefined>;
  /** Writes what waits; to be called when no more requests come. */
  stop(): Promise<void>;
}

export function createIssuedTokens(sql: Sql, log: Logger): IssuedTokens {
  let counters = new Map<string, IssuedCount>();
  const couldNotWrite = createOutageLog(log);
  const writing = createWriteBehind(EVERY_MS, () => counters.size > 0, write);

  function add({ tenantId, hour, grantType, count }: IssuedCount): void {
    const key = `${tenantId} ${hour.getTime()} ${grantType}`;
    const counter = counters.get(key);
    if (counter) counter.count += count;
    else if (counters.size < MAX_COUNTERS) counters.set(key, { tenantId, hour, grantType, count });
  }

  async function write(): Promise<void> {
    const counts = [...counters.values()];
    counters = new Map();
    try {
      await addIssued(sql, counts);
    } catch (error) {
      for (const one of counts) add(one);
      couldNotWrite({ err: error }, "how many tokens were issued could not be written down; tried again");
    }
  }

  return {
    count(tenantId, grantType) {
      const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
      add({ tenantId, hour, grantType, count: 1 });
      writing.soon();
    },

    async since({ tenantId, gate }, since) {
      return gate.seesAll(READ_WITH) ? listIssued(sql, tenantId, since) : undefined;
    },

    stop: writing.stop,
  };
}
