// What this process has taken on: deliveries it has started and whose first attempt is still to end here. The rest of
// a burst waits in PostgreSQL, where it is shared out fairly, and not in Temporal, where it is first come, first served.

/** Dispatches that are taken on at a time: with less room than that, none is. */
export const BATCH = 16;
/** Deliveries in flight of all tenants, and of one: a tenant with slow receivers leaves room for the others. */
const MOST = 200;
const MOST_OF_A_TENANT = 150;
/**
 * Workflows whose first post is yet to begin, of all tenants and of one. They wait for Temporal and this process in the
 * order they came, so another tenant's change waits for all of them.
 */
const MOST_QUEUED = 40;
const MOST_QUEUED_OF_A_TENANT = 20;
/** A workflow that is queued for so long says that this process, or Temporal, has more to do than it can. */
const BEHIND_AFTER_MS = 100;
/** Beyond the time an attempt may take; an entry that old belongs to a task that Temporal has given to another worker. */
const GRACE_MS = 30_000;

export interface InFlight {
  /** The deliveries of one workflow. */
  add(tenantId: string, deliveryIds: string[]): void;
  /** Told when a post begins. */
  begin(deliveryId: string): void;
  /** Also for deliveries that were never added: retries, and those another process has started. */
  end(deliveryIds: string[]): void;
  isFull(): boolean;
  /** Whether what is queued waits longer than it should: then nothing that can wait should be begun. */
  isBehind(): boolean;
  fullTenants(): string[];
  /** Called when there is room again for a batch, of all or of a tenant's share. */
  onRoom(call: () => void): void;
}

interface Workflow {
  tenantId: string;
  since: number;
  queued: boolean;
}

/** @param timeoutMs what one attempt may take */
export function createInFlight(timeoutMs: number): InFlight {
  const entries = new Map<string, Workflow>();
  const deliveries = createCounter(MOST - BATCH, MOST_OF_A_TENANT - BATCH);
  const queued = createCounter(MOST_QUEUED - BATCH, MOST_QUEUED_OF_A_TENANT - BATCH);
  let call = () => {};

  function leaveQueue(workflow: Workflow): void {
    if (!workflow.queued) return;
    workflow.queued = false;
    if (queued.remove(workflow.tenantId)) call();
  }

  function remove(deliveryId: string): void {
    const workflow = entries.get(deliveryId);
    if (!workflow) return;
    entries.delete(deliveryId);
    leaveQueue(workflow);
    if (deliveries.remove(workflow.tenantId)) call();
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
      const added = deliveryIds.filter((deliveryId) => !entries.has(deliveryId));
      if (added.length === 0) return;
      const workflow = { tenantId, since: performance.now(), queued: true };
      queued.add(tenantId);
      for (const deliveryId of added) {
        entries.set(deliveryId, workflow);
        deliveries.add(tenantId);
      }
    },
    begin(deliveryId) {
      const workflow = entries.get(deliveryId);
      if (workflow) leaveQueue(workflow);
    },
    end: (deliveryIds) => deliveryIds.forEach(remove),
    isFull() {
      removeExpired();
      return deliveries.isFull() || queued.isFull();
    },
    isBehind() {
      for (const { since, queued } of entries.values()) if (queued) return performance.now() - since > BEHIND_AFTER_MS;
      return false;
    },
    fullTenants: () => [...new Set([...deliveries.fullTenants(), ...queued.fullTenants()])],
    onRoom(callback) {
      call = callback;
    },
  };
}

/** Counts by tenant, and is full beyond `most` of all or `mostOfOne` of a tenant. */
function createCounter(most: number, mostOfOne: number) {
  const tenants = new Map<string, number>();
  let all = 0;
  return {
    add(tenantId: string): void {
      all++;
      tenants.set(tenantId, (tenants.get(tenantId) ?? 0) + 1);
    },
    /** @returns whether there is room only since now */
    remove(tenantId: string): boolean {
      const left = tenants.get(tenantId)! - 1;
      all--;
      if (left === 0) tenants.delete(tenantId);
      else tenants.set(tenantId, left);
      return left === mostOfOne || all === most;
    },
    isFull: () => all > most,
    fullTenants: () => [...tenants].filter(([, count]) => count > mostOfOne).map(([tenantId]) => tenantId),
  };
}
