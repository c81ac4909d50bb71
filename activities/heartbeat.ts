import type { Context } from "@temporalio/activity";

/** The interval of an activity's heartbeats, which also report cancellation. */
export const HEARTBEAT_MS = 5_000;

/** @param progress for the next try, if this one is cut off; may change @returns a function that stops it */
export function heartbeat(context: Context, progress?: object): () => void {
  // Local activities have no heartbeat; their workflow's task bounds them.
  if (context.info.isLocal) return () => {};
  const timer = setInterval(() => context.heartbeat(progress), HEARTBEAT_MS);
  return () => clearInterval(timer);
}
