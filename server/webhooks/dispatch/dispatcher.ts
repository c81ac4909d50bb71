// Moves committed events from the outbox to Temporal. Runs beside the workflow worker, so that Temporal can hand a
// new workflow's first task straight back (eager start).

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { WebhookConfig } from "../../config.ts";
import type { Sql } from "../../db/connection.ts";
import type { WorkerMetrics } from "../../metrics/index.ts";
import { BATCH, type InFlight } from "./in-flight.ts";
import { startDelivery } from "./start-workflow.ts";
import {
  claimDispatches,
  type Dispatch,
  listenForDispatches,
  postponeDispatches,
  releaseDispatches,
  removeDispatches,
} from "./store.ts";

/** Batches that are being started at once: together the most that Temporal is asked for at a time. */
const LANES = 4;
/** Of one tenant's in a batch. */
const TENANT_SHARE = 8;
/** The net under NOTIFY. */
const POLL_MS = 2_000;
const FAILURE_PAUSE_MS = 1_000;

export interface Dispatcher {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

type Outcome = Awaited<ReturnType<typeof startDelivery>> | "failed";

export async function startDispatcher(
  sql: Sql,
  client: Client,
  config: WebhookConfig,
  inFlight: InFlight,
  log: Logger,
  metrics: Pick<WorkerMetrics, "dispatched">,
): Promise<Dispatcher> {
  let stopping = false;
  let wakes = 0;
  /** Lanes with nothing to do, the one idle longest first. */
  const idle: (() => void)[] = [];

  const wakeOne = () => {
    wakes++;
    idle.shift()?.();
  };
  inFlight.onRoom(wakeOne);
  const stopListening = await listenForDispatches(sql, wakeOne);
  const poll = setInterval(wakeOne, POLL_MS);
  const lanes = Array.from({ length: LANES }, lane);

  async function lane(): Promise<void> {
    while (!stopping) {
      const wakesBefore = wakes;
      const found = await dispatchBatch().catch(async (error) => {
        log.warn({ err: error }, "events could not be dispatched; they stay in PostgreSQL and are tried again");
        await pause(FAILURE_PAUSE_MS);
        return 0;
      });
      // A tenant's whole share: there is likely more, and another lane may help.
      if (found >= TENANT_SHARE) wakeOne();
      if (found === 0 && wakes === wakesBefore && !stopping) await new Promise<void>((resolve) => idle.push(resolve));
    }
  }

  async function dispatchBatch(): Promise<number> {
    if (inFlight.isFull()) return 0;
    const batch = await claimDispatches(sql, BATCH, TENANT_SHARE, inFlight.fullTenants());
    if (batch.length === 0) return 0;
    const outcomes = await Promise.all(batch.map(start));
    const ids = (...some: Outcome[]) => batch.filter((_, index) => some.includes(outcomes[index]!)).map(({ id }) => id);
    await Promise.all([
      removeDispatches(sql, ids("eagerly", "elsewhere")),
      postponeDispatches(sql, ids("busy")),
      releaseDispatches(sql, ids("failed")),
    ]);
    if (ids("failed").length === batch.length) await pause(FAILURE_PAUSE_MS);
    return batch.length;
  }

  async function start(dispatch: Dispatch): Promise<Outcome> {
    const { tenantId, eventId } = dispatch;
    const deliveryIds = dispatch.deliveries.map((delivery) => delivery.deliveryId);
    let outcome: Outcome = "failed";
    // Added before the start, for it may be over before the start is answered.
    inFlight.add(tenantId, deliveryIds);
    try {
      outcome = await startDelivery(client, config, dispatch);
      if (outcome !== "busy") metrics.dispatched(dispatch.createdOn);
    } catch (error) {
      log.warn({ err: error, tenantId, eventId }, "Temporal did not start a delivery; it is tried again");
    }
    // Of what runs elsewhere nobody here would hear the end.
    if (outcome !== "eagerly") inFlight.end(deliveryIds);
    return outcome;
  }

  return {
    async stop() {
      stopping = true;
      clearInterval(poll);
      for (const wake of idle.splice(0)) wake();
      await Promise.all(lanes);
      await stopListening().catch(() => {});
    },
  };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
