// What this process has taken on: deliveries it has started and whose first attempt is still to end here. The rest of
// a burst waits in PostgreSQL, where it is shared out fairly, and not in Temporal, where it is first come, first served.

/** Dispatches that are taken on at a time: with less room than that, none is. */
export const BATCH = 16;
/** Deliveries in flight of all tenants, and of one: a tenant with slow receivers leaves room for the others. */
const MOST = 200;
const MOST_OF_A_TENANT = 150;
/** Beyond the time an attempt may take; an entry that old belongs to a task that Temporal has given to another worker. */
const GRACE_MS = 30_000;

export interface InFlight {
  add(tenantId: string, deliveryIds: string[]): void;
  /** Also for deliveries that were never added: retries, and those another process has started. */
  end(deliveryIds: string[]): void;
  isFull(): boolean;
  fullTenants(): string[];
  /** Called when there is room again for a batch, of all or of a tenant's share. */
  onRoom(call: () => void): void;
}

/** @param timeoutMs what one attempt may take */
export function createInFlight(timeoutMs: number): InFlight {
  const entries = new Map<string, { tenantId: string; since: number }>();
  const tenants = new Map<string, number>();
  let call = () => {};

  function remove(deliveryId: string): void {
    const entry = entries.get(deliveryId);
    if (!entry) return;
    const left = tenants.get(entry.tenantId)! - 1;
    entries.delete(deliveryId);
    if (left === 0) tenants.delete(entry.tenantId);
    else tenants.set(entry.tenantId, left);
    if (left === MOST_OF_A_TENANT - BATCH || entries.size === MOST - BATCH) call();
  }

  /** The oldest stand first. */
  function removeExpired(): void {
    const limit = performance.now() - timeoutMs - GRACE_MS;
    for (const [deliveryId, { since }] of entries) {
      if (since > limit) return;
      remove(deliveryId);
    }
  }

  return {
    add(tenantId, deliveryIds) {
      for (const deliveryId of deliveryIds) {
        if (entries.has(deliveryId)) continue;
        entries.set(deliveryId, { tenantId, since: performance.now() });
        tenants.set(tenantId, (tenants.get(tenantId) ?? 0) + 1);
      }
    },
    end: (deliveryIds) => deliveryIds.forEach(remove),
    isFull() {
      removeExpired();
      return entries.size > MOST - BATCH;
    },
    fullTenants: () =>
      [...tenants].filter(([, count]) => count > MOST_OF_A_TENANT - BATCH).map(([tenantId]) => tenantId),
    onRoom(callback) {
      call = callback;
    },
  };
}
