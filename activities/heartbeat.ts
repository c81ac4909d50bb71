import type { Context } from "@temporalio/activity";

/** How often an activity says that it is alive, and hears whether it is cancelled. */
export const HEARTBEAT_MS = 5_000;

/** @returns ends it */
export function heartbeat(context: Context): () => void {
  // A local activity lives as long as its workflow's task.
  if (context.info.isLocal) return () => {};
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  return () => clearInterval(timer);
}
