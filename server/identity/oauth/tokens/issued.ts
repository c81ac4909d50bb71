// Counts issued access tokens by tenant, grant and hour, in memory, and writes them in batches.

import type { Logger } from "pino";
import type { Sql } from "../../../platform/db/sql.ts";
import { HOUR_MS } from "../../../platform/durations.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { createOutageLog } from "../../../platform/log.ts";
import { createWriteBehind } from "../../../platform/write-behind.ts";
import type { Permitted } from "../../../records/index.ts";
import { addIssued, type HourOfTokens, type IssuedCount, listIssued } from "./issued.store.ts";

/** A killed process loses the counts since its last write. */
const EVERY_MS = 5_000;
/** The maximum number of counters in memory; while writing fails, further tokens are not counted. */
const MAX_COUNTERS = 10_000;

/** Tokens are issued by requests, so readers of all requests may see the counts. */
const READ_WITH = "Request";

export interface IssuedTokens {
  /** Called for every access token that the token endpoint has issued. */
  count(tenantId: TenantId, grantType: string): void;
  /** Counts by hour and grant, since the start of an hour. @returns undefined to callers without permission */
  since(caller: Permitted<"Settings:Read">, since: Date): Promise<HourOfTokens[] | undefined>;
  /** Writes the remaining counts; call it after the last request. */
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
      couldNotWrite({ err: error }, "the count of issued tokens could not be stored; retrying");
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
