import type { Context } from "@temporalio/activity";

/** The interval of an activity's heartbeats, which also report cancellation. */
export const HEARTBEAT_MS = 5_000;

/** @returns a function that stops it */
export function heartbeat(context: Context): () => void {
  // Local activities have no heartbeat; their workflow's task bounds them.
  if (context.info.isLocal) return () => {};
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  return () => clearInterval(timer);
}
