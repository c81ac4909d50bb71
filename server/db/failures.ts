// What a statement fails with: PostgreSQL away, or a rule of our own schema.

import postgres from "postgres";
import { Conflict } from "../errors.ts";

/** The driver's own words for a connection that is gone or was not to be had. */
const LOST = /^CONNECT(ION)?_(CLOSED|ENDED|DESTROYED|TIMEOUT)$/;
/** What the system says of a connection; an outgoing call may meet the same, but its failure belongs to no query. */
const UNREACHABLE = /^(ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EMFILE)/;
/**
 * SQLSTATE (PostgreSQL's appendix A): connections that fail (08), logins that are refused (28), a database that is not
 * there (3D000), a machine at its limits (53), a shutdown, a crash or a recovery (57P), input and output (58).
 */
const AWAY = /^(08|28|3D000|53|57P0[1-5]|58)/;
const READ_ONLY = "25006";
/** PostgreSQL's, for ENOSPC too. */
export const DISK_FULL = "53100";

export type Outage = "away" | "read-only" | "disk-full";

/** @returns undefined if the failure is of another kind */
export function outageOf(error: unknown): Outage | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (typeof code !== "string") return undefined;
  if (code === READ_ONLY) return "read-only";
  if (code === DISK_FULL) return "disk-full";
  const isOurs = error instanceof postgres.PostgresError || "query" in (error as Error);
  return LOST.test(code) || (isOurs && (UNREACHABLE.test(code) || AWAY.test(code))) ? "away" : undefined;
}

// What our own triggers refuse, as the caller is told of it.

const REFUSALS: Record<string, string> = {
  users_username_own: "Username is another User's too, and who can sign in needs one of their own.",
  tenants_settings_client_id_fkey: "By this Application people sign in to Settings, so it cannot be deleted.",
};

/** @returns undefined if it is another failure */
export function refusalOf(error: unknown): Conflict | undefined {
  const name = (error as { constraint_name?: string } | undefined)?.constraint_name ?? "";
  return Object.hasOwn(REFUSALS, name) ? new Conflict(REFUSALS[name]!) : undefined;
}
