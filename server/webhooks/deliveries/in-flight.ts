// Workflows that this process has started, before their first post. They run in order of arrival, so the rest of a
// burst waits in PostgreSQL, where capacity is shared fairly. Queued deliveries do not take capacity from changes.

import type { DeliveryId, TenantId } from "../../ids.ts";
/** Changes dispatched at a time; with less capacity none is dispatched. */
export const BATCH = 16;
const MAX_FRESH = 40;
/** Lower, because each queued delivery costs more than one that goes with its event. */
const MAX_QUEUED = 8;
/** After this time without a beginning, a workflow runs elsewhere or is started again. */
export const STARTING_MS = 30_000;

export interface InFlight {
  fresh: Places;
  queued: Places;
  /** Call it when a delivery begins or runs elsewhere; unknown deliveries are ignored. */
  begin(deliveryId: DeliveryId): void;
}

export interface Places {
  add(tenantId: TenantId, deliveryIds: DeliveryId[]): void;
  isFull(): boolean;
  /** Tenants that use half of all places. */
  fullTenants(): TenantId[];
  room(tenantId: TenantId): number;
  /** Called when capacity is free again, in total or for a tenant. */
  onRoom(call: () => void): void;
}

export function createInFlight(): InFlight {
  const [fresh, queued] = [createPlaces(MAX_FRESH, BATCH), createPlaces(MAX_QUEUED, 1)];
  return {
    fresh,
    queued,
    begin(deliveryId) {
      fresh.begin(deliveryId);
      queued.begin(deliveryId);
    },
  };
}

interface Workflow {
  tenantId: TenantId;
  deliveryIds: DeliveryId[];
  since: number;
}

/** @param step the minimum capacity for starting anything */
function createPlaces(max: number, step: number): Places & Pick<InFlight, "begin"> {
  const started = new Map<string, Workflow>();
  const tenants = new Map<TenantId, number>();
  const maxOfTenant = max / 2;
  let callOnRoom = () => {};
  let all = 0;

  function leave({ tenantId, deliveryIds }: Workflow): void {
    for (const deliveryId of deliveryIds) started.delete(deliveryId);
    const left = tenants.get(tenantId)! - 1;
    if (left === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, left);
    all--;
    if (left === maxOfTenant - step || all === max - step) callOnRoom();
  }

  /** Entries are in order of age. */
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
    begin(deliveryId) {
      const workflow = started.get(deliveryId);
      if (workflow) leave(workflow);
    },
    isFull() {
      removeLost();
      return max - all < step;
    },
    fullTenants: () => [...tenants].filter(([, count]) => maxOfTenant - count < step).map(([tenantId]) => tenantId),
    room(tenantId) {
      removeLost();
      return Math.min(max - all, maxOfTenant - (tenants.get(tenantId) ?? 0));
    },
    onRoom(call) {
      callOnRoom = call;
    },
  };
}
