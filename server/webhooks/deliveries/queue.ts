// Starts what waits in the queue: a workflow each, as soon as its receiver's window has room.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { Sql } from "../../db/connection.ts";
import { createOutageLog } from "../../log.ts";
import { claim } from "./claim.ts";
import type { InFlight } from "./in-flight.ts";
import { type Begun, listWaiting, putBack } from "./queue.store.ts";
import { type DeliveryConfig, startDelivery } from "./start-workflow.ts";
import { type Found, pause, SOON_MS, startLoop } from "./wakes.ts";
import type { Windows } from "./windows.ts";

/** Connections whose queues are looked at at once. */
const LANES = 2;

export interface QueueDependencies {
  sql: Sql;
  client: Client;
  config: DeliveryConfig;
  inFlight: InFlight;
  windows: Windows;
  /** Where this worker alone takes activities from: what it has a place for is posted by it. */
  ownTaskQueue: string;
  log: Logger;
}

export interface Queue {
  /** There may be something new in a connection's queue. */
  look(connectionId: string): void;
  /** There may be something in any of them. */
  lookAround(): void;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** @param full told when there is more than this worker has room for */
export function startQueue(
  { sql, client, config, inFlight, windows, ownTaskQueue, log }: QueueDependencies,
  full: () => void,
): Queue {
  const notStarted = createOutageLog(log);
  const toLook = new Set<string>();
  const atWork = new Set<string>();
  /** Connections that had something left, and their tenants. */
  const waiting = new Map<string, string | undefined>();
  const timers = new Map<string, Timer>();
  let around: Promise<void> | undefined;
  const loop = startLoop(LANES, step, log);
  inFlight.queued.onRoom(loop.wake);
  windows.onRoom((connectionId) => {
    if (waiting.has(connectionId)) look(connectionId);
  });

  function look(connectionId: string): void {
    if (!waiting.has(connectionId)) waiting.set(connectionId, undefined);
    toLook.add(connectionId);
    loop.wake();
  }

  function lookAgain(connectionId: string, inMs: number): void {
    if (timers.has(connectionId)) return;
    const timer = setTimeout(() => {
      timers.delete(connectionId);
      look(connectionId);
    }, inMs);
    timers.set(connectionId, timer);
  }

  /** One whose tenant has the fewest workflows started: tenants take turns, however many queues they have. */
  function next(): string | undefined {
    const mayGo = [...toLook].filter((connectionId) => !atWork.has(connectionId) && roomOf(connectionId) > 0);
    return mayGo.reduce<string | undefined>(
      (best, connectionId) => (best && roomOf(best) >= roomOf(connectionId) ? best : connectionId),
      undefined,
    );
  }

  /** Its tenant is known once it has been looked at. */
  function roomOf(connectionId: string): number {
    return inFlight.queued.room(waiting.get(connectionId) ?? "");
  }

  async function step(): Promise<Found> {
    const connectionId = next();
    if (!connectionId) {
      if (toLook.size > atWork.size) full();
      return "nothing";
    }
    toLook.delete(connectionId);
    atWork.add(connectionId);
    try {
      const most = roomOf(connectionId);
      const room = Math.max(0, Math.min(windows.room(connectionId), most));
      const { begun, tenantId, left, againInMs } = await claim(sql, connectionId, room);
      if (left) waiting.set(connectionId, tenantId ?? waiting.get(connectionId));
      else waiting.delete(connectionId);
      for (const { deliveryId, waitMs } of begun) if (waitMs === 0) windows.reserve(connectionId, deliveryId);
      await Promise.all(begun.map((each) => start(connectionId, each)));
      if (againInMs !== undefined) lookAgain(connectionId, againInMs);
      else if (left && begun.length >= room && room === most) toLook.add(connectionId);
    } catch (error) {
      toLook.add(connectionId);
      throw error;
    } finally {
      atWork.delete(connectionId);
    }
    return toLook.size > 1 ? "more" : "some";
  }

  async function start(connectionId: string, begun: Begun): Promise<void> {
    const { tenantId, eventId, deliveryId, waitMs } = begun;
    const goesNow = waitMs === 0;
    // A post that may take long does so outside its workflow's task.
    const own = windows.isQuick(connectionId) ? { waitMs } : { waitMs, taskQueue: ownTaskQueue };
    // Added before the start, for it may be over before the start is answered.
    if (goesNow) inFlight.queued.add(tenantId, [deliveryId]);
    const outcome = await startDelivery(client, config, begun, own).catch((error) => {
      notStarted({ err: error, tenantId, eventId }, "Temporal did not start a delivery; it is tried again");
      return "failed" as const;
    });
    if (outcome === "eagerly") return;
    if (outcome === "elsewhere") {
      // Another worker makes the post, and nobody here hears of it.
      if ("taskQueue" in own) return;
      inFlight.begin(deliveryId);
      windows.release(connectionId, deliveryId);
      return;
    }
    inFlight.begin(deliveryId);
    // Its earlier run is about to close, or Temporal is away.
    await putBack(sql, tenantId, [deliveryId], SOON_MS);
    windows.release(connectionId, deliveryId);
    lookAgain(connectionId, SOON_MS);
    if (outcome === "failed") await pause();
  }

  return {
    look,
    lookAround() {
      around ??= listWaiting(sql)
        .then((found) => found.filter((connectionId) => windows.room(connectionId) > 0).forEach(look))
        .catch((error) => notStarted({ err: error }, "what waits could not be looked for; it is tried again"))
        .finally(() => {
          around = undefined;
        });
    },
    async stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([loop.stop(), around]);
    },
  };
}
