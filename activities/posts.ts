// The attempts that are out in this process. One outlives the activity that began it, if that may not wait for its end.

import type { PostWebhookInput, PostWebhookResult } from "../workflows/contract.ts";

/** One attempt from its look-up to its record; it fails with how long to wait for the next one. */
export type Attempt = (input: PostWebhookInput, signal: AbortSignal) => Promise<PostWebhookResult>;

export interface Post {
  ended: Promise<PostWebhookResult>;
  /** Waits for `what` and meanwhile lets the signal break the attempt off. */
  wait<T>(what: Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface Posts {
  find(deliveryId: string): Post | undefined;
  begin(attempt: Attempt, input: PostWebhookInput): Post;
  /** Breaks off a delivery's attempt, if one is out, and resolves when it is recorded. */
  breakOff(deliveryId: string, reason: Error): Promise<void>;
  /** Breaks off all of them. */
  stop(): Promise<void>;
}

export function createPosts(): Posts {
  const out = new Map<string, Post & { controller: AbortController }>();

  async function breakOff(deliveryId: string, reason: Error): Promise<void> {
    const post = out.get(deliveryId);
    post?.controller.abort(reason);
    await post?.ended.catch(() => {});
  }

  return {
    breakOff,
    find: (deliveryId) => out.get(deliveryId),
    begin(attempt, input) {
      const controller = new AbortController();
      const ended = attempt(input, controller.signal).finally(() => out.delete(input.deliveryId));
      // Nobody may be waiting when it fails.
      ended.catch(() => {});
      const post = { controller, ended, wait: waitUnder(controller) };
      out.set(input.deliveryId, post);
      return post;
    },
    async stop() {
      const reason = new Error("the worker stops");
      await Promise.all([...out.keys()].map((deliveryId) => breakOff(deliveryId, reason)));
    },
  };
}

function waitUnder(controller: AbortController): Post["wait"] {
  return async (what, signal) => {
    const breakOff = () => controller.abort(signal.reason);
    if (signal.aborted) breakOff();
    signal.addEventListener("abort", breakOff);
    try {
      return await what;
    } finally {
      signal.removeEventListener("abort", breakOff);
    }
  };
}
