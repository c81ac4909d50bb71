// Moves committed events from the outbox to Temporal. Runs beside the workflow worker, so Temporal can return a new
// workflow's first task at once (eager start).

import { POLL_MS } from "../../db/watch.ts";
import { createOutageLog } from "../../log.ts";
import type { WorkerMetrics } from "../../metrics/index.ts";
import { createBatches } from "./batches.ts";
import {
  claimDispatches,
  type Dispatch,
  listenForDispatches,
  releaseDispatch,
  removeDispatches,
  wakeOthers,
} from "./dispatch.store.ts";
import { BATCH } from "./in-flight.ts";
import { FAILURE_PAUSE_MS, type FoundWork, startLoop } from "./loop.ts";
import { setAside } from "./queue.store.ts";
import { type QueueDependencies, startQueue } from "./queue.ts";
import { startDelivery } from "./start-workflow.ts";

/** Batches started concurrently, which limits the load on Temporal. */
const LANES = 4;
const TENANT_SHARE = BATCH / 2;

export interface Dispatcher {
  stop(): Promise<void>;
}

export interface DispatcherDependencies extends QueueDependencies {
  metrics: Pick<WorkerMetrics, "dispatched">;
  /** Whether this worker looks for the work first. */
  isFirst(key: string): boolean;
}

export function startDispatcher(dependencies: DispatcherDependencies): Dispatcher {
  const { sql, client, config, inFlight, windows, egress, log, metrics, isFirst } = dependencies;
  const notStarted = createOutageLog(log);
  const remove = createBatches<number, undefined>((ids) => removeDispatches(sql, ids));
  const loop = startLoop(LANES, dispatchBatch, log);
  const queue = startQueue(dependencies);
  inFlight.fresh.onRoom(loop.wake);
  const wakeAll = () => {
    loop.wake();
    queue.lookAround();
  };
  // The other workers find it by their poll, if the first one cannot take it.
  const stopListening = listenForDispatches(sql, (key, waiting) => {
    if (key && !isFirst(key)) return;
    loop.wake();
    if (waiting) queue.look(waiting);
    else if (key && inFlight.fresh.isFull()) passOn();
  });
  const poll = setInterval(wakeAll, POLL_MS);

  let passing: Promise<void> | undefined;
  function passOn(): void {
    passing ??= wakeOthers(sql)
      .catch(() => {})
      .finally(() => {
        passing = undefined;
      });
  }

  async function dispatchBatch(): Promise<FoundWork> {
    const isFull = inFlight.fresh.isFull();
    const full = inFlight.fresh.fullTenants();
    if (isFull) return "all";
    const claimed = await claimDispatches(sql, BATCH, TENANT_SHARE, full);
    if (claimed.length === 0) return "all";
    const started = await Promise.all((await setAsideFull(claimed)).map(start));
    if (!started.includes(true)) await Bun.sleep(FAILURE_PAUSE_MS);
    // A full share or failed starts mean that more is likely waiting.
    return claimed.length >= TENANT_SHARE || started.includes(false) ? "more" : "all";
  }

  /** Queues deliveries without room in their receiver's window, so they do not delay the event's others. */
  async function setAsideFull(claimed: Dispatch[]): Promise<Dispatch[]> {
    const full = claimed.flatMap(({ tenantId, deliveries }) =>
      deliveries
        .filter(({ connectionId, deliveryId }) => egress.isFull(tenantId) || !windows.admits(connectionId, deliveryId))
        .map(({ deliveryId }) => deliveryId),
    );
    const aside = new Set(await setAside(sql, full));
    return claimed.map((dispatch) => {
      const { tenantId, deliveries, queued, queues } = dispatch;
      const queuedNow = deliveries.filter(({ deliveryId }) => aside.has(deliveryId));
      for (const connectionId of [...queues, ...queuedNow.map((delivery) => delivery.connectionId)]) {
        queue.added({ tenantId, connectionId });
      }
      const others = deliveries.filter(({ deliveryId }) => !aside.has(deliveryId));
      return { ...dispatch, deliveries: others, queued: queued + queuedNow.length };
    });
  }

  /** Each row is removed separately, so a slow start does not keep others in the outbox. */
  async function start(dispatch: Dispatch): Promise<boolean> {
    const isDone = await tryToStart(dispatch);
    await (isDone ? remove(dispatch.id) : releaseDispatch(sql, dispatch.id));
    return isDone;
  }

  async function tryToStart(dispatch: Dispatch): Promise<boolean> {
    const { tenantId, eventId } = dispatch;
    if (!isNeeded(dispatch)) return true;
    const deliveryIds = dispatch.deliveries.map(({ deliveryId }) => deliveryId);
    // Added before the start, because the workflow may end before the start returns.
    inFlight.fresh.add(tenantId, deliveryIds);
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
      inFlight.begin(deliveryId);
      windows.release(connectionId, deliveryId);
    }
  }

  return {
    async stop() {
      clearInterval(poll);
      await Promise.all([loop.stop(), queue.stop(), passing]);
      await stopListening();
    },
  };
}

/** If the only delivery is queued, it uses the event's workflow later. */
function isNeeded({ part, deliveries, held, queued, total }: Dispatch): boolean {
  if (deliveries.length > 0 || held > 0) return true;
  return part === 1 && !(queued === 1 && total === 1);
}
