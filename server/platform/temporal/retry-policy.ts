import { intervalAfter, MAX_ATTEMPTS, type PostRetryPolicy } from "../../../workflows/contract.ts";
import type { Config } from "../config/config.ts";
import { DAY_MS } from "../durations.ts";

/** Temporal's retry policy of every post: at most three attempts, with exponential backoff. */
export function retryPolicy({ retryInitialInterval, retryBackoff }: Config["webhooks"]): PostRetryPolicy {
  return {
    initialInterval: retryInitialInterval,
    backoffCoefficient: retryBackoff,
    maximumInterval: DAY_MS,
    maximumAttempts: MAX_ATTEMPTS,
  };
}

/** @example "3 attempts, with about 10 s and 60 s between them" */
export function policyInWords(policy: PostRetryPolicy): string {
  const waits = Array.from({ length: policy.maximumAttempts - 1 }, (_, index) => intervalAfter(index + 1, policy));
  const words = waits.map((wait) => `${Number((wait / 1_000).toFixed(1))} s`);
  return `${policy.maximumAttempts} attempts, with about ${words.join(" and ")} between them`;
}
