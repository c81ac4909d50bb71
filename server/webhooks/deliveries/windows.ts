// Limits the concurrent posts of this worker to each receiver: a window has as many places as posts may be in flight.
// Windows are in memory only. docs/windows.md explains them, docs/sending.md the words.

import type { ConnectionId, DeliveryId, EventId } from "../../platform/ids.ts";
import { STARTING_MS } from "./starting.ts";

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
 * How a post ended. "unanswered": the receiver was unreachable or timed out. "unsent": its tenant had no free request.
 * "aborted": we stopped before a result, which says nothing about the receiver.
 */
export type Ending = "answered" | "unanswered" | "unsent" | "aborted";

export interface WindowPlace {
  /** The post is now written to its socket. */
  start(): void;
  /** Only the first call counts. */
  end(ending: Ending): void;
}

export interface Windows<Receiver = ConnectionId, Sent = DeliveryId, Order = EventId> {
  /** Calls back when a place is free and no post in this process waits for it, and for each `wakeQueue`. */
  onFree(call: (connectionId: Receiver) => void): void;
  /** A delivery of the connection has ended or returned to the queue, so a claim may find the next. */
  wakeQueue(connectionId: Receiver): void;
  /**
   * Whether a delivery may be dispatched with its event: the receiver is quick, and its window was not full for longer
   * than QUICK_MS. A receiver without a response so far must have a free place, which this call reserves.
   */
  allowsDispatch(connectionId: Receiver, deliveryId: Sent): boolean;
  /** Whether its last response was quick, and none is overdue. False before the first response. */
  isQuick(connectionId: Receiver): boolean;
  /** The free places, for queued deliveries. */
  freePlaces(connectionId: Receiver): number;
  /** Reserves a place for a delivery with a starting workflow. */
  reserve(connectionId: Receiver, deliveryId: Sent): void;
  /** Frees a reserved place, if the delivery has one. */
  free(connectionId: Receiver, deliveryId: Sent): void;
  /**
   * Takes the reserved place or the next free one; older events first.
   * @returns undefined if no place became free in time, or the signal was aborted
   */
  take(
    { connectionId, deliveryId, eventId }: { connectionId: Receiver; deliveryId: Sent; eventId: Order },
    signal: AbortSignal,
    maxWaitMs?: number,
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
  /** Taken places of posts that have not started yet. */
  taken: number;
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
  let onFree = (_: Receiver) => {};

  function windowOf(connectionId: Receiver): Own {
    const known = windows.get(connectionId);
    if (known) return known;
    if (windows.size >= MAX_WINDOWS) forgetOne();
    const made: Own = {
      size: FIRST_SIZE,
      out: new Set(),
      taken: 0,
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
      if (usedPlaces(window) > 0 || window.waiting.length > 0) continue;
      windows.delete(connectionId);
      return;
    }
  }

  function hasFreePlace(window: Own): boolean {
    return usedPlaces(window) < window.size;
  }

  function handOut(connectionId: Receiver, window: Own): void {
    while (hasFreePlace(window)) {
      const next = window.waiting.shift();
      if (!next) {
        onFree(connectionId);
        return;
      }
      next.take();
    }
  }

  function placeIn(connectionId: Receiver, window: Own): WindowPlace {
    window.taken++;
    let post: { since: number } | undefined;
    let isOver = false;
    return {
      start() {
        window.taken--;
        post = { since: performance.now() };
        window.out.add(post);
        if (window.out.size >= window.size) window.fullSince ??= post.since;
      },
      end(ending) {
        if (isOver) return;
        isOver = true;
        resize(window, post?.since ?? performance.now(), ending);
        if (post) window.out.delete(post);
        else window.taken--;
        if (window.out.size < window.size) window.fullSince = undefined;
        handOut(connectionId, window);
      },
    };
  }

  function reserve(connectionId: Receiver, deliveryId: Sent): void {
    const window = windowOf(connectionId);
    window.reserved.set(deliveryId, performance.now());
    // A place reserved for a workflow that runs on another worker expires. Posts that wait for it must then be woken.
    setTimeout(() => handOut(connectionId, window), STARTING_MS + 1).unref();
  }

  return {
    onFree(call) {
      onFree = call;
    },
    wakeQueue: (connectionId) => onFree(connectionId),
    allowsDispatch(connectionId, deliveryId) {
      const window = windowOf(connectionId);
      if (window.quick === undefined) {
        const isFree = window.reserved.has(deliveryId) || freePlacesOf(window) > 0;
        if (isFree) reserve(connectionId, deliveryId);
        return isFree;
      }
      const since = performance.now() - QUICK_MS;
      return isQuick(window) && (window.fullSince ?? since) >= since;
    },
    isQuick(connectionId) {
      const window = windows.get(connectionId);
      return window?.quick !== undefined && isQuick(window);
    },
    freePlaces(connectionId) {
      const window = windows.get(connectionId);
      return window ? freePlacesOf(window) : FIRST_SIZE;
    },
    reserve,
    free(connectionId, deliveryId) {
      const window = windows.get(connectionId);
      if (window?.reserved.delete(deliveryId)) handOut(connectionId, window);
    },
    async take({ connectionId, deliveryId, eventId }, signal, maxWaitMs) {
      const window = windowOf(connectionId);
      if (window.reserved.delete(deliveryId) || (hasFreePlace(window) && window.waiting.length === 0)) {
        return placeIn(connectionId, window);
      }
      if (signal.aborted) return undefined;
      const { promise, resolve } = Promise.withResolvers<WindowPlace | undefined>();
      const waiter = { eventId, take: () => resolve(placeIn(connectionId, window)) };
      const after = window.waiting.findIndex((other) => other.eventId > eventId);
      window.waiting.splice(after === -1 ? window.waiting.length : after, 0, waiter);
      const giveUp = () => {
        const index = window.waiting.indexOf(waiter);
        if (index === -1) return;
        window.waiting.splice(index, 1);
        resolve(undefined);
      };
      signal.addEventListener("abort", giveUp);
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
      return promise.finally(() => {
        signal.removeEventListener("abort", giveUp);
        clearTimeout(timer);
      });
    },
    seen() {
      const all = [...windows].map(([connectionId, window]): [Receiver, WindowSeen] => {
        const { size, waiting } = window;
        return [
          connectionId,
          { places: size, out: usedPlaces(window), waiting: waiting.length, quick: isQuick(window) },
        ];
      });
      return all.sort(([, a], [, b]) => b.out + b.waiting - (a.out + a.waiting));
    },
  };
}

/** Waiting posts do not count, because our own delays must not be attributed to the receiver. */
function usedPlaces({ out, taken, reserved }: Window<unknown, unknown>): number {
  const limit = performance.now() - STARTING_MS;
  for (const [deliveryId, since] of reserved) if (since < limit) reserved.delete(deliveryId);
  return out.size + taken + reserved.size;
}

function freePlacesOf(window: Window<unknown, unknown>): number {
  return window.size - usedPlaces(window) - window.waiting.length;
}

function isQuick({ quick, out }: Window<unknown, unknown>): boolean {
  const [oldest] = out;
  return quick !== false && (!oldest || performance.now() - oldest.since <= QUICK_MS);
}

function resize(window: Window<unknown, unknown>, since: number, ending: Ending): void {
  if (ending === "answered") {
    if (window.quick === undefined) window.size = Math.max(window.size, KNOWN_SIZE);
    window.quick = performance.now() - since < QUICK_MS;
    // Grows only when full. Otherwise a receiver that begins to hang would already have the maximum.
    if (window.out.size >= window.size) window.size = Math.min(MAX_SIZE, window.size + 1);
  }
  // Posts that were in flight together halve the window only once.
  if ((ending === "unanswered" || ending === "unsent") && since >= window.halvedAt) {
    if (ending === "unanswered") window.quick = false;
    window.size = Math.max(1, Math.floor(window.size / 2));
    window.halvedAt = performance.now();
  }
}
