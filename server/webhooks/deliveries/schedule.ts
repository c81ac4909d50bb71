// Decides which connection's queue is claimed from next: round-robin over tenants, and over the queues of each tenant.

import type { ConnectionId, TenantId } from "../../platform/ids.ts";

/** A connection's queue. */
export interface QueueId {
  tenantId: TenantId;
  connectionId: ConnectionId;
}

export interface Schedule {
  add(queueId: QueueId): void;
  /** Schedules a queue after a delay; an earlier time has precedence. */
  addIn(queueId: QueueId, inMs: number): void;
  /** The next queue of a free tenant; not returned again until `end`. @returns "full" if no tenant with a queue is free */
  next(isFree: (tenantId: TenantId) => boolean): QueueId | "full" | undefined;
  end(queueId: QueueId): void;
  isEmpty(): boolean;
  stop(): void;
}

/** @param wake called when there may be a next one */
export function createSchedule(wake: () => void): Schedule {
  /** By tenant, longest waiting first. */
  const queues = new Map<TenantId, Set<ConnectionId>>();
  const inUse = new Set<ConnectionId>();
  const timers = new Map<ConnectionId, { at: number; timer: Timer }>();

  function add({ tenantId, connectionId }: QueueId): void {
    const queue = queues.get(tenantId) ?? new Set();
    queues.set(tenantId, queue.add(connectionId));
    wake();
  }

  return {
    add,
    addIn(queueId, inMs) {
      const { connectionId } = queueId;
      const at = performance.now() + inMs;
      const pending = timers.get(connectionId);
      if (pending && pending.at <= at) return;
      clearTimeout(pending?.timer);
      const timer = setTimeout(() => {
        timers.delete(connectionId);
        add(queueId);
      }, inMs);
      timers.set(connectionId, { at, timer });
    },
    next(isFree) {
      let isFull = false;
      for (const [tenantId, queue] of queues) {
        if (!isFree(tenantId)) {
          isFull = true;
          continue;
        }
        const connectionId = queue.values().find((each) => !inUse.has(each));
        if (!connectionId) continue;
        queue.delete(connectionId);
        queues.delete(tenantId);
        if (queue.size > 0) queues.set(tenantId, queue);
        inUse.add(connectionId);
        return { tenantId, connectionId };
      }
      return isFull ? "full" : undefined;
    },
    end: ({ connectionId }) => inUse.delete(connectionId),
    isEmpty: () => queues.size === 0,
    stop() {
      for (const { timer } of timers.values()) clearTimeout(timer);
    },
  };
}
