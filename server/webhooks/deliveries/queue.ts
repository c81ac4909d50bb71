// Starts what waits in the queue: a workflow each, as soon as its receiver's window has room.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { Sql } from "../../db/sql.ts";
import { POLL_MS } from "../../db/watch.ts";
import type { ConnectionId, TenantId } from "../../ids.ts";
import { createOutageLog } from "../../log.ts";
import { claim } from "./claim.ts";
import type { InFlight } from "./in-flight.ts";
import { FAILURE_PAUSE_MS, type FoundWork, SOON_MS, startLoop } from "./loop.ts";
import { type Begun, listWaiting, putBack } from "./queue.store.ts";
import { type DeliveryConfig, startDelivery } from "./start-workflow.ts";
import { createTurns, type Turn } from "./turns.ts";
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
  /** There may be something new in a connection's queue, or of its connection. */
  look(turn: Turn): void;
  /** Something has been added to it: without room it is looked at when there is some. */
  added(turn: Turn): void;
  /** There may be something in any of them. */
  lookAround(): void;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export function startQueue({ sql, client, config, inFlight, windows, ownTaskQueue, log }: QueueDependencies): Queue {
  const notStarted = createOutageLog(log);
  /** By connection that had something left: its tenant, and how many looks in a row have found it blocked. */
  const waiting = new Map<ConnectionId, { tenantId: TenantId; blocked: number }>();
  let around: Promise<void> | undefined;
  const turns = createTurns(() => loop.wake());
  const loop = startLoop(LANES, step, log);
  inFlight.queued.onRoom(loop.wake);
  windows.onRoom((connectionId) => {
    const known = waiting.get(connectionId);
    if (known) turns.add({ tenantId: known.tenantId, connectionId });
  });

  function look(turn: Turn): void {
    remember(turn);
    turns.add(turn);
  }

  function added(turn: Turn): void {
    remember(turn);
    if (windows.room(turn.connectionId) > 0) turns.add(turn);
  }

  function remember({ tenantId, connectionId }: Turn): void {
    // Anew each time, so that a look under way does not forget what it may not have seen.
    waiting.set(connectionId, { tenantId, blocked: waiting.get(connectionId)?.blocked ?? 0 });
  }

  async function step(): Promise<FoundWork> {
    const turn = turns.next((tenantId) => inFlight.queued.room(tenantId) > 0);
    if (!turn || turn === "full") return "all";
    try {
      await take(turn);
    } catch (error) {
      turns.add(turn);
      throw error;
    } finally {
      turns.end(turn);
    }
    return turns.isEmpty() ? "all" : "more";
  }

  async function take(turn: Turn): Promise<void> {
    const { tenantId, connectionId } = turn;
    const most = inFlight.queued.room(tenantId);
    const room = Math.max(0, Math.min(windows.room(connectionId), most));
    const known = waiting.get(connectionId);
    const { begun, left, isBlocked, againInMs } = await claim(sql, connectionId, room);
    const blocked = isBlocked && begun.length === 0 ? (known?.blocked ?? 0) + 1 : 0;
    if (left) waiting.set(connectionId, { tenantId, blocked });
    else if (waiting.get(connectionId) === known) waiting.delete(connectionId);
    for (const { deliveryId, waitMs } of begun) if (waitMs === 0) windows.reserve(connectionId, deliveryId);
    await Promise.all(begun.map((each) => start(turn, each)));
    if (againInMs !== undefined) turns.addIn(turn, againInMs);
    else if (left && begun.length >= room && room === most) turns.add(turn);
    // Later each time: nobody knows when that ends, and the poll looks too.
    if (isBlocked) turns.addIn(turn, Math.min(POLL_MS, SOON_MS * 2 ** blocked));
  }

  async function start(turn: Turn, begun: Begun): Promise<void> {
    const { tenantId, connectionId } = turn;
    const { eventId, deliveryId, waitMs } = begun;
    // Added before the start, for it may be over before the start is answered.
    if (waitMs === 0) inFlight.queued.add(tenantId, [deliveryId]);
    // A post that may take long does so outside its workflow's task.
    const fromQueue = windows.isQuick(connectionId) ? { waitMs } : { waitMs, taskQueue: ownTaskQueue };
    const outcome = await startDelivery(client, config, begun, fromQueue).catch((error) => {
      notStarted({ err: error, tenantId, eventId }, "Temporal did not start a delivery; it is tried again");
      return "failed" as const;
    });
    // Of what this worker posts it hears the beginning.
    if (outcome === "eagerly" || (outcome === "elsewhere" && "taskQueue" in fromQueue)) return;
    // Another worker makes the post, or it is not made yet: nobody here hears when it begins.
    inFlight.begin(deliveryId);
    if (outcome === "elsewhere") return windows.release(connectionId, deliveryId);
    // Its earlier run is about to close, or Temporal is away.
    await putBack(sql, tenantId, [deliveryId], SOON_MS);
    windows.release(connectionId, deliveryId);
    turns.addIn(turn, SOON_MS);
    if (outcome === "failed") await Bun.sleep(FAILURE_PAUSE_MS);
  }

  return {
    look,
    added,
    lookAround() {
      around ??= listWaiting(sql)
        .then((found) => found.forEach(added))
        .catch((error) => notStarted({ err: error }, "what waits could not be looked for; it is tried again"))
        .finally(() => {
          around = undefined;
        });
    },
    async stop() {
      await Promise.all([loop.stop(), around]);
      turns.stop();
    },
  };
}
