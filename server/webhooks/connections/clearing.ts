// Cancels the deliveries of deleted connections in batches. There may be hundreds of thousands, so neither the deletion
// nor other changes wait for them.

import type { Logger } from "pino";
import type { Sql } from "../../platform/db/sql.ts";
import { type Passes, POLL_MS, startEvery } from "../../platform/db/watch.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import { createOutageLog } from "../../platform/log.ts";
import { endClearing, listCleared } from "../connections.store.ts";
import { cancelDeliveries, hasOpenDeliveries } from "../deliveries/store.ts";

const BATCH = 1_000;

/** Cancels the first open deliveries, which usually are all. @returns where to continue if there may be more */
export async function clearSome(
  sql: Sql,
  tenantId: TenantId,
  connectionId: ConnectionId,
  after?: string,
): Promise<string | undefined> {
  const { count, last } = await cancelDeliveries(sql, tenantId, connectionId, after, BATCH);
  if (count === BATCH) return last;
  // Locked deliveries were skipped; the next pass cancels them.
  if (!(await hasOpenDeliveries(sql, tenantId, connectionId))) await endClearing(sql, tenantId, connectionId);
  return undefined;
}

/** Cancels the remaining deliveries of all connections. Workers share the work without waiting for each other. */
export function startClearing(sql: Sql, log: Logger): Passes {
  const failed = createOutageLog(log);
  let stopping = false;

  async function clear(): Promise<void> {
    for (const { tenantId, id } of await listCleared(sql)) {
      let after: string | undefined;
      do {
        after = await clearSome(sql, tenantId, id, after);
      } while (after !== undefined && !stopping);
    }
  }

  const passes = startEvery(POLL_MS, clear, (error) =>
    failed({ err: error }, "deliveries of a deleted connection could not be cancelled yet; retrying"),
  );
  return {
    stop() {
      stopping = true;
      return passes.stop();
    },
  };
}
