// How many posts may be out to each receiver from this worker: the one thing that decides how much of the machine a
// receiver gets. Kept in memory; docs/windows.md has the picture.

import type { ConnectionId, DeliveryId, EventId } from "../../ids.ts";
import { STARTING_MS } from "./in-flight.ts";

/** Posts that may be out at first to a receiver nobody knows: enough for one that answers late, at a few changes a second. */
export const FIRST_SIZE = 8;
const MAX_SIZE = 64;
/** A receiver that answers within this time is quick: its posts go with their event's workflow. */
export const QUICK_MS = 1_000;
/** Windows that are remembered; one that is forgotten begins anew. */
const MAX_WINDOWS = 10_000;

/**
 * How a post ended: "silent" is a receiver that is not there or lets the time run out; "crowded" found no place among
 * its tenant's posts; "unsent" did not leave, or was broken off, and says nothing.
 */
export type Ending = "answered" | "silent" | "crowded" | "unsent";

/** One post's place. */
export interface WindowPlace {
  /** The post is written to its socket from now on. */
  begin(): void;
  /** Only the first call counts. */
  end(ending: Ending): void;
}

export interface Windows<Receiver = ConnectionId, Sent = DeliveryId, Order = EventId> {
  /** Told of each place that becomes free and that nobody here waits for, and by `passed`. */
  onRoom(call: (connectionId: Receiver) => void): void;
  /** A delivery of the connection has come to its end, or to a wait: one that is queued behind it may go. */
  passed(connectionId: Receiver): void;
  /** Whether a first post may go with its event: the receiver is quick, and has room or had some a moment ago. */
  admits(connectionId: Receiver): boolean;
  /** Whether its last answer came soon, and none is overdue. */
  isQuick(connectionId: Receiver): boolean;
  /** Places for what waits in PostgreSQL. */
  room(connectionId: Receiver): number;
  /** Keeps a place for a delivery whose workflow is being started. */
  reserve(connectionId: Receiver, deliveryId: Sent): void;
  release(connectionId: Receiver, deliveryId: Sent): void;
  /**
   * Takes a place, the one that is kept for it or the next that is free; the oldest event first.
   * @param patienceMs to wait for one
   * @returns undefined if there was none in that time, or the signal was aborted before
   */
  enter(
    { connectionId, deliveryId, eventId }: { connectionId: Receiver; deliveryId: Sent; eventId: Order },
    signal: AbortSignal,
    patienceMs?: number,
  ): Promise<WindowPlace | undefined>;
  /** How each stands; those that have most to do first. */
  seen(): [Receiver, WindowSeen][];
}

/** A window, for people to look at. */
export interface WindowSeen {
  places: number;
  /** Places that are taken. */
  out: number;
  waiting: number;
  quick: boolean;
}

interface Window<Sent, Order> {
  size: number;
  /** Posts that are written, by when they began: the oldest first. */
  out: Set<{ since: number }>;
  /** Places taken by those about to begin. */
  entered: number;
  reserved: Map<Sent, number>;
  waiting: { eventId: Order; take: () => void }[];
  /** Since when as many are out as may be. */
  fullSince: number | undefined;
  halvedAt: number;
  quick: boolean;
}

export function createWindows<Receiver = ConnectionId, Sent = DeliveryId, Order = EventId>(): Windows<
  Receiver,
  Sent,
  Order
