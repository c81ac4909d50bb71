// Decides which queue is processed next. Tenants take turns regardless of their number of queues, and so do the queues
// of a tenant.

import type { ConnectionId, TenantId } from "../../ids.ts";

export interface Turn {
  tenantId: TenantId;
  connectionId: ConnectionId;
}

export interface Turns {
  add(turn: Turn): void;
  /** Schedules a queue after a delay; an earlier time has precedence. */
  addIn(turn: Turn, inMs: number): void;
  /** Takes the next queue of a tenant with room, and reserves it until `end`. @returns "full" if no tenant has room */
  next(hasRoom: (tenantId: TenantId) => boolean): Turn | "full" | undefined;
  end(turn: Turn): void;
  isEmpty(): boolean;
  stop(): void;
}

/** @param wake called when there may be a next one */
export function createTurns(wake: () => void): Turns {
  /** By tenant, longest waiting first. */
  const queues = new Map<TenantId, Set<ConnectionId>>();
  const taken = new Set<ConnectionId>();
  const timers = new Map<ConnectionId, { at: number; timer: Timer }>();

  function add({ tenantId, connectionId }: Turn): void {
    const queue = queues.get(tenantId) ?? new Set();
    queues.set(tenantId, queue.add(connectionId));
    wake();
  }

  return {
    add,
    addIn(turn, inMs) {
      const { connectionId } = turn;
      const at = performance.now() + inMs;
      const pending = timers.get(connectionId);
      if (pending && pending.at <= at) return;
      clearTimeout(pending?.timer);
      const timer = setTimeout(() => {
        timers.delete(connectionId);
        add(turn);
      }, inMs);
      timers.set(connectionId, { at, timer });
    },
    next(hasRoom) {
      let isFull = false;
      for (const [tenantId, queue] of queues) {
        if (!hasRoom(tenantId)) {
          isFull = true;
          continue;
        }
        const connectionId = queue.values().find((each) => !taken.has(each));
        if (!connectionId) continue;
        queue.delete(connectionId);
        queues.delete(tenantId);
        if (queue.size > 0) queues.set(tenantId, queue);
        taken.add(connectionId);
        return { tenantId, connectionId };
      }
      return isFull ? "full" : undefined;
    },
    end: ({ connectionId }) => taken.delete(connectionId),
    isEmpty: () => queues.size === 0,
    stop() {
      for (const { timer } of timers.values()) clearTimeout(timer);
    },
  };
}
