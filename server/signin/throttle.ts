// How guessing is slowed down. The counts stand in PostgreSQL, so they hold for all processes.

import { createHash } from "node:crypto";
import { type AuditEntry, type Origin, recordAudit } from "../audit/index.ts";
import type { Queries, Sql } from "../db/sql.ts";
import type { TenantId } from "../ids.ts";
import {
  addFailure,
  type FailureRule,
  forgetFailures,
  markBlocked,
  secondsBlocked,
  takeAttempt,
} from "./throttle.store.ts";

/** One account at one address, or in one known browser. */
const AT_ONE_PLACE: FailureRule = { free: 5, most: 15 * 60 };
/** One address, whatever the account; a company's people share one. */
const BY_ADDRESS: FailureRule = { free: 50, most: 15 * 60 };
/** One account, from wherever. A minute keeps its owner from being shut out on a new device, too. */
const BY_ACCOUNT: FailureRule = { free: 20, most: 60 };

export interface Attempt {
  tenantId: TenantId;
  /** Of a password: the key of the user name that was typed, for an unknown account is slowed down like a known one; else the user's Id. */
  account: string;
  factor: "password" | "second";
  address: string;
  /** A cookie of a browser in which this account's owner has signed in before. */
  knownDevice: Buffer | undefined;
  /** The account's owner has signed in from this address before. */
  knownAddress: boolean;
  /** Anybody can have named the tenant, and there need not be one: then nobody gets more attempts by more names. */
  isNamed?: boolean;
}

/** What counts for all tenants that can be named stands under this id, which none has. */
export const ANY_TENANT = "00000000-0000-0000-0000-000000000000" as TenantId;

/** The counts an attempt falls under. */
interface Counts {
  place: string;
  others: { key: string; rule: FailureRule }[];
}

/**
 * What a stranger does counts against the stranger's address and, slowly, against the account. The owner's known
 * browser has a count of its own, and a known address is free of the account's, so neither waits for a stranger.
 */
function countsOf({ account, factor, address, knownDevice, knownAddress }: Attempt): Counts {
  if (knownDevice) return { place: keyOf("device", factor, account, knownDevice.toString("hex")), others: [] };
  const others = [{ key: keyOf("address", address), rule: BY_ADDRESS }];
  if (!knownAddress) others.push({ key: keyOf("account", factor, account), rule: BY_ACCOUNT });
  return { place: keyOf("place", factor, account, address), others };
}

/** Of an address, whatever the tenant; undefined: the attempt is at a tenant that is there, or by an account's owner. */
function namedKey({ isNamed, address, knownDevice }: Attempt): string | undefined {
  return isNamed && !knownDevice ? keyOf("address", address) : undefined;
}

function keyOf(...parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/**
 * Counts an attempt at its place before the password or code is looked at, so that parallel guesses gain nothing.
 * @returns seconds to wait, or undefined if the attempt may be made
 */
export async function admit(sql: Sql, attempt: Attempt): Promise<number | undefined> {
  const named = namedKey(attempt);
  const wait = named === undefined ? 0 : await secondsBlocked(sql, ANY_TENANT, [named]);
  if (wait > 0) return wait;
  const { place, others } = countsOf(attempt);
  const keys = others.map((other) => other.key);
  if (await takeAttempt(sql, attempt.tenantId, place, AT_ONE_PLACE, keys)) return undefined;
  return Math.max(1, await secondsBlocked(sql, attempt.tenantId, [place, ...keys]));
}

/** Whether this is the first attempt that is refused since it was last blocked: a flood is told of but once. */
async function isFirstRefusal(sql: Queries, attempt: Attempt): Promise<boolean> {
  const { place, others } = countsOf(attempt);
  return markBlocked(sql, attempt.tenantId, [place, ...others.map((other) => other.key)]);
}

export async function countFailure(sql: Queries, attempt: Attempt): Promise<void> {
  for (const { key, rule } of countsOf(attempt).others) await addFailure(sql, attempt.tenantId, key, rule);
  const named = namedKey(attempt);
  if (named !== undefined) await addFailure(sql, ANY_TENANT, named, BY_ADDRESS);
}

export async function countSuccess(sql: Sql, attempt: Attempt): Promise<void> {
  await forgetFailures(sql, attempt.tenantId, countsOf(attempt).place);
}

// What the audit log has of attempts that are not taken, together with what they count.

/** @param who it was tried on, if that is known */
export async function noteThrottled(sql: Sql, attempt: Attempt, origin: Origin, who: AuditEntry["subject"]) {
  await sql.beginFor(attempt.tenantId, async (tx) => {
    if (await isFirstRefusal(tx, attempt))
      await recordAudit(tx, attempt.tenantId, origin, { kind: "SignIn.Throttled", subject: who });
  });
}

export async function noteFailure(sql: Sql, attempt: Attempt, origin: Origin, entry: AuditEntry) {
  await sql.beginFor(attempt.tenantId, async (tx) => {
    await recordAudit(tx, attempt.tenantId, origin, entry);
    await countFailure(tx, attempt);
  });
}

// What a page says, and by which status, of an attempt that was not taken.

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

/** Whether a code, or a password, was right. */
export type CheckOutcome = { outcome: "right" } | { outcome: "wrong" } | { outcome: "throttled"; retryAfter: number };
