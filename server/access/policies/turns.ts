// Cedar decides in this process's only thread, so whoever asks it for much lets others in between.

import { ServiceBusy } from "../../errors.ts";
import type { TenantId } from "../../tenant-id.ts";

/** Work that goes on for longer lets other requests be answered, then goes on. */
const SLICE_MS = 10;
/** Who has waited longer is refused when its turn comes, so that what a tenant asks for does not pile up. */
const LONGEST_WAIT_MS = 5_000;

/** @returns to be awaited between two steps of long work */
export function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    // Not a microtask: what has come in over the network meanwhile is served first.
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}

export type InTurn = <T>(tenantId: TenantId, work: () => Promise<T>) => Promise<T>;

/**
 * @returns runs one long work of each tenant at a time, so that many of one tenant are no more than one of another; it
 * throws ServiceBusy where the wait was too long
 */
export function createTurns(longestWaitMs = LONGEST_WAIT_MS): InTurn {
  const last = new Map<TenantId, Promise<unknown>>();
  return (tenantId, work) => {
    const asked = performance.now();
    const turn = (last.get(tenantId) ?? Promise.resolve()).then(() => {
      if (performance.now() - asked > longestWaitMs) throw new ServiceBusy();
      return work();
    });
    const over = turn
      .catch(() => undefined)
      .then(() => {
        if (last.get(tenantId) === over) last.delete(tenantId);
      });
    last.set(tenantId, over);
    return turn;
  };
}
