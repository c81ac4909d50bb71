import { FAILURE_PAUSE_MS } from "../server/platform/durations.ts";
import { traceIdOf } from "../server/platform/http/context.ts";
import type { TraceSpan } from "../server/platform/tracing/index.ts";
import { type DeliveryEngine, posting } from "../server/webhooks/index.ts";
import type { PostWebhookInput, PostWebhookResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { attemptFailed, isWorkflowCancelled, untilDone } from "./retry.ts";

/** Shown in the Temporal UI if a user resets the workflow. */
const ENDED_BEFORE = "its earlier run failed; to send it again, use Redeliver in Settings or POST …/Redeliver";

/** Nothing was posted: the delivery returns to the queue and is due after this many milliseconds. */
export interface Requeued {
  dueInMs: number;
}

type Found = Awaited<ReturnType<DeliveryEngine["startAttempt"]>>;
type OpenDelivery = Extract<Found, { payload: string }>;
export type WindowPlace = NonNullable<Awaited<ReturnType<DeliveryEngine["windows"]["take"]>>>;

/** One attempt, from look-up to record. @throws ApplicationFailure with the wait until the next one */
export type PostOnce = (
  input: PostWebhookInput,
  signal: AbortSignal,
  place: WindowPlace,
) => Promise<PostWebhookResult | Requeued>;

type PostOnceDependencies = Pick<ActivityDependencies, "engine" | "log" | "metrics" | "tracing">;

export function createPostOnce({ engine, log, metrics, tracing }: PostOnceDependencies): PostOnce {
  return async (input, signal, place) => {
    const { tenantId, eventId, deliveryId, connectionId, retry } = input;
    const database = <T>(step: () => Promise<T>) => untilDone(log, { tenantId, eventId, deliveryId }, signal, step);
    const startedBy = Bun.randomUUIDv7();
    // Before the attempt is started, because a started attempt must be reverted if it is not sent.
    if (engine.isFull(tenantId)) return unsent();
    const delivery = await start();
    if (!("attempted" in delivery)) return delivery;

    const span = tracing.begin("webhook attempt", "client", delivery.traceParent);
    // An unsampled parent would prevent the receiver from sampling its own trace.
    const traceParent = span.sampled ? span.traceParent : undefined;
    place.start();
    const result = await engine.sendSigned(tenantId, delivery, signal, traceParent);
    if ("unsent" in result) {
      span.end({ attributes: {}, problem: result.unsent });
      await database(() => engine.revertAttempt(tenantId, eventId, deliveryId, delivery.number));
      return unsent();
    }
    place.end(posting.endingOf(result));
    span.end(spanEnd(input, delivery, result));
    const outcome = posting.outcomeOf(delivery, result, retry, engine.holding, isWorkflowCancelled(signal));
    const state = await database(() =>
      delivery.proof && result.delivered
        ? engine.recordProof(tenantId, eventId, deliveryId, result.attempt, outcome)
        : engine.recordAttempt(tenantId, eventId, deliveryId, result.attempt, outcome),
    );
    const firstRun = delivery.number === delivery.numberInRun;
    if (!delivery.ping) {
      metrics.attempted(result.attempt);
      metrics.ended(state ?? outcome.reached, firstRun ? delivery.occurredOn : undefined);
    }
    const { number } = delivery;
    const traceId = traceIdOf(span.traceParent);
    log.info(
      { tenantId, eventId, deliveryId, connectionId, attempt: number, state, reason: result.reason, traceId },
      "webhook attempt",
    );
    if (state === "Delivered" || state === "Cancelled") return { state, attempts: delivery.number };
    if (isWorkflowCancelled(signal)) throw signal.reason;
    throw attemptFailed(result.reason, outcome.nextInMs);

    function unsent(): Requeued {
      place.end("unsent");
      // Random, so not all retry at once.
      return { dueInMs: FAILURE_PAUSE_MS * (1 + Math.random()) };
    }

    /** A local activity runs again if its worker dies before the task is recorded, so the state may have changed. */
    async function start(): Promise<OpenDelivery | PostWebhookResult | Requeued> {
      for (;;) {
        const { maximumAttempts } = retry;
        const found = await database(() =>
          engine.startAttempt({ tenantId, eventId, deliveryId, maximumAttempts, startedBy }),
        );
        if (!found) throw unattempted("the delivery is not in the database");
        if (found === "full") return { dueInMs: 0 };
        if (found.attempted) return found;
        if (!found.endsAs && found.waitMs > 0) return { dueInMs: found.waitMs };
        const { state, attempts } = await ended(found);
        const why = found.endsAs ? "the last attempt was lost" : ENDED_BEFORE;
        if (state === "Exhausted") throw unattempted(why);
        if (state !== "Pending" && state !== "Retrying") return { state, attempts };
        // Another worker was first, or the connection became Active meanwhile, so this is repeated.
      }
    }

    function unattempted(reason: string): Error {
      log.info({ tenantId, eventId, deliveryId, connectionId, reason }, "no webhook attempt");
      return attemptFailed(reason);
    }

    async function ended({
      state,
      number,
      endsAs,
    }: Pick<OpenDelivery, "state" | "number" | "endsAs">): Promise<Pick<OpenDelivery, "state"> & { attempts: number }> {
      const closed = endsAs && (await database(() => engine.closeOpenDelivery(tenantId, eventId, deliveryId, endsAs)));
      if (closed && !closed.ping) metrics.ended(closed.state);
      return closed ?? { state, attempts: number };
    }
  };
}

/** Ids, a status and the reason, as in the log. */
function spanEnd(
  { tenantId, deliveryId }: PostWebhookInput,
  { eventId, number }: OpenDelivery,
  { attempt, delivered, reason }: posting.AttemptResult,
): Parameters<TraceSpan["end"]>[0] {
  return {
    attributes: {
      "http.request.method": "POST",
      "http.response.status_code": attempt.statusCode ?? undefined,
      "error.type": attempt.failure ?? undefined,
      "gatehouse.tenant_id": tenantId,
      "gatehouse.event_id": eventId,
      "gatehouse.delivery_id": deliveryId,
      "gatehouse.attempt": number,
    },
    problem: delivered ? undefined : reason,
  };
}
