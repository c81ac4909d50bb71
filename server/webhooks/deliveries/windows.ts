// Limits the concurrent posts of this worker for each receiver, and so each receiver's share of the machine. Kept in
// memory; docs/windows.md has a diagram.

import type { ConnectionId, DeliveryId, EventId } from "../../ids.ts";
import { STARTING_MS } from "./in-flight.ts";

/** The limit of a receiver without a response so far. */
export const FIRST_SIZE = 2;
/** The limit after its first response: enough for one that becomes slow with a few changes per second. */
export const KNOWN_SIZE = 8;
const MAX_SIZE = 64;
/** A receiver that responds within this time is quick: its posts run in their event's workflow. */
export const QUICK_MS = 1_000;
/** The maximum number of windows in memory; a removed one starts again. */
const MAX_WINDOWS = 10_000;

/**
 * How a post ended. "silent": the receiver was unreachable or timed out. "crowded": the tenant had no capacity.
 * "unsent": it was not sent or was aborted, which says nothing about the receiver.
 */
export type Ending = "answered" | "silent" | "crowded" | "unsent";

export interface WindowPlace {
  /** The post is now written to its socket. */
  begin(): void;
  /** Only the first call counts. */
  end(ending: Ending): void;
}

export interface Windows<Receiver = ConnectionId, Sent = DeliveryId, Order = EventId> {
  /** Called for each free place without a local waiter, and by `passed`. */
  onRoom(call: (connectionId: Receiver) => void): void;
  /** A delivery of the connection has ended or waits, so the next queued one may be sent. */
  passed(connectionId: Receiver): void;
  /**
   * Whether a first post may run with its event: the receiver is quick, and has or recently had room. A receiver without
   * a response so far gets no more posts than its window has places; this call then reserves one.
   */
  admits(connectionId: Receiver, deliveryId: Sent): boolean;
  /** Whether its last response was quick, and none is overdue. False before the first response. */
  isQuick(connectionId: Receiver): boolean;
  /** Places for queued deliveries. */
  room(connectionId: Receiver): number;
  /** Reserves a place for a delivery with a starting workflow. */
  reserve(connectionId: Receiver, deliveryId: Sent): void;
  release(connectionId: Receiver, deliveryId: Sent): void;
  /**
   * Takes the reserved place or the next free one; older events first.
   * @returns undefined if no place became free in time, or the signal was aborted
   */
  enter(
    { connectionId, deliveryId, eventId }: { connectionId: Receiver; deliveryId: Sent; eventId: Order },
    signal: AbortSignal,
    patienceMs?: number,
  ): Promise<WindowPlace | undefined>;
  /** The state of each window, busiest first. */
  seen(): [Receiver, WindowSeen][];
}

export interface WindowSeen {
  places: number;
  out: number;
  waiting: number;
  quick: boolean;
}

interface Window<Sent, Order> {
  size: number;
  /** Posts in progress, oldest first. */
  out: Set<{ since: number }>;
  /** Places of posts about to begin. */
  entered: number;
  reserved: Map<Sent, number>;
  waiting: { eventId: Order; take: () => void }[];
  fullSince: number | undefined;
  halvedAt: number;
  /** Undefined until the first post has ended. */
  quick: boolean | undefined;
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
      quick: undefined,
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
        resize(window, post?.since ?? performance.now(), ending);
        if (post) window.out.delete(post);
        else window.entered--;
        if (window.out.size < window.size) window.fullSince = undefined;
        handOver(connectionId, window);
      },
    };
  }

  function reserve(connectionId: Receiver, deliveryId: Sent): void {
    const window = windowOf(connectionId);
    window.reserved.set(deliveryId, performance.now());
    // Reservations for workflows on other workers expire; waiting posts must then be woken.
    setTimeout(() => handOver(connectionId, window), STARTING_MS + 1).unref();
  }

  return {
    onRoom(call) {
      onRoom = call;
    },
    passed: (connectionId) => onRoom(connectionId),
    admits(connectionId, deliveryId) {
      const window = windowOf(connectionId);
      if (window.quick === undefined) {
        const isRoom = window.reserved.has(deliveryId) || roomOf(window) > 0;
        if (isRoom) reserve(connectionId, deliveryId);
        return isRoom;
      }
      const since = performance.now() - QUICK_MS;
      return isQuick(window) && (window.fullSince ?? since) >= since;
    },
    isQuick(connectionId) {
      const window = windows.get(connectionId);
      return window?.quick !== undefined && isQuick(window);
    },
    room(connectionId) {
      const window = windows.get(connectionId);
      return window ? roomOf(window) : FIRST_SIZE;
    },
    reserve,
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

/** Waiting posts do not count, because our own delays must not be attributed to the receiver. */
function taken({ out, entered, reserved }: Window<unknown, unknown>): number {
  const limit = performance.now() - STARTING_MS;
  for (const [deliveryId, since] of reserved) if (since < limit) reserved.delete(deliveryId);
  return out.size + entered + reserved.size;
}

function roomOf(window: Window<unknown, unknown>): number {
  return window.size - taken(window) - window.waiting.length;
}

function isQuick({ quick, out }: Window<unknown, unknown>): boolean {
  const [oldest] = out;
  return quick !== false && (!oldest || performance.now() - oldest.since <= QUICK_MS);
}

function resize(window: Window<unknown, unknown>, since: number, ending: Ending): void {
  if (ending === "answered") {
    if (window.quick === undefined) window.size = Math.max(window.size, KNOWN_SIZE);
    window.quick = performance.now() - since < QUICK_MS;
    // Grows only when full; otherwise a hanging receiver would get the maximum at once.
    if (window.out.size >= window.size) window.size = Math.min(MAX_SIZE, window.size + 1);
  }
  // Only once for all posts that were in progress together.
  if ((ending === "silent" || ending === "crowded") && since >= window.halvedAt) {
    if (ending === "silent") window.quick = false;
    window.size = Math.max(1, Math.floor(window.size / 2));
    window.halvedAt = performance.now();
  }
}