> {
  type Own = Window<Sent, Order>;
  const windows = new Map<Receiver, Own>();
  let onRoom = (_: Receiver) => {};

  function windowOf(connectionId: Receiver): Own {
    const known = windows.get(connectionId);
    if (known) return known;
    if (windows.size >= MAX_WINDOWS) forgetOne();
    const made: Own = {
      size: FIRST_SIZE,
      out: new Set(),
      entered: 0,
      reserved: new Map(),
      waiting: [],
      fullSince: undefined,
      halvedAt: 0,
      quick: true,
    };
    windows.set(connectionId, made);
    return made;
  }

  function forgetOne(): void {
    for (const [connectionId, window] of windows) {
      if (taken(window) > 0 || window.waiting.length > 0) continue;
      windows.delete(connectionId);
      return;
    }
  }

  function hasRoom(window: Own): boolean {
    return taken(window) < window.size;
  }

  function handOver(connectionId: Receiver, window: Own): void {
    while (hasRoom(window)) {
      const next = window.waiting.shift();
      if (!next) {
        onRoom(connectionId);
        return;
      }
      next.take();
    }
  }

  function takePlace(connectionId: Receiver, window: Own): WindowPlace {
    window.entered++;
    let post: { since: number } | undefined;
    let isOver = false;
    return {
      begin() {
        window.entered--;
        post = { since: performance.now() };
        window.out.add(post);
        if (window.out.size >= window.size) window.fullSince ??= post.since;
      },
      end(ending) {
        if (isOver) return;
        isOver = true;
        if (post) {
          resize(window, post.since, ending);
          window.out.delete(post);
        } else window.entered--;
        if (window.out.size < window.size) window.fullSince = undefined;
        handOver(connectionId, window);
      },
    };
  }

  return {
    onRoom(call) {
      onRoom = call;
    },
    passed: (connectionId) => onRoom(connectionId),
    admits(connectionId) {
      const window = windows.get(connectionId);
      if (!window) return true;
      const since = performance.now() - QUICK_MS;
      return isQuick(window) && (window.fullSince ?? since) >= since;
    },
    isQuick(connectionId) {
      const window = windows.get(connectionId);
      return !window || isQuick(window);
    },
    room(connectionId) {
      const window = windows.get(connectionId);
      return window ? window.size - taken(window) - window.waiting.length : FIRST_SIZE;
    },
    reserve(connectionId, deliveryId) {
      const window = windowOf(connectionId);
      window.reserved.set(deliveryId, performance.now());
      // Nobody comes for a place whose workflow another worker has; those who wait for it are to hear of it.
      setTimeout(() => handOver(connectionId, window), STARTING_MS + 1).unref();
    },
    release(connectionId, deliveryId) {
      const window = windows.get(connectionId);
      if (window?.reserved.delete(deliveryId)) handOver(connectionId, window);
    },
    async enter({ connectionId, deliveryId, eventId }, signal, patienceMs) {
      const window = windowOf(connectionId);
      if (window.reserved.delete(deliveryId) || (hasRoom(window) && window.waiting.length === 0)) {
        return takePlace(connectionId, window);
      }
      if (signal.aborted) return undefined;
      const { promise, resolve } = Promise.withResolvers<WindowPlace | undefined>();
      const waiter = { eventId, take: () => resolve(takePlace(connectionId, window)) };
      const after = window.waiting.findIndex((other) => other.eventId > eventId);
      window.waiting.splice(after === -1 ? window.waiting.length : after, 0, waiter);
      const giveUp = () => {
        const place = window.waiting.indexOf(waiter);
        if (place === -1) return;
        window.waiting.splice(place, 1);
        resolve(undefined);
      };
      signal.addEventListener("abort", giveUp);
      const patience = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      return promise.finally(() => {
        signal.removeEventListener("abort", giveUp);
        clearTimeout(patience);
      });
    },
    seen() {
      const all = [...windows].map(([connectionId, window]): [Receiver, WindowSeen] => {
        const { size, waiting } = window;
        return [connectionId, { places: size, out: taken(window), waiting: waiting.length, quick: isQuick(window) }];
      });
      return all.sort(([, a], [, b]) => b.out + b.waiting - (a.out + a.waiting));
    },
  };
}

/** Never by what waits in our own queues: that would take our slowness for the receiver's. */
function taken({ out, entered, reserved }: Window<unknown, unknown>): number {
  const limit = performance.now() - STARTING_MS;
  for (const [deliveryId, since] of reserved) if (since < limit) reserved.delete(deliveryId);
  return out.size + entered + reserved.size;
}

function isQuick({ quick, out }: Window<unknown, unknown>): boolean {
  const [oldest] = out;
  return quick && (!oldest || performance.now() - oldest.since <= QUICK_MS);
}

function resize(window: Window<unknown, unknown>, since: number, ending: Ending): void {
  if (ending === "answered") {
    window.quick = performance.now() - since < QUICK_MS;
    // Otherwise a hang would cost the most at once.
    if (window.out.size >= window.size) window.size = Math.min(MAX_SIZE, window.size + 1);
  }
  // Once for all that were out together.
  if ((ending === "silent" || ending === "crowded") && since >= window.halvedAt) {
    if (ending === "silent") window.quick = false;
    window.size = Math.max(1, Math.floor(window.size / 2));
    window.halvedAt = performance.now();
  }
}
