// Moves committed events from the outbox to Temporal. Runs beside the workflow worker, so that Temporal can hand a
// new workflow's first task straight back (eager start).

import type { Client } from "@temporalio/client";
import type { Logger } from "pino";
import type { WebhookConfig } from "../../config.ts";
import type { Sql } from "../../db/connection.ts";
import { createOutageLog } from "../../log.ts";
import type { WorkerMetrics } from "../../metrics/index.ts";
import type { SlowLane } from "../lanes/slow-lane.ts";
import { BATCH, type InFlight } from "./in-flight.ts";
import { type Found, pause, startLoop } from "./loop.ts";
import { setSlowAside } from "./slow-deliveries.ts";
import { startDelivery } from "./start-workflow.ts";
import {
  claimDispatches,
  claimTurns,
  type Dispatch,
  postponeDispatches,
  releaseDispatches,
  removeDispatches,
} from "./store.ts";
import { startWakes } from "./wakes.ts";

/** Batches that are being started at once: together the most that Temporal is asked for at a time. */
const LANES = 4;
/** Of one tenant's in a batch. */
const TENANT_SHARE = 8;
/** Beyond the time an attempt may take; a turn that old is over, for its worker has died. */
const TURN_GRACE_MS = 30_000;
/** What is set aside for a slow receiver waits for a turn in any case. */
const SLOW_WAIT_MS = 250;
/** Turns begun at a time: each is a workflow of its own. */
const TURNS = 2;
/** The net under NOTIFY. */
const POLL_MS = 2_000;

export interface Dispatcher {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

type Outcome = Awaited<ReturnType<typeof startDelivery>> | "failed";

export function startDispatcher(
  databaseUrl: string,
  sql: Sql,
  client: Client,
  config: WebhookConfig,
  inFlight: InFlight,
  slowLane: Pick<SlowLane, "turns" | "onTurnEnded">,
  log: Logger,
  metrics: Pick<WorkerMetrics, "dispatched">,
): Dispatcher {
  const notStarted = createOutageLog(log);
  const quick = startLoop(LANES, dispatchBatch, log);
  const slow = startLoop(1, dispatchTurns, log);
  inFlight.onRoom(quick.wake);
  slowLane.onTurnEnded(slow.wake);
  let slowWait: Timer | undefined;
  const wakes = startWakes(databaseUrl, sql, quick.wake);
  const poll = setInterval(() => {
    quick.wake();
    slow.wake();
  }, POLL_MS);

  async function dispatchBatch(): Promise<Found> {
    const isFull = inFlight.isFull();
    const full = inFlight.fullTenants();
    if (isFull || full.length > 0) wakes.handOn();
    if (isFull) return "nothing";
    const claimed = await claimDispatches(sql, BATCH, TENANT_SHARE, full);
    if (claimed.length === 0) return "nothing";
    const batch = await setSlowAside(sql, claimed, wakeSlowSoon);
    await start(batch, startInFlight);
    // A tenant's whole share: there is likely more.
    return claimed.length >= TENANT_SHARE ? "more" : "some";
  }

  function wakeSlowSoon(): void {
    slowWait ??= setTimeout(() => {
      slowWait = undefined;
      slow.wake();
    }, SLOW_WAIT_MS);
  }

  async function dispatchTurns(): Promise<Found> {
    // Quick receivers go first: a receiver that is back, with all that it has missed, would make everybody wait.
    const behind = inFlight.isBehind();
    if (behind && slowWait) return "nothing";
    const turns = await claimTurns(sql, slowLane.turns, behind ? 1 : TURNS, config.timeout + TURN_GRACE_MS);
    if (turns.length === 0) return "nothing";
    await start(turns, startOne);
    if (!behind) return "some";
    wakeSlowSoon();
    return "nothing";
  }

  async function start(batch: Dispatch[], startEach: (dispatch: Dispatch) => Promise<Outcome>): Promise<void> {
    if (batch.length === 0) return;
    const outcomes = await Promise.all(batch.map(startEach));
    const ids = (wanted: (outcome: Outcome, dispatch: Dispatch) => boolean) =>
      batch.filter((dispatch, index) => wanted(outcomes[index]!, dispatch)).map(({ id }) => id);
    const failed = ids((outcome) => outcome === "failed");
    await Promise.all([
      removeDispatches(
        sql,
        ids((outcome, dispatch) => isDone(outcome, dispatch)),
      ),
      postponeDispatches(
        sql,
        ids((outcome) => outcome === "busy"),
      ),
      releaseDispatches(sql, failed),
    ]);
    if (failed.length === batch.length) await pause();
  }

  async function startInFlight(dispatch: Dispatch): Promise<Outcome> {
    // The slow lane counts its own.
    const quick = dispatch.deliveries.filter(({ lane }) => lane !== "slow");
    const deliveryIds = quick.map(({ deliveryId }) => deliveryId);
    // Added before the start, for it may be over before the start is answered.
    inFlight.add(dispatch.tenantId, deliveryIds);
    const outcome = await startOne(dispatch);
    // Of what runs elsewhere nobody here would hear the end.
    if (outcome !== "eagerly") inFlight.end(deliveryIds);
    return outcome;
  }

  async function startOne(dispatch: Dispatch): Promise<Outcome> {
    const { tenantId, eventId } = dispatch;
    try {
      const outcome = await startDelivery(client, config, dispatch);
      // What waits for a slow receiver's turn waits for that receiver, and not for us.
      if (outcome !== "busy" && dispatch.turn === null) metrics.dispatched(dispatch.createdOn);
      return outcome;
    } catch (error) {
      notStarted({ err: error, tenantId, eventId }, "Temporal did not start a delivery; it is tried again");
      return "failed";
    }
  }

  return {
    async stop() {
      clearInterval(poll);
      clearTimeout(slowWait);
      await Promise.all([quick.stop(), slow.stop()]);
      await wakes.stop();
    },
  };
}

/** A turn ends with its post and not with its start, unless it has been over once before. */
function isDone(outcome: Outcome, { turn, deliveries }: Dispatch): boolean {
  if (outcome === "busy" || outcome === "failed") return false;
  return turn !== "first" || deliveries.length === 0;
}
