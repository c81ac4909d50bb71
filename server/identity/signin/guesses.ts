// Slows down guessing of device codes (RFC 8628 5.1). The owner of a code is unknown until it is found, so guesses are
// counted by user or address.

import { createHash } from "node:crypto";
import type { Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { type FailureRule, forgiveAttempt, secondsBlocked, takeAttempt } from "./throttle.store.ts";
import { ANY_TENANT } from "./throttle.ts";

/**
 * BY_USER counts a user's guesses in all browsers. BY_ADDRESS counts guesses by visitors who are not signed in; a
 * company may share one address.
 */
export const BY_USER: FailureRule = { free: 10, max: 15 * 60 };
export const BY_ADDRESS: FailureRule = { free: 20, max: 15 * 60 };

export type Guesser = { tenantId: TenantId; userId: number } | { address: string };

/** Counts a guess before checking it, so parallel guesses gain nothing. @returns seconds to wait, if any */
export async function takeGuess(sql: Sql, guesser: Guesser): Promise<number | undefined> {
  const { tenantId, key, rule } = countOf(guesser);
  if (await takeAttempt(sql, tenantId, key, rule, [])) return undefined;
  return Math.max(1, await secondsBlocked(sql, tenantId, [key]));
}

/** Takes back a correct guess. Earlier ones still count, because an attacker may own valid codes. */
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
