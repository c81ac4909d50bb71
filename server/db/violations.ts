// What our own triggers refuse, as the caller is told of it.

import { Conflict } from "../errors.ts";

const REFUSALS: Record<string, string> = {
  users_username_own: "Username is another User's too, and who can sign in needs one of their own.",
  tenants_settings_client_id_fkey: "By this Application people sign in to Settings, so it cannot be deleted.",
};

/** @returns undefined if it is another failure */
export function refusalOf(error: unknown): Conflict | undefined {
  const name = (error as { constraint_name?: string } | undefined)?.constraint_name ?? "";
  return Object.hasOwn(REFUSALS, name) ? new Conflict(REFUSALS[name]!) : undefined;
}
