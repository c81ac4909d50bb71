// The scopes that can be requested.

import { SCOPES } from "../../records/index.ts";
import type { Client } from "./clients/store.ts";

/** They describe the user, and give no access to this service. */
export const OPENID_SCOPES: readonly string[] = SCOPES.filter((scope) => !scope.includes(":"));

/** The client's scopes for a user, limited to those of the user. @param ofRoles the scopes of the user's roles */
export function askableScopes({ scopes }: Pick<Client, "scopes">, ofRoles: readonly string[]): string[] {
  return common(scopes, [...OPENID_SCOPES, ...ofRoles]);
}

/** The scopes of the first list that are not in the other. */
export function without(scopes: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return scopes.filter((scope) => !known.has(scope));
}

/** The scopes in both lists, in the order of the first. */
export function common(scopes: string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return scopes.filter((scope) => known.has(scope));
}
