// Starts a workflow for each queued delivery, as soon as its receiver's window has room.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { Sql } from "../../db/sql.ts";
import { POLL_MS } from "../../db/watch.ts";
import type { Egress } from "../../egress/index.ts";
import type { ConnectionId, TenantId } from "../../ids.ts";
import { createOutageLog } from "../../log.ts";
import { claim } from "./claim.ts";
import type { InFlight } from "./in-flight.ts";
import { FAILURE_PAUSE_MS, type FoundWork, SOON_MS, startLoop } from "./loop.ts";
import { type Begun, listWaiting, putBack } from "./queue.store.ts";
import { type DeliveryConfig, startDelivery } from "./start-workflow.ts";
import { createTurns, type Turn } from "./turns.ts";
import type { Windows } from "./windows.ts";

const LANES = 2;

export interface QueueDependencies {
  sql: Sql;
  client: Client;
  config: DeliveryConfig;
  inFlight: InFlight;
  windows: Windows;
  /** Each tenant has its own places. */
  egress: Pick<Egress, "isFull">;
  /** A task queue that only this worker polls: deliveries with a reserved place are posted here. */
  ownTaskQueue: string;
  log: Logger;
}

export interface Queue {
  /** The connection's queue or the connection itself may have changed. */
  look(turn: Turn): void;
  /** Deliveries were queued; without room, they are looked at later. */
  added(turn: Turn): void;
  /** Any queue may have changed. */
  lookAround(): void;
  stop(): Promise<void>;
}

export function startQueue({
  sql,
  client,
  config,
  inFlight,
  windows,
  egress,
  ownTaskQueue,
  log,
}: QueueDependencies): Queue {
  const notStarted = createOutageLog(log);
  /** Connections with remaining deliveries: the tenant, and the number of consecutive blocked looks. */
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
    // A new object, so a concurrent look does not clear changes that it has not seen.
    waiting.set(connectionId, { tenantId, blocked: waiting.get(connectionId)?.blocked ?? 0 });
  }

  async function step(): Promise<FoundWork> {
    const turn = turns.next((tenantId) => inFlight.queued.room(tenantId) > 0 && !egress.isFull(tenantId));
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
    const max = inFlight.queued.room(tenantId);
    const room = Math.max(0, Math.min(windows.room(connectionId), max));
    const known = waiting.get(connectionId);
    const { begun, left, isBlocked, againInMs } = await claim(sql, connectionId, room);
    const blocked = isBlocked && begun.length === 0 ? (known?.blocked ?? 0) + 1 : 0;
    if (left) waiting.set(connectionId, { tenantId, blocked });
    else if (waiting.get(connectionId) === known) waiting.delete(connectionId);
    for (const { deliveryId, waitMs } of begun) if (waitMs === 0) windows.reserve(connectionId, deliveryId);
    await Promise.all(begun.map((each) => start(turn, each)));
    if (againInMs !== undefined) turns.addIn(turn, againInMs);
    else if (left && begun.length >= room && room === max) turns.add(turn);
    // With increasing delay, because the end of a block is not notified; the poll also looks.
    if (isBlocked) turns.addIn(turn, Math.min(POLL_MS, SOON_MS * 2 ** blocked));
  }

  async function start(turn: Turn, begun: Begun): Promise<void> {
    const { tenantId, connectionId } = turn;
    const { eventId, deliveryId, waitMs } = begun;
    // Added before the start, because the workflow may end before the start returns.
    if (waitMs === 0) inFlight.queued.add(tenantId, [deliveryId]);
    // A slow post runs outside its workflow's task.
    const fromQueue = windows.isQuick(connectionId) ? { waitMs } : { waitMs, taskQueue: ownTaskQueue };
    const outcome = await startDelivery(client, config, begun, fromQueue).catch((error) => {
      notStarted({ err: error, tenantId, eventId }, "Temporal did not start a delivery; retrying");
      return "failed" as const;
    });
    // This worker makes the post, so it is notified when it begins.
    if (outcome === "eagerly" || (outcome === "elsewhere" && "taskQueue" in fromQueue)) return;
    // Another worker makes the post, or it is delayed, so this one is not notified when it begins.
    inFlight.begin(deliveryId);
    if (outcome === "elsewhere") return windows.release(connectionId, deliveryId);
    // Its earlier run is about to close, or Temporal is unavailable.
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
        .catch((error) => notStarted({ err: error }, "the check for waiting deliveries failed; retrying"))
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
