// What a page says, and by which status, of an attempt that was not taken.

import type { CheckOutcome } from "./second-factor/second-factor.ts";

export interface Trouble {
  problem: string;
  status: number;
  headers?: Record<string, string>;
}

/** @param wrong what to say where it was wrong; @returns undefined where it was right */
export function troubleOf(result: CheckOutcome, wrong: string): Trouble | undefined {
  if (result.outcome === "right") return undefined;
  return result.outcome === "wrong" ? { problem: wrong, status: 422 } : throttled(result.retryAfter);
}

/** @param seconds to wait */
export function throttled(seconds: number): Trouble {
  const wait = seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return {
    problem: `Too many attempts. Try again in ${wait}.`,
    status: 429,
    headers: { "retry-after": String(seconds) },
  };
}

export const WRONG_CODE = "The code is wrong, or was used before. Enter the next one.";
export const WRONG_PASSWORD = "The password is wrong.";
