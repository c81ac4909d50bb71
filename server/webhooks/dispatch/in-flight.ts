// Workflows that this process has started and whose first post is yet to begin. They wait for Temporal and this process
// in the order they came, so another tenant's change waits for all of them: the rest of a burst waits in PostgreSQL,
// where it is shared out fairly.

/** Workflows that are started at a time: with less room than that, none is. */
export const BATCH = 16;
const MOST = 40;
const MOST_OF_A_TENANT = 20;
/** A workflow that is queued for so long says that this process, or Temporal, has more to do than it can. */
const BEHIND_AFTER_MS = 100;
/** One that is queued for so long runs elsewhere: its task was given to another worker. */
const LOST_AFTER_MS = 30_000;

export interface InFlight {
  /** The deliveries of one workflow. */
  add(tenantId: string, deliveryIds: string[]): void;
  /** Told when one of them begins, or runs elsewhere; also for those that were never added. */
  begin(deliveryId: string): void;
  isFull(): boolean;
  /** Whether what is queued waits longer than it should: then nothing that can wait should be begun. */
  isBehind(): boolean;
  fullTenants(): string[];
  /** Workflows of a tenant that may be started now. */
  room(tenantId: string): number;
  /** Called when there is room again for a batch, of all or of a tenant's share. */
  onRoom(call: () => void): void;
  /** Called when one has begun. */
  onBegin(call: () => void): void;
}

interface Workflow {
  tenantId: string;
  deliveryIds: string[];
  since: number;
}

export function createInFlight(): InFlight {
  const queued = new Map<string, Workflow>();
  const tenants = new Map<string, number>();
  let callOnRoom = () => {};
  let callOnBegin = () => {};
  let all = 0;

  function leave({ tenantId, deliveryIds }: Workflow): void {
    for (const deliveryId of deliveryIds) queued.delete(deliveryId);
    const left = tenants.get(tenantId)! - 1;
    if (left === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, left);
    all--;
    callOnBegin();
    if (left === MOST_OF_A_TENANT - BATCH || all === MOST - BATCH) callOnRoom();
  }

  /** The oldest stand first. */
  function removeLost(): void {
    const limit = performance.now() - LOST_AFTER_MS;
    for (const workflow of queued.values()) {
      if (workflow.since > limit) return;
      if (queued.has(workflow.deliveryIds[0]!)) leave(workflow);
    }
  }

  return {
    add(tenantId, deliveryIds) {
      const added = deliveryIds.filter((deliveryId) => !queued.has(deliveryId));
      if (added.length === 0) return;
      const workflow = { tenantId, deliveryIds: added, since: performance.now() };
      for (const deliveryId of added) queued.set(deliveryId, workflow);
      tenants.set(tenantId, (tenants.get(tenantId) ?? 0) + 1);
      all++;
    },
    begin(deliveryId) {
      const workflow = queued.get(deliveryId);
      if (workflow) leave(workflow);
    },
    isFull() {
      removeLost();
      return all > MOST - BATCH;
    },
    isBehind() {
      const [oldest] = queued.values();
      return oldest !== undefined && performance.now() - oldest.since > BEHIND_AFTER_MS;
    },
    fullTenants: () =>
      [...tenants].filter(([, count]) => count > MOST_OF_A_TENANT - BATCH).map(([tenantId]) => tenantId),
    room: (tenantId) => Math.min(MOST - all, MOST_OF_A_TENANT - (tenants.get(tenantId) ?? 0)),
    onRoom(call) {
      callOnRoom = call;
    },
    onBegin(call) {
      callOnBegin = call;
    },
  };
}
