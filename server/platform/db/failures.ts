// Classifies failures of statements: PostgreSQL outages, and conflicts with our schema's rules.

import postgres from "postgres";
import { Conflict } from "../errors.ts";

/** The driver's codes for a lost or failed connection. */
const LOST = /^CONNECT(ION)?_(CLOSED|ENDED|DESTROYED|TIMEOUT)$/;
/** An outage, as the driver describes its own. */
export function connectionFailure(code: `CONNECT${"_TIMEOUT" | `ION_${"CLOSED" | "ENDED" | "DESTROYED"}`}`): Error {
  return Object.assign(new Error(`${code}: no session with PostgreSQL`), { code });
}

/** System errors of connections. Outgoing calls may have the same, but not in queries. */
const UNREACHABLE = /^(ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EMFILE)/;
/**
 * SQLSTATE (appendix A): connections (08), an idle transaction that was ended (25P03), logins (28), no database (3D000),
 * resources (53), stop (57P), I/O (58).
 */
const AWAY = /^(08|25P03|28|3D000|53|57P0[1-5]|58)/;
export const FOREIGN_KEY_VIOLATION = "23503";
export const READ_ONLY = "25006";
/** Also PostgreSQL's code for ENOSPC. */
export const DISK_FULL = "53100";

/** SQLSTATE: unsupported (0A), privileges and definitions (42), prerequisites such as a key (55000), damage (XX). */
export const REJECTED = /^(0A|42|55000|XX)/;

export type Outage = "away" | "read-only" | "disk-full";

/** @returns undefined for other failures */
export function outageOf(error: unknown): Outage | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (typeof code !== "string") return undefined;
  if (code === READ_ONLY) return "read-only";
  if (code === DISK_FULL) return "disk-full";
  const isOurs = error instanceof postgres.PostgresError || "query" in (error as Error);
  return LOST.test(code) || (isOurs && (UNREACHABLE.test(code) || AWAY.test(code))) ? "away" : undefined;
}

/** PostgreSQL's code for a statement ended by statement_timeout or by an administrator. */
export const CANCELLED = "57014";
export const LOCK_NOT_AVAILABLE = "55P03";

/** @returns undefined for other failures */
export function timeoutOf(error: unknown): "slow" | "locked" | undefined {
  const { code } = (error ?? {}) as { code?: string };
  return code === CANCELLED ? "slow" : code === LOCK_NOT_AVAILABLE ? "locked" : undefined;
}

// Conflicts that our triggers and concurrent callers cause.

/** Another caller was faster, so the transaction is repeated. @param refusal the answer if that does not help */
export class Raced extends Error {
  constructor(readonly refusal: Conflict) {
    super(refusal.message);
  }
}

export const DEADLOCK = "40P01";

export const KEY_IN_PROGRESS = "A request with this Idempotency-Key is in progress. Repeat it later.";

const REFUSALS: Record<string, string> = {
  users_username_own: "Username is already used by another User, and a User who can sign in needs a unique one.",
  idempotency_keys_reservation: KEY_IN_PROGRESS,
  tenants_settings_client_id_fkey: "This is the Application of Settings, which cannot be deleted.",
};

/** @returns undefined for other failures */
export function refusalOf(error: unknown): Conflict | undefined {
  if (error instanceof Raced) return error.refusal;
  const { constraint_name = "", code } = (error ?? {}) as { constraint_name?: string; code?: string };
  if (code === DEADLOCK) return new Conflict("Another caller keeps changing the same records. Try again.");
  return Object.hasOwn(REFUSALS, constraint_name) ? new Conflict(REFUSALS[constraint_name]!) : undefined;
}
