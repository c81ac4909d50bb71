// Slows down guessing. The counts are in PostgreSQL, so they hold for all processes.

import { createHash } from "node:crypto";
import type { Queries, Sql } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { type AuditEntry, type Origin, recordAudit } from "../../records/index.ts";
import { texts } from "../../ui/index.ts";
import {
  addFailure,
  type FailureRule,
  forgetFailures,
  markBlocked,
  secondsBlocked,
  takeAttempt,
} from "./throttle.store.ts";

/** One account at one address or in one known browser. */
const AT_ONE_PLACE: FailureRule = { free: 5, max: 15 * 60 };
/** One address for all accounts; a company may share one address. */
const BY_ADDRESS: FailureRule = { free: 50, max: 15 * 60 };
/** One account from all addresses. The wait is at most a minute, so the owner can still sign in on a new device. */
const BY_ACCOUNT: FailureRule = { free: 20, max: 60 };

export interface SignInTry {
  tenantId: TenantId;
  /**
   * For a password: the key of the typed user name, so unknown accounts are throttled like known ones. For a second
   * factor: the user's Id.
   */
  account: string;
  factor: "password" | "second" | "passkey" | (typeof MAILED)[number];
  address: string;
  /** The cookie of a browser in which the account's owner has signed in before. */
  knownDevice: Buffer | undefined;
  /** The account's owner has signed in from this address before. */
  knownAddress: boolean;
  /** The tenant is unauthenticated input: naming more tenants must not give more attempts. */
  isNamed?: boolean;
}

/** Counts that span all tenants use this id, which no tenant has. */
export const ANY_TENANT = "00000000-0000-0000-0000-000000000000" as TenantId;

interface Counts {
  place: string;
  others: { key: string; rule: FailureRule }[];
}

/**
 * A stranger's failures count against the address and, with short waits, against the account. The owner's known browser
 * has its own counter, and a known address is exempt from the account's, so neither waits for a stranger.
 */
function countsOf({ account, factor, address, knownDevice, knownAddress }: SignInTry): Counts {
  if (knownDevice) return { place: keyOf("device", factor, account, knownDevice.toString("hex")), others: [] };
  const others = [{ key: addressKey(factor, address), rule: BY_ADDRESS }];
  if (!knownAddress) others.push({ key: keyOf("account", factor, account), rule: BY_ACCOUNT });
  return { place: keyOf("place", factor, account, address), others };
}

/** The key of an address across all tenants; undefined if the tenant exists or the browser is known. */
function namedKey({ isNamed, factor, address, knownDevice }: SignInTry): string | undefined {
  return isNamed && !knownDevice ? addressKey(factor, address) : undefined;
}

/** Requests for links, which do not delay sign-ins of other people at the address. */
const MAILED = ["forgotten", "sign-up"] as const;

function addressKey(factor: SignInTry["factor"], address: string): string {
  return MAILED.some((one) => one === factor) ? keyOf("address", factor, address) : keyOf("address", address);
}

function keyOf(...parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Counts an attempt before checking it, so parallel guesses gain nothing. @returns seconds to wait, if any */
export async function admit(sql: Sql, attempt: SignInTry): Promise<number | undefined> {
  const named = namedKey(attempt);
  const wait = named === undefined ? 0 : await secondsBlocked(sql, ANY_TENANT, [named]);
  if (wait > 0) return wait;
  const { place, others } = countsOf(attempt);
  const keys = others.map((other) => other.key);
  if (await takeAttempt(sql, attempt.tenantId, place, AT_ONE_PLACE, keys)) return undefined;
  return Math.max(1, await secondsBlocked(sql, attempt.tenantId, [place, ...keys]));
}

/** Whether this is the first rejected attempt of a block, so a flood is audited only once. */
async function isFirstRefusal(sql: Queries, attempt: SignInTry): Promise<boolean> {
  const { place, others } = countsOf(attempt);
  return markBlocked(sql, attempt.tenantId, [place, ...others.map((other) => other.key)]);
}

export async function countFailure(sql: Queries, attempt: SignInTry): Promise<void> {
  for (const { key, rule } of countsOf(attempt).others) await addFailure(sql, attempt.tenantId, key, rule);
  const named = namedKey(attempt);
  if (named !== undefined) await addFailure(sql, ANY_TENANT, named, BY_ADDRESS);
}

export async function countSuccess(sql: Sql, attempt: SignInTry): Promise<void> {
  await forgetFailures(sql, attempt.tenantId, countsOf(attempt).place);
}

// Audit entries of rejected and failed attempts, written together with the counts.

export async function noteThrottled(sql: Sql, attempt: SignInTry, origin: Origin, who: AuditEntry["subject"]) {
  await sql.beginFor(attempt.tenantId, async (tx) => {
    if (await isFirstRefusal(tx, attempt))
      await recordAudit(tx, attempt.tenantId, origin, { kind: "SignIn.Throttled", subject: who });
  });
}

export async function noteFailure(sql: Sql, attempt: SignInTry, origin: Origin, entry: AuditEntry) {
  await sql.beginFor(attempt.tenantId, async (tx) => {
    await recordAudit(tx, attempt.tenantId, origin, entry);
    await countFailure(tx, attempt);
  });
}

export interface Trouble {
  problem: string;
  status: number;
  headers?: Record<string, string>;
}

/** @param wrong the message for a wrong value @returns undefined if the value was right */
export function troubleOf(result: CheckOutcome, wrong: string, language: texts.Language): Trouble | undefined {
  if (result.outcome === "right") return undefined;
  return result.outcome === "wrong" ? { problem: wrong, status: 422 } : throttled(result.retryAfter, language);
}

export function throttled(seconds: number, { t, locale }: texts.Language): Trouble {
  const isShort = seconds < 60;
  const time = texts.unit(locale, isShort ? seconds : Math.ceil(seconds / 60), isShort ? "second" : "minute");
  return {
    problem: texts.fill(t.tooManyAttempts, { time }),
    status: 429,
    headers: { "retry-after": String(seconds) },
  };
}

export type CheckOutcome = { outcome: "right" } | { outcome: "wrong" } | { outcome: "throttled"; retryAfter: number };
