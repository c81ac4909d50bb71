// Workflows that this process has started and whose first post is yet to begin. They wait for Temporal and this process
// in the order they came, so another tenant's change waits for all of them: the rest of a burst waits in PostgreSQL,
// where it is shared out fairly. What comes from the queue is counted by itself, so that it takes no place from changes.

import type { DeliveryId, TenantId } from "../../ids.ts";
/** Changes that are dispatched at a time: with less room than that, none is. */
export const BATCH = 16;
const MAX_FRESH = 40;
/** Each of the queue costs more than a change that goes with its event. */
const MAX_QUEUED = 8;
/** What has not begun so long after its start runs elsewhere, or is started again. */
export const STARTING_MS = 30_000;

export interface InFlight {
  /** Of changes. */
  fresh: Places;
  /** Of what comes from the queue. */
  queued: Places;
  /** Told when a delivery begins, or runs elsewhere; also of those that were never added. */
  begin(deliveryId: DeliveryId): void;
}

export interface Places {
  /** The deliveries of one workflow. */
  add(tenantId: TenantId, deliveryIds: DeliveryId[]): void;
  isFull(): boolean;
  /** Those with half of all places. */
  fullTenants(): TenantId[];
  /** Workflows of a tenant that may be started now. */
  room(tenantId: TenantId): number;
  /** Called when there is room again, of all or of a tenant's share. */
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

/** @param step with less room than that, nothing is started */
function createPlaces(most: number, step: number): Places & Pick<InFlight, "begin"> {
  const started = new Map<string, Workflow>();
  const tenants = new Map<TenantId, number>();
  const mostOfTenant = most / 2;
  let callOnRoom = () => {};
  let all = 0;

  function leave({ tenantId, deliveryIds }: Workflow): void {
    for (const deliveryId of deliveryIds) started.delete(deliveryId);
    const left = tenants.get(tenantId)! - 1;
    if (left === 0) tenants.delete(tenantId);
    else tenants.set(tenantId, left);
    all--;
    if (left === mostOfTenant - step || all === most - step) callOnRoom();
  }

  /** The oldest stand first. */
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
      return most - all < step;
    },
    fullTenants: () => [...tenants].filter(([, count]) => mostOfTenant - count < step).map(([tenantId]) => tenantId),
    room(tenantId) {
      removeLost();
      return Math.min(most - all, mostOfTenant - (tenants.get(tenantId) ?? 0));
    },
    onRoom(call) {
      callOnRoom = call;
    },
  };
}
