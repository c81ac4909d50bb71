// How guessing the codes of devices is slowed down (RFC 8628 5.1). Whose code it is, nobody knows before it is found, so
// the guesses of one person or place count, whatever they are at.

import { createHash } from "node:crypto";
import type { Sql } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import { type FailureRule, forgiveAttempt, secondsBlocked, takeAttempt } from "./throttle.store.ts";
import { ANY_TENANT } from "./throttle.ts";

/** One user, in whatever browsers; and one address, of those who have not signed in there. A company's people share it. */
export const BY_USER: FailureRule = { free: 10, most: 15 * 60 };
export const BY_ADDRESS: FailureRule = { free: 20, most: 15 * 60 };

export type Guesser = { tenantId: TenantId; userId: number } | { address: string };

/**
 * Counts a guess before it is looked at, so that parallel ones gain nothing.
 * @returns seconds to wait, or undefined if the guess may be made
 */
export async function takeGuess(sql: Sql, guesser: Guesser): Promise<number | undefined> {
  const { tenantId, key, rule } = countOf(guesser);
  if (await takeAttempt(sql, tenantId, key, rule, [])) return undefined;
  return Math.max(1, await secondsBlocked(sql, tenantId, [key]));
}

/** It was right, and so counts for nothing; those before it still count, for a guesser has codes of their own. */
export async function forgiveGuess(sql: Sql, guesser: Guesser): Promise<void> {
  const { tenantId, key, rule } = countOf(guesser);
  await forgiveAttempt(sql, tenantId, key, rule);
}

function countOf(guesser: Guesser): { tenantId: TenantId; key: string; rule: FailureRule } {
  const isUser = "userId" in guesser;
  const parts = ["device code", isUser ? String(guesser.userId) : guesser.address];
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return isUser ? { tenantId: guesser.tenantId, key, rule: BY_USER } : { tenantId: ANY_TENANT, key, rule: BY_ADDRESS };
}
