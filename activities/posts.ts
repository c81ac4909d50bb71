// The two ways an attempt is made, each with a place in its receiver's window. To a quick receiver within its event's
// workflow task, which must not wait for long: what finds no place soon, or fails beside a post that hangs, leaves for
// the queue. From the queue as an activity of its own.

import { Context } from "@temporalio/activity";
import { type Place, putBack, QUICK_MS, takeTurn } from "../server/webhooks/index.ts";
import type { DeliveryId, PostWebhookInput, PostWebhookResult } from "../workflows/contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { pause } from "./pause.ts";
import { type Attempt, isRetried, retriedIn, untilDone } from "./post-webhook.ts";

/** How often an activity says that it is alive, and hears whether it is cancelled. */
export const HEARTBEAT_MS = 5_000;

interface Post {
  /** "full": there was no place for it. */
  ended: Promise<PostWebhookResult | "full">;
  controller: AbortController;
}

export interface Posts {
  postWebhook(input: PostWebhookInput): Promise<PostWebhookResult>;
  postQueued(input: PostWebhookInput): Promise<PostWebhookResult>;
  /** Breaks off a delivery's attempt, if one is out, and resolves when it is recorded. */
  breakOff(deliveryId: DeliveryId, reason: Error): Promise<void>;
}

type Dependencies = Pick<ActivityDependencies, "sql" | "inFlight" | "windows" | "log">;

export function createPosts({ sql, inFlight, windows, log }: Dependencies, attempt: Attempt): Posts {
  /** By delivery: an activity that Temporal runs again, its task having timed out, joins the post that is out. */
  const posts = new Map<string, Post>();
  /** By workflow run. */
  const tasks = new Map<string, Set<Post>>();

  async function postWebhook(input: PostWebhookInput): Promise<PostWebhookResult> {
    const { cancellationSignal: signal, info } = Context.current();
    const { tenantId, deliveryId } = input;
    return posted(input, async () => {
      const post = posts.get(deliveryId) ?? begin(input, QUICK_MS);
      const others = othersOf(info.workflowExecution?.runId ?? "", post);
      try {
        return await under(signal, post);
      } catch (error) {
        if (!isRetried(error) || signal.aborted) throw error;
        const { hang, leftMs } = await others.wait(error.nextRetryDelay);
        if (hang && (await untilDone(log, signal, () => putBack(sql, tenantId, [deliveryId], leftMs)))) {
          return { state: "Queued", attempts: error.details?.[1] ?? 0 };
        }
        throw retriedIn(leftMs, error);
      }
    });
  }

  async function postQueued(input: PostWebhookInput): Promise<PostWebhookResult> {
    const context = Context.current();
    const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
    return posted(input, () => under(context.cancellationSignal, posts.get(input.deliveryId) ?? begin(input))).finally(
      () => clearInterval(heartbeat),
    );
  }

  /** What cannot go now waits in PostgreSQL, and another workflow goes on with it. */
  async function posted(
    input: PostWebhookInput,
    post: () => Promise<PostWebhookResult | "full">,
  ): Promise<PostWebhookResult> {
    const { tenantId, deliveryId, connectionId } = input;
    inFlight.begin(deliveryId);
    try {
      const result = (await hasTurn(input)) ? await post() : "full";
      if (result !== "full") return result;
      await untilDone(log, Context.current().cancellationSignal, () => putBack(sql, tenantId, [deliveryId], 0));
      return { state: "Queued", attempts: 0 };
    } finally {
      windows.release(connectionId, deliveryId);
      windows.passed(connectionId);
    }
  }

  /** A first attempt has had its turn in the queue. */
  async function hasTurn({ again, tenantId, connectionId }: PostWebhookInput): Promise<boolean> {
    if (!again) return true;
    const signal = Context.current().cancellationSignal;
    const wait = await untilDone(log, signal, () => takeTurn(sql, tenantId, connectionId, QUICK_MS));
    if (wait === undefined) return false;
    await pause(wait, signal);
    return true;
  }

  function begin(input: PostWebhookInput, patienceMs?: number): Post {
    const { deliveryId } = input;
    const controller = new AbortController();
    const { signal } = controller;
    const inPlace = async (place: Place | undefined) => {
      if (place) return attempt(input, signal, place).finally(() => place.end("unsent"));
      signal.throwIfAborted();
      return "full" as const;
    };
    const ended = windows
      .enter(input, signal, patienceMs)
      .then(inPlace)
      .finally(() => posts.delete(deliveryId));
    // Nobody may be waiting when it fails.
    ended.catch(() => {});
    const post = { ended, controller };
    posts.set(deliveryId, post);
    return post;
  }

  /** The other posts of its workflow's task: no timer of the workflow fires before they end. */
  function othersOf(runId: string, post: Post) {
    const task = tasks.get(runId) ?? new Set<Post>();
    tasks.set(runId, task.add(post));
    const leave = () => {
      task.delete(post);
      if (task.size === 0) tasks.delete(runId);
    };
    post.ended.then(leave, leave);
    return {
      /** @returns whether some are still out after a while, and milliseconds left until the retry */
      async wait(retryMs: number): Promise<{ hang: boolean; leftMs: number }> {
        const began = performance.now();
        const over = Promise.withResolvers<"over">();
        const timer = setTimeout(() => over.resolve("over"), Math.min(QUICK_MS, retryMs));
        const ended = Promise.allSettled([...task].map(({ ended }) => ended));
        const first = await Promise.race([ended, over.promise]);
        clearTimeout(timer);
        return { hang: first === "over", leftMs: Math.max(0, retryMs - (performance.now() - began)) };
      },
    };
  }

  return {
    postWebhook,
    postQueued,
    async breakOff(deliveryId, reason) {
      const post = posts.get(deliveryId);
      post?.controller.abort(reason);
      await post?.ended.catch(() => {});
    },
  };
}

/** Waits for the post's end and meanwhile lets the signal break it off. */
async function under<T>(
  signal: AbortSignal,
  { ended, controller }: { ended: Promise<T>; controller: AbortController },
) {
  const breakOff = () => controller.abort(signal.reason);
  if (signal.aborted) breakOff();
  signal.addEventListener("abort", breakOff);
  try {
    return await ended;
  } finally {
    signal.removeEventListener("abort", breakOff);
  }
}
