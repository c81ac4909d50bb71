/** Every scope there is. A client's own are the ones granted to it. */
export const SCOPES = [
  "openid",
  "profile",
  "name",
  "email",
  "address",
  "phone",
  "AccessManager:Read",
  "AccessManager:Create",
  "AccessManager:Update",
  "AccessManager:Delete",
  "Settings:Read",
  "Settings:Update",
  "Webhooks:Read",
  "Webhooks:Create",
  "Webhooks:Update",
  "Webhooks:Delete",
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that stand for what is done to a record; a policy has to permit the action of the same name as well. */
export type Action = Extract<Scope, `${string}:${string}`>;
export const ACTIONS = SCOPES.filter((scope): scope is Action => scope.includes(":"));

/** docs/behaviour.md "Authorization request". */
export const DEFAULT_SCOPES = ["openid", "profile", "name"];

/** What a request asked for and the client does not have. */
export class ScopeNotGranted extends Error {
  constructor(readonly scopes: string[]) {
    super(`The client does not have the scope ${scopes.join(" ")}.`);
  }
}

/**
 * The scopes a token will carry (docs/access.md "Scopes"): all the client's for `*`, those of the defaults it has when
 * nothing was asked for, else exactly what was asked for.
 * @param ignored scopes that count as not asked for
 * @throws ScopeNotGranted
 */
export function grantedScopes(
  requested: string | undefined,
  owned: string[],
  ignored: readonly string[] = [],
): string[] {
  const asked = splitScope(requested ?? "").filter((scope) => !ignored.includes(scope));
  if (asked.length === 0) return DEFAULT_SCOPES.filter((scope) => owned.includes(scope));
  if (asked.includes("*")) return [...owned];
  const missing = asked.filter((scope) => !owned.includes(scope));
  if (missing.length > 0) throw new ScopeNotGranted(missing);
  return asked;
}

/**
 * Splits a scope parameter. `AccessManager:Create, Update` stands for two scopes (docs/access.md "Scopes"): a token that
 * ends in a comma lends its prefix to the next.
 */
function splitScope(text: string): string[] {
  const scopes = new Set<string>();
  let lent: string | undefined;
  for (const token of text.split(" ").filter(Boolean)) {
    const lends = token.endsWith(",");
    const word = lends ? token.slice(0, -1) : token;
    const scope: string = lent !== undefined && !word.includes(":") ? `${lent}:${word}` : word;
    lent = lends && scope.includes(":") ? scope.slice(0, scope.lastIndexOf(":")) : undefined;
    if (scope !== "") scopes.add(scope);
  }
  return [...scopes];
}
