// Moves committed events from the outbox to Temporal. Runs beside the workflow worker, so that Temporal can hand a
// new workflow's first task straight back (eager start).

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
} from "./dispatch.store.ts";
import { BATCH } from "./in-flight.ts";
import { FAILURE_PAUSE_MS, type FoundWork, startLoop } from "./loop.ts";
import { setAside } from "./queue.store.ts";
import { type QueueDependencies, startQueue } from "./queue.ts";
import { startDelivery } from "./start-workflow.ts";

/** Batches that are being started at once: together the most that Temporal is asked for at a time. */
const LANES = 4;
/** Of one tenant's in a batch. */
const TENANT_SHARE = BATCH / 2;

export interface Dispatcher {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export interface DispatcherDependencies extends QueueDependencies {
  metrics: Pick<WorkerMetrics, "dispatched">;
}

export function startDispatcher(dependencies: DispatcherDependencies): Dispatcher {
  const { sql, client, config, inFlight, windows, log, metrics } = dependencies;
  const notStarted = createOutageLog(log);
  const remove = createBatches<number, undefined>((ids) => removeDispatches(sql, ids));
  const loop = startLoop(LANES, dispatchBatch, log);
  const queue = startQueue(dependencies);
  inFlight.fresh.onRoom(loop.wake);
  const wakeAll = () => {
    loop.wake();
    queue.lookAround();
  };
  const stopListening = listenForDispatches(sql, (waiting) => {
    loop.wake();
    if (waiting) queue.look(waiting);
  });
  const poll = setInterval(wakeAll, POLL_MS);

  async function dispatchBatch(): Promise<FoundWork> {
    const isFull = inFlight.fresh.isFull();
    const full = inFlight.fresh.fullTenants();
    if (isFull) return "all";
    const claimed = await claimDispatches(sql, BATCH, TENANT_SHARE, full);
    if (claimed.length === 0) return "all";
    const started = await Promise.all((await setAsideFull(claimed)).map(start));
    if (!started.includes(true)) await Bun.sleep(FAILURE_PAUSE_MS);
    // A tenant's whole share, or what has to be tried again: there is likely more.
    return claimed.length >= TENANT_SHARE || started.includes(false) ? "more" : "all";
  }

  /** What its receiver's window has no room for waits in the queue, and keeps nothing from the event's others. */
  async function setAsideFull(claimed: Dispatch[]): Promise<Dispatch[]> {
    const full = claimed.flatMap(({ deliveries }) =>
      deliveries.filter(({ connectionId }) => !windows.admits(connectionId)).map(({ deliveryId }) => deliveryId),
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

  /** Each leaves the outbox by itself, so that none stays for another whose start takes long. */
  async function start(dispatch: Dispatch): Promise<boolean> {
    const isDone = await tryToStart(dispatch);
    await (isDone ? remove(dispatch.id) : releaseDispatch(sql, dispatch.id));
    return isDone;
  }

  /** @returns whether it is done */
  async function tryToStart(dispatch: Dispatch): Promise<boolean> {
    const { tenantId, eventId } = dispatch;
    if (!isNeeded(dispatch)) return true;
    const deliveryIds = dispatch.deliveries.map(({ deliveryId }) => deliveryId);
    // Added before the start, for it may be over before the start is answered.
    inFlight.fresh.add(tenantId, deliveryIds);
    try {
      const outcome = await startDelivery(client, config, dispatch);
      // Of what runs elsewhere nobody here would hear the beginning.
      if (outcome !== "eagerly") deliveryIds.forEach(inFlight.begin);
      metrics.dispatched(dispatch.createdOn);
      return true;
    } catch (error) {
      deliveryIds.forEach(inFlight.begin);
      notStarted({ err: error, tenantId, eventId }, "Temporal did not start a delivery; it is tried again");
      return false;
    }
  }

  return {
    async stop() {
      clearInterval(poll);
      await Promise.all([loop.stop(), queue.stop()]);
      await stopListening();
    },
  };
}

/** An only delivery that is in the queue gets the event's workflow for itself. */
function isNeeded({ part, deliveries, held, queued, total }: Dispatch): boolean {
  if (deliveries.length > 0 || held > 0) return true;
  return part === 1 && !(queued === 1 && total === 1);
}
