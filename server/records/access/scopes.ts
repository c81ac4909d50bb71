import { Type } from "@sinclair/typebox";
import { BadInput } from "../../platform/errors.ts";

/** All scopes of this service with their meaning. A client has those granted to it. */
export const SCOPE_TEXTS = {
  openid: "Sign a user in.",
  profile: "The user's profile claims.",
  name: "The user's name.",
  email: "The user's e-mail address.",
  address: "The user's postal address.",
  phone: "The user's phone number.",
  "AccessManager:Read": "Read entity records.",
  "AccessManager:Create": "Create entity records.",
  "AccessManager:Update": "Update entity records.",
  "AccessManager:Delete": "Delete entity records.",
  "AccessManager:Erase": "Erase all data about a person.",
  "Settings:Read": "Read credentials, policies and keys.",
  "Settings:Update": "Change credentials, policies and keys.",
  "Webhooks:Read": "Read webhook connections and the activity log.",
  "Webhooks:Create": "Create webhook connections.",
  "Webhooks:Update": "Update webhook connections.",
  "Webhooks:Delete": "Delete webhook connections.",
} as const;
export type Scope = keyof typeof SCOPE_TEXTS;
export const SCOPES = Object.keys(SCOPE_TEXTS) as readonly Scope[];

/** Scopes of actions on records; a policy must also permit the action of the same name. */
export type ScopeAction = Extract<Scope, `${string}:${string}`>;
export const SCOPE_ACTIONS = SCOPES.filter((scope): scope is ScopeAction => scope.includes(":"));
/** Exchanging a User's token (RFC 8693). Only policies decide; there is no scope for it. */
export const EXCHANGE = "Tokens:Exchange";
export type Action = ScopeAction | typeof EXCHANGE;
export const ACTIONS: readonly Action[] = [...SCOPE_ACTIONS, EXCHANGE];

export function hasScopeFor(action: Action, scopes: ReadonlySet<string>): boolean {
  return action === EXCHANGE || scopes.has(action);
}

/** The maximum number of characters. */
const SCOPE_LIMIT = 100;
/** RFC 6749 3.3, without characters with a special meaning in our scope parameter: `*` and comma. */
export const SCOPE_NAME = `^[\\x21\\x23-\\x29\\x2b\\x2d-\\x5b\\x5d-\\x7e]{1,${SCOPE_LIMIT}}$`;

/** A scope of this service or of a tenant's API. */
export const ANY_SCOPE = Type.Union([
  ...SCOPES.map((scope) => Type.Literal(scope)),
  Type.String({ pattern: SCOPE_NAME, description: "A scope of an Api." }),
]);
export const SCOPES_MUST = `must be a list of ${SCOPES.join(", ")}, and of scopes of APIs.`;

export function isOwnScope(scope: string): scope is Scope {
  return Object.hasOwn(SCOPE_TEXTS, scope);
}

/** @throws BadInput naming unknown scopes */
export function requireKnownScopes(scopes: readonly string[], ofApis: readonly string[], Field = "Scopes"): void {
  const known = new Set(ofApis);
  const unknown = scopes.filter((scope) => !isOwnScope(scope) && !known.has(scope));
  if (unknown.length === 0) return;
  throw BadInput.in(unknown.map((scope) => ({ Field, Message: `${Field}: there is no scope ${scope}.` })));
}

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
