// Posts a delivery with a place in its receiver's window. Without a free place, the delivery returns to the queue and
// uses up no attempt. So does a retry that would wait for another post of its workflow's task.

import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import type { DeliveryId } from "../server/platform/ids.ts";
import { ATTEMPT_FAILED, type PostWebhookInput, type PostWebhookResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { heartbeat } from "./heartbeat.ts";
import type { PostOnce, Requeued, WindowPlace } from "./post-once.ts";
import { attemptFailed, untilDone } from "./retry.ts";

interface Post {
  ended: Promise<PostWebhookResult | Requeued>;
  controller: AbortController;
}

export interface Posts {
  postWebhook(input: PostWebhookInput): Promise<PostWebhookResult>;
  /** Aborts a delivery's post in flight, and resolves when its attempt is recorded. */
  abort(deliveryId: DeliveryId, reason: Error): Promise<void>;
}

type Dependencies = Pick<ActivityDependencies, "engine" | "log">;

export function createPosts({ engine, log }: Dependencies, postOnce: PostOnce): Posts {
  const { starting, windows, quickMs } = engine;
  /** By delivery: an activity that Temporal repeats after a task timeout joins the post in progress. */
  const posts = new Map<string, Post>();
  /** By workflow run. */
  const tasks = new Map<string, Set<Post>>();

  async function postWebhook(input: PostWebhookInput): Promise<PostWebhookResult> {
    const context = Context.current();
    const { cancellationSignal: signal } = context;
    const { tenantId, eventId, deliveryId, connectionId } = input;
    const stopBeating = heartbeat(context);
    starting.end(deliveryId);
    try {
      const result = (await isInRate(input)) ? await postInTime(input) : { dueInMs: 0 };
      if (!("dueInMs" in result)) return result;
      await untilDone(log, { tenantId, eventId, deliveryId }, signal, () =>
        engine.requeue(tenantId, [deliveryId], result.dueInMs),
      );
      return { state: "Queued", attempts: 0 };
    } finally {
      stopBeating();
      windows.free(connectionId, deliveryId);
      windows.wakeQueue(connectionId);
    }
  }

  /** The queue has already counted a first attempt in the rate. */
  async function isInRate({
    fromQueue,
    tenantId,
    eventId,
    deliveryId,
    connectionId,
  }: PostWebhookInput): Promise<boolean> {
    const context = Context.current();
    const { cancellationSignal: signal, info } = context;
    if (!fromQueue || info.attempt === 1) return true;
    const wait = await untilDone(log, { tenantId, eventId, deliveryId }, signal, () =>
      engine.countInRate(tenantId, connectionId, quickMs),
    );
    if (wait === undefined) return false;
    await context.sleep(wait);
    return true;
  }

  async function postInTime(input: PostWebhookInput): Promise<PostWebhookResult | Requeued> {
    const { cancellationSignal: signal, info } = Context.current();
    // A task must not wait long, but a separate activity may.
    const post = posts.get(input.deliveryId) ?? startPost(input, info.isLocal ? quickMs : undefined);
    if (!info.isLocal) return under(signal, post);
    const others = othersOf(info.workflowExecution?.runId ?? "", post);
    try {
      return await under(signal, post);
    } catch (error) {
      if (!isRetried(error) || signal.aborted) throw error;
      const { hang, leftMs } = await others.wait(error.nextRetryDelay);
      if (hang) return { dueInMs: leftMs };
      throw attemptFailed(error.message, Math.ceil(leftMs));
    }
  }

  function startPost(input: PostWebhookInput, patienceMs?: number): Post {
    const { deliveryId } = input;
    const controller = new AbortController();
    const { signal } = controller;
    const postIn = async (place: WindowPlace | undefined): Promise<PostWebhookResult | Requeued> => {
      if (place) return postOnce(input, signal, place).finally(() => place.end("aborted"));
      signal.throwIfAborted();
      return { dueInMs: 0 };
    };
    const ended = windows
      .take(input, signal, patienceMs)
      .then(postIn)
      .finally(() => posts.delete(deliveryId));
    // Prevents an unhandled rejection if no caller waits.
    ended.catch(() => {});
    const post = { ended, controller };
    posts.set(deliveryId, post);
    return post;
  }

  /** Other posts in the workflow's task: the workflow's timers fire only after they end. */
  function othersOf(runId: string, post: Post) {
    const task = tasks.get(runId) ?? new Set<Post>();
    tasks.set(runId, task.add(post));
    const leave = () => {
      task.delete(post);
      if (task.size === 0) tasks.delete(runId);
    };
    post.ended.then(leave, leave);
    return {
      /** @returns whether some are still in progress, and the milliseconds left until the retry */
      async wait(retryMs: number): Promise<{ hang: boolean; leftMs: number }> {
        const began = performance.now();
        const over = Promise.withResolvers<"over">();
        const timer = setTimeout(() => over.resolve("over"), Math.min(quickMs, retryMs));
        const ended = Promise.allSettled([...task].map(({ ended }) => ended));
        const first = await Promise.race([ended, over.promise]);
        clearTimeout(timer);
        return { hang: first === "over", leftMs: Math.max(0, retryMs - (performance.now() - began)) };
      },
    };
  }

  return {
    postWebhook,
    async abort(deliveryId, reason) {
      const post = posts.get(deliveryId);
      post?.controller.abort(reason);
      await post?.ended.catch(() => {});
    },
  };
}

function isRetried(error: unknown): error is ApplicationFailure & { nextRetryDelay: number } {
  return error instanceof ApplicationFailure && error.type === ATTEMPT_FAILED;
}

/** Waits for the post's end; the signal can abort it. */
async function under<T>(
  signal: AbortSignal,
  { ended, controller }: { ended: Promise<T>; controller: AbortController },
) {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await ended;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
