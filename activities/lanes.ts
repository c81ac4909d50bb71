// Where an attempt is made. In the quick lane within its workflow's task, which it may hold for a moment only: a post
// that takes longer goes on by itself, and the slow lane waits for its end. In the slow lane as an activity of its own.

import { Context } from "@temporalio/activity";
import type { PostSlowlyInput, PostStillOut, PostWebhookInput, PostWebhookResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { isNotYet, notYet } from "./not-yet.ts";
import type { Attempt, Post } from "./posts.ts";

/** What a post may hold its workflow's task for; the retries of others in that workflow wait so long. */
const PATIENCE_MS = 1_000;
/** Patience passes by steps, each counted once: while this process gets no turn itself, no receiver is called slow. */
const PATIENCE_STEPS = 10;
/** How often a post in the slow lane says that it is alive, and hears whether it is cancelled. */
export const HEARTBEAT_MS = 5_000;

type Dependencies = Pick<ActivityDependencies, "posts" | "inFlight" | "slowLane" | "log">;

export function createLanes({ posts, inFlight, slowLane, log }: Dependencies, attempt: Attempt) {
  async function postWebhook(input: PostWebhookInput): Promise<PostWebhookResult | PostStillOut> {
    const { tenantId, deliveryId, connectionId } = input;
    const patience = startPatience();
    inFlight.begin(deliveryId);
    try {
      // There is one already if its workflow's task was lost, and is done again.
      const post = posts.find(deliveryId) ?? beginInTask(input);
      const first = Promise.race([post.ended, patience.over]);
      const result = await post.wait(first, Context.current().cancellationSignal).catch((error) => {
        // The slow lane's waits add nothing to the workflow's history.
        if (isNotYet(error)) return { state: "StillOut" } as const;
        throw error;
      });
      if (result !== "over") return result;
      const isSlow = slowLane.enterAnyway(connectionId);
      leaveAtEnd(input, post);
      if (isSlow) await slowLane.mark(tenantId, connectionId);
      return { state: "StillOut" };
    } finally {
      patience.end();
      inFlight.end([deliveryId]);
    }
  }

  function beginInTask(input: PostWebhookInput): Post {
    const { tenantId, connectionId } = input;
    if (slowLane.silence.begin(connectionId)) void slowLane.mark(tenantId, connectionId);
    const began = performance.now();
    const post = posts.begin(attempt, input);
    const end = () => slowLane.silence.end(connectionId, performance.now() - began < PATIENCE_MS);
    post.ended.then(end, end);
    return post;
  }

  /** A post that goes on by itself has its place in the slow lane, and leaves word of when the next one is due. */
  function leaveAtEnd({ tenantId, deliveryId, connectionId }: PostWebhookInput, post: Post): void {
    post.ended
      .catch(async ({ nextRetryDelay }: { nextRetryDelay?: number }) => {
        if (nextRetryDelay !== undefined) await slowLane.writeNextAttempt(tenantId, deliveryId, nextRetryDelay);
      })
      .catch((error) => log.warn({ err: error, tenantId, deliveryId }, "the next attempt may come too soon"))
      .finally(() => slowLane.leave(connectionId));
  }

  async function postSlowly(input: PostSlowlyInput): Promise<PostWebhookResult> {
    const context = Context.current();
    const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
    try {
      const post = posts.find(input.deliveryId);
      return await (post
        ? post.wait(post.ended, context.cancellationSignal)
        : takePlace(input, context.cancellationSignal));
    } finally {
      clearInterval(heartbeat);
    }
  }

  async function takePlace(input: PostSlowlyInput, signal: AbortSignal): Promise<PostWebhookResult> {
    const { tenantId, deliveryId, connectionId, handedOver } = input;
    const wait = (handedOver && (await slowLane.readWait(tenantId, deliveryId))) || slowLane.enter(connectionId);
    if (wait > 0) throw notYet(wait);
    const patience = startPatience();
    try {
      const post = posts.begin(attempt, input);
      const result = await post.wait(post.ended, signal);
      slowLane.turns.answered(connectionId);
      return result;
    } catch (error) {
      if (!isNotYet(error)) slowLane.turns.failed(connectionId);
      throw error;
    } finally {
      slowLane.leave(connectionId);
      await (patience.end() ? slowLane.mark : slowLane.noteQuick)(tenantId, connectionId);
      await slowLane.endTurn(tenantId, deliveryId);
    }
  }

  return { postWebhook, postSlowly };
}

function startPatience() {
  const { promise, resolve } = Promise.withResolvers<"over">();
  let steps = 0;
  const timer = setInterval(() => {
    if (++steps === PATIENCE_STEPS) resolve("over");
  }, PATIENCE_MS / PATIENCE_STEPS);
  return {
    over: promise,
    /** @returns whether it was over */
    end(): boolean {
      clearInterval(timer);
      return steps >= PATIENCE_STEPS;
    },
  };
}
