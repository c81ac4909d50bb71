// The scope parameter of requests (RFC 6749 3.3), and the scopes that it gets.

import { SCOPE_LIMIT } from "../../records/index.ts";

/** docs/behaviour.md "Authorization request". */
export const DEFAULT_SCOPES = ["openid", "profile", "name"];

export class ScopeNotGranted extends Error {
  constructor(readonly scopes: readonly string[]) {
    super(`The client does not have the scope ${scopes.join(" ")}.`);
  }
}

/**
 * The scopes of a token (docs/access.md "Scopes"): all of the client for `*`, otherwise the requested ones that it has.
 * @param ignored scopes that are treated as not requested
 * @throws ScopeNotGranted if none is left
 */
export function grantedScopes(
  requested: string | undefined,
  owned: string[],
  standard: readonly string[],
  ignored: readonly string[] = [],
): string[] {
  const named = splitScope(requested ?? "").filter((scope) => !ignored.includes(scope));
  const asked = named.length > 0 ? named : standard;
  const own = new Set(owned);
  const granted = asked.includes("*") ? [...owned] : asked.filter((scope) => own.has(scope));
  if (granted.length === 0) throw new ScopeNotGranted(asked);
  return granted;
}

/** Whether a request contains other scopes than these; `*` means all. */
export function asksForOthers(requested: string | undefined, given: string): boolean {
  const named = splitScope(requested ?? "");
  const asked = new Set<string>(named.length > 0 ? named : DEFAULT_SCOPES);
  return !asked.has("*") && asked.symmetricDifference(new Set(splitScope(given))).size > 0;
}

/**
 * Splits a scope parameter. `AccessManager:Create, Update` means two scopes (docs/access.md "Scopes"): a token with a
 * trailing comma lends its prefix to the next. No scope is longer than SCOPE_LIMIT, and a longer prefix would be repeated
 * with each token.
 */
export function splitScope(text: string): string[] {
  const scopes = new Set<string>();
  let lent: string | undefined;
  for (const token of text.split(" ").filter(Boolean)) {
    const lends = token.endsWith(",");
    const word = lends ? token.slice(0, -1) : token;
    const scope: string = lent !== undefined && !word.includes(":") ? `${lent}:${word}` : word;
    lent =
      lends && scope.length <= SCOPE_LIMIT && scope.includes(":") ? scope.slice(0, scope.lastIndexOf(":")) : undefined;
    if (scope !== "") scopes.add(scope);
  }
  return [...scopes];
}
