// Claims queued deliveries when their receiver's window has a free place, and starts a workflow for each.

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { Sql } from "../../platform/db/sql.ts";
import { POLL_MS } from "../../platform/db/watch.ts";
import { FAILURE_PAUSE_MS } from "../../platform/durations.ts";
import type { Egress } from "../../platform/egress/index.ts";
import type { ConnectionId, DeliveryId, TenantId } from "../../platform/ids.ts";
import { createOutageLog } from "../../platform/log.ts";
import { claim } from "./claim.ts";
import { type FoundWork, SOON_MS, startLoop } from "./loop.ts";
import { type ClaimedDelivery, listQueues, requeue } from "./queue.store.ts";
import { createSchedule, type QueueId } from "./schedule.ts";
import { type DeliveryConfig, startDelivery } from "./start-workflow.ts";
import type { StartingWorkflows } from "./starting.ts";
import type { Windows } from "./windows.ts";

const CONCURRENCY = 2;

export interface QueueDependencies {
  sql: Sql;
  client: Client;
  config: DeliveryConfig;
  starting: StartingWorkflows;
  windows: Windows;
  /** Each tenant has its own limit of requests. */
  egress: Pick<Egress, "isFull">;
  /** A task queue that only this worker polls: deliveries with a reserved place are posted here. */
  ownTaskQueue: string;
  log: Logger;
}

export interface Queue {
  /** The connection's queue or the connection itself may have changed. */
  check(queueId: QueueId): void;
  /** Deliveries were queued. Without a free place, they are claimed later. */
  added(queueId: QueueId): void;
  /** Any queue may have changed. */
  checkAll(): void;
  stop(): Promise<void>;
}

export function startQueue({
  sql,
  client,
  config,
  starting,
  windows,
  egress,
  ownTaskQueue,
  log,
}: QueueDependencies): Queue {
  const notStarted = createOutageLog(log);
  /** Connections with remaining deliveries: the tenant, and the number of consecutive blocked claims. */
  const waiting = new Map<ConnectionId, { tenantId: TenantId; blocked: number }>();
  /** Consecutive starts of a delivery that found its earlier run open. */
  const refused = new Map<DeliveryId, number>();
  let checking: Promise<void> | undefined;
  const schedule = createSchedule(() => loop.wake());
  const loop = startLoop(CONCURRENCY, step, log);
  starting.claimed.onFree(loop.wake);
  windows.onFree((connectionId) => {
    const known = waiting.get(connectionId);
    if (known) schedule.add({ tenantId: known.tenantId, connectionId });
  });

  function check(queueId: QueueId): void {
    remember(queueId);
    schedule.add(queueId);
  }

  function added(queueId: QueueId): void {
    remember(queueId);
    if (windows.freePlaces(queueId.connectionId) > 0) schedule.add(queueId);
  }

  function remember({ tenantId, connectionId }: QueueId): void {
    // A new object, so a concurrent claim does not clear changes that it has not seen.
    waiting.set(connectionId, { tenantId, blocked: waiting.get(connectionId)?.blocked ?? 0 });
  }

  async function step(): Promise<FoundWork> {
    const queueId = schedule.next((tenantId) => starting.claimed.free(tenantId) > 0 && !egress.isFull(tenantId));
    if (!queueId || queueId === "full") return "all";
    try {
      await claimAndStart(queueId);
    } catch (error) {
      schedule.add(queueId);
      throw error;
    } finally {
      schedule.end(queueId);
    }
    return schedule.isEmpty() ? "all" : "more";
  }

  async function claimAndStart(queueId: QueueId): Promise<void> {
    const { tenantId, connectionId } = queueId;
    const max = starting.claimed.free(tenantId);
    const places = Math.max(0, Math.min(windows.freePlaces(connectionId), max));
    const known = waiting.get(connectionId);
    const { claimed, left, isBlocked, againInMs } = await claim(sql, connectionId, places);
    const blocked = isBlocked && claimed.length === 0 ? (known?.blocked ?? 0) + 1 : 0;
    if (left) waiting.set(connectionId, { tenantId, blocked });
    else if (waiting.get(connectionId) === known) waiting.delete(connectionId);
    for (const { deliveryId, waitMs } of claimed) if (waitMs === 0) windows.reserve(connectionId, deliveryId);
    await Promise.all(claimed.map((each) => start(queueId, each)));
    if (againInMs !== undefined) schedule.addIn(queueId, againInMs);
    else if (left && claimed.length >= places && places === max) schedule.add(queueId);
    // With increasing delay, because the end of a block is not notified. The poll also checks.
    if (isBlocked) schedule.addIn(queueId, Math.min(POLL_MS, SOON_MS * 2 ** blocked));
  }

  async function start(queueId: QueueId, claimed: ClaimedDelivery): Promise<void> {
    const { tenantId, connectionId } = queueId;
    const { eventId, deliveryId, waitMs } = claimed;
    // Added before the start, because the workflow may end before the start returns.
    if (waitMs === 0) starting.claimed.add(tenantId, [deliveryId]);
    // A slow post runs outside its workflow's task.
    const fromQueue = windows.isQuick(connectionId) ? { waitMs } : { waitMs, taskQueue: ownTaskQueue };
    const outcome = await startDelivery(client, config, claimed, fromQueue).catch((error) => {
      notStarted({ err: error, tenantId, eventId }, "Temporal did not start a delivery; retrying");
      return "failed" as const;
    });
    if (outcome !== "busy") refused.delete(deliveryId);
    // This worker makes the post, so it is notified when it begins.
    if (outcome === "eagerly" || (outcome === "elsewhere" && "taskQueue" in fromQueue)) return;
    // Another worker makes the post, or it is delayed, so this one is not notified when it begins.
    starting.end(deliveryId);
    if (outcome === "elsewhere") return windows.free(connectionId, deliveryId);
    // Its earlier run is about to close, or Temporal is unavailable. A run that is stuck may stay open for days.
    const times = refused.get(deliveryId) ?? 0;
    const inMs = Math.min(POLL_MS, SOON_MS * 2 ** times);
    if (outcome === "busy") refused.set(deliveryId, times + 1);
    if (!(await requeue(sql, tenantId, [deliveryId], inMs))) refused.delete(deliveryId);
    windows.free(connectionId, deliveryId);
    schedule.addIn(queueId, inMs);
    if (outcome === "failed") await Bun.sleep(FAILURE_PAUSE_MS);
  }

  return {
    check,
    added,
    checkAll() {
      checking ??= listQueues(sql)
        .then((found) => found.forEach(added))
        .catch((error) => notStarted({ err: error }, "the check for waiting deliveries failed; retrying"))
        .finally(() => {
          checking = undefined;
        });
    },
    async stop() {
      await Promise.all([loop.stop(), checking]);
      schedule.stop();
    },
  };
}
