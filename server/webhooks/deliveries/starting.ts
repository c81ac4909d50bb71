// Limits the workflows that this process has started and that have not begun their first post. The rest of a burst waits
// in PostgreSQL, where tenants get equal shares. Claimed deliveries and dispatched changes have separate limits.

import type { DeliveryId, TenantId } from "../../platform/ids.ts";

/** The maximum number of changes in one dispatch. Below this remainder of the limit, none is dispatched. */
export const BATCH = 16;
const MAX_DISPATCHED = 40;
/** Lower, because each claimed delivery costs more than one that goes with its event. */
const MAX_CLAIMED = 8;
/** A workflow that has not begun its first post after this time runs on another worker, or is started again. */
export const STARTING_MS = 30_000;

export interface StartingWorkflows {
  dispatched: StartingLimit;
  claimed: StartingLimit;
  /** A delivery's first post begins, or its workflow runs on another worker. Unknown deliveries are ignored. */
  end(deliveryId: DeliveryId): void;
}

export interface StartingLimit {
  add(tenantId: TenantId, deliveryIds: DeliveryId[]): void;
  isFull(): boolean;
  /** Tenants with half of the limit. */
  fullTenants(): TenantId[];
  free(tenantId: TenantId): number;
  /** Calls back when more may be started, in total or for a tenant. */
  onFree(call: () => void): void;
}

export function createStartingWorkflows(): StartingWorkflows {
  const [dispatched, claimed] = [createLimit(MAX_DISPATCHED, BATCH), createLimit(MAX_CLAIMED, 1)];
  return {
    dispatched,
    claimed,
    end(deliveryId) {
      dispatched.end(deliveryId);
      claimed.end(deliveryId);
    },
  };
}

interface Workflow {
  tenantId: TenantId;
  deliveryIds: DeliveryId[];
  since: number;
}

/** @param step the minimum remainder of the limit for starting anything */
function createLimit(max: number, step: number): StartingLimit & Pick<StartingWorkflows, "end"> {
  const started = new Map<string, Workflow>();
  const tenants = new Map<TenantId, number>();
  const maxOfTenant = max / 2;
  let callOnFree = () => {};
  let all = 0;

  function leave({ tenantId, deliveryIds }: Workflow): void {
    for (const deliveryId of deliveryIds) started.delete(deliveryId);
    const left = tenants.get(tenantId)! - 1;
    if (left === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, left);
    all--;
    if (left === maxOfTenant - step || all === max - step) callOnFree();
  }

  /** Workflows are in order of age, so it stops at the first one that may still begin. */
  function removeLost(): void {
    const limit = performance.now() - STARTING_MS;
    for (const workflow of started.values()) {
      if (workflow.since > limit) return;
      if (started.has(workflow.deliveryIds[0]!)) leave(workflow);
    }
  }

  return {
    add(tenantId, deliveryIds) {
      const added = deliveryIds.filter((deliveryId) => !started.has(deliveryId));
      if (added.length === 0) return;
      const workflow = { tenantId, deliveryIds: added, since: performance.now() };
      for (const deliveryId of added) started.set(deliveryId, workflow);
      tenants.set(tenantId, (tenants.get(tenantId) ?? 0) + 1);
      all++;
    },
    end(deliveryId) {
      const workflow = started.get(deliveryId);
      if (workflow) leave(workflow);
    },
    isFull() {
      removeLost();
      return max - all < step;
    },
    fullTenants: () => [...tenants].filter(([, count]) => maxOfTenant - count < step).map(([tenantId]) => tenantId),
    free(tenantId) {
      removeLost();
      return Math.min(max - all, maxOfTenant - (tenants.get(tenantId) ?? 0));
    },
    onFree(call) {
      callOnFree = call;
    },
  };
}
