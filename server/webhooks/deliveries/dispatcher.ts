// Moves committed events from the outbox to Temporal. Runs beside the workflow worker, so Temporal can return a new
// workflow's first task at once (eager start).

import { POLL_MS } from "../../platform/db/watch.ts";
import { FAILURE_PAUSE_MS } from "../../platform/durations.ts";
import { createOutageLog } from "../../platform/log.ts";
import type { WorkerMetrics } from "../../platform/metrics/index.ts";
import { createBatches } from "./batches.ts";
import {
  type Dispatch,
  leaseDispatches,
  listenForDispatches,
  postponeDispatch,
  removeDispatches,
  wakeOthers,
} from "./dispatch.store.ts";
import { type FoundWork, startLoop } from "./loop.ts";
import { enqueue } from "./queue.store.ts";
import { type QueueDependencies, startQueue } from "./queue.ts";
import { startDelivery } from "./start-workflow.ts";
import { BATCH } from "./starting.ts";

/** The maximum number of batches that are started at once, which limits the load on Temporal. */
const CONCURRENCY = 4;
const TENANT_SHARE = BATCH / 2;

export interface Dispatcher {
  stop(): Promise<void>;
}

export interface DispatcherDependencies extends QueueDependencies {
  metrics: Pick<WorkerMetrics, "dispatched">;
  /** Whether this worker is the first to check an event or a queue. */
  isFirst(key: string): boolean;
}

export function startDispatcher(dependencies: DispatcherDependencies): Dispatcher {
  const { sql, client, config, starting, windows, egress, log, metrics, isFirst } = dependencies;
  const notStarted = createOutageLog(log);
  const remove = createBatches<number, undefined>((ids) => removeDispatches(sql, ids));
  const loop = startLoop(CONCURRENCY, dispatchBatch, log);
  const queue = startQueue(dependencies);
  starting.dispatched.onFree(loop.wake);
  const wakeAll = () => {
    loop.wake();
    queue.checkAll();
  };
  // If the first worker is dead, the others find the event or the queue by their poll.
  const stopListening = listenForDispatches(sql, (key, waiting) => {
    if (key && !isFirst(key)) return;
    loop.wake();
    if (waiting) queue.check(waiting);
    else if (key && starting.dispatched.isFull()) notifyOthers();
  });
  const poll = setInterval(wakeAll, POLL_MS);

  let notifying: Promise<void> | undefined;
  function notifyOthers(): void {
    notifying ??= wakeOthers(sql)
      .catch(() => {})
      .finally(() => {
        notifying = undefined;
      });
  }

  async function dispatchBatch(): Promise<FoundWork> {
    if (starting.dispatched.isFull()) return "all";
    const leased = await leaseDispatches(sql, BATCH, TENANT_SHARE, starting.dispatched.fullTenants());
    if (leased.length === 0) return "all";
    const started = await Promise.all((await enqueueFull(leased)).map(start));
    if (!started.includes(true)) await Bun.sleep(FAILURE_PAUSE_MS);
    // A full share or failed starts mean that more is likely waiting.
    return leased.length >= TENANT_SHARE || started.includes(false) ? "more" : "all";
  }

  /** Queues deliveries without a free place in their receiver's window, so they do not delay the event's others. */
  async function enqueueFull(leased: Dispatch[]): Promise<Dispatch[]> {
    const full = leased.flatMap(({ tenantId, deliveries }) =>
      deliveries
        .filter(
          ({ connectionId, deliveryId }) =>
            egress.isFull(tenantId) || !windows.allowsDispatch(connectionId, deliveryId),
        )
        .map(({ deliveryId }) => deliveryId),
    );
    const enqueued = new Set(await enqueue(sql, full));
    return leased.map((dispatch) => {
      const { tenantId, deliveries, queued, queues } = dispatch;
      const queuedNow = deliveries.filter(({ deliveryId }) => enqueued.has(deliveryId));
      for (const connectionId of [...queues, ...queuedNow.map((delivery) => delivery.connectionId)]) {
        queue.added({ tenantId, connectionId });
      }
      const others = deliveries.filter(({ deliveryId }) => !enqueued.has(deliveryId));
      return { ...dispatch, deliveries: others, queued: queued + queuedNow.length };
    });
  }

  /** Each row is removed separately, so a slow start does not keep others in the outbox. */
  async function start(dispatch: Dispatch): Promise<boolean> {
    const isDone = await tryToStart(dispatch);
    await (isDone ? remove(dispatch.id) : postponeDispatch(sql, dispatch.id));
    return isDone;
  }

  async function tryToStart(dispatch: Dispatch): Promise<boolean> {
    const { tenantId, eventId } = dispatch;
    if (!isNeeded(dispatch)) return true;
    const deliveryIds = dispatch.deliveries.map(({ deliveryId }) => deliveryId);
    // Added before the start, because the workflow may end before the start returns.
    starting.dispatched.add(tenantId, deliveryIds);
    try {
      const outcome = await startDelivery(client, config, dispatch);
      // If it runs on another worker, this one is not notified when it begins.
      if (outcome !== "eagerly") forget(dispatch);
      metrics.dispatched(dispatch.createdOn);
      return true;
    } catch (error) {
      forget(dispatch);
      notStarted({ err: error, tenantId, eventId }, "Temporal did not start a delivery; retrying");
      return false;
    }
  }

  function forget({ deliveries }: Dispatch): void {
    for (const { connectionId, deliveryId } of deliveries) {
      starting.end(deliveryId);
      windows.free(connectionId, deliveryId);
    }
  }

  return {
    async stop() {
      clearInterval(poll);
      await Promise.all([loop.stop(), queue.stop(), notifying]);
      await stopListening();
    },
  };
}

/** If the only delivery is queued, it uses the event's workflow later. */
function isNeeded({ part, deliveries, held, queued, total }: Dispatch): boolean {
  if (deliveries.length > 0 || held > 0) return true;
  return part === 1 && !(queued === 1 && total === 1);
}
