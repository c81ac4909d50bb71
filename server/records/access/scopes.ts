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
  "AccessManager:Import": "Import passwords and second factors of users.",
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
export const SCOPE_LIMIT = 100;
/** RFC 6749 3.3, without characters with a special meaning in our scope parameter: `*` and comma. */
export const SCOPE_NAME = `^[\\x21\\x23-\\x29\\x2b\\x2d-\\x5b\\x5d-\\x7e]{1,${SCOPE_LIMIT}}$`;

/** A list of scopes, of this service and of a tenant's APIs. */
export const SCOPE_LIST = {
  schema: Type.Array(
    Type.Union([
      ...SCOPES.map((scope) => Type.Literal(scope)),
      Type.String({ pattern: SCOPE_NAME, description: "A scope of an Api." }),
    ]),
  ),
  must: `must be a list of ${SCOPES.join(", ")}, and of scopes of APIs.`,
};

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
