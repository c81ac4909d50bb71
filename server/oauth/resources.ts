// Targets of access tokens (RFC 8707): the entity API or one API of the tenant.

import { DEFAULT_SCOPES, isOwnScope, SCOPES } from "../access/index.ts";
import { printable } from "../http/body.ts";
import { API_PATH } from "../http/request.ts";
import type { Api } from "./apis/contract.ts";
import { normalAddress } from "./apis/normal-address.ts";
import type { Door } from "./door.ts";
import { TokenError } from "./errors.ts";
import { common } from "./scopes.ts";

/** Represents the entity API among a grant's resources; the others are Ids of APIs. */
export const ENTITY_API = "entity";

/** The target of an access token; undefined: the entity API. */
export type Target = Api | undefined;

/** RFC 8707 2. */
export class InvalidTarget extends Error {}

/** The APIs that a client may request tokens for: those with a scope of the client. Others stay hidden from it. */
export function apisInReach(apis: readonly Api[], { scopes }: { scopes: string[] }): Api[] {
  return apis.filter((api) => scopesOf(api).some((scope) => scopes.includes(scope)));
}

/** The API with this `aud`, in any equivalent spelling. */
export function apiOfAudience(apis: readonly Api[], aud: string): Api | undefined {
  const named = normalAddress(aud);
  return apis.find(({ audience }) => normalAddress(audience) === named);
}

/** The resource that a `resource` parameter names. @param apis in the client's reach @throws InvalidTarget */
export function resourceNamed(apis: readonly Api[], issuer: string, name: string): string {
  const named = normalAddress(name);
  if (["", "/", API_PATH, `${API_PATH}/`].some((path) => normalAddress(issuer + path) === named)) return ENTITY_API;
  const api = apiOfAudience(apis, name);
  if (api) return api.id;
  throw new InvalidTarget(
    `resource must be ${issuer}${API_PATH}, or the Audience of an API that the client has a scope of.`,
  );
}

/** @param asked the resource in the token request @throws TokenError invalid_target */
export function targetOf(apis: readonly Api[], granted: readonly string[], asked: string | undefined): Target {
  if (asked !== undefined && !granted.includes(asked)) {
    throw new TokenError("invalid_target", "resource was not granted.");
  }
  if (asked === ENTITY_API || (asked === undefined && granted.includes(ENTITY_API))) return undefined;
  const [first, ...others] = apis.filter(({ id }) => granted.includes(id) && (asked ?? id) === id);
  if (!first) {
    throw new TokenError("invalid_target", "The granted API no longer exists, or the client has none of its scopes.");
  }
  if (others.length > 0) {
    const names = [first, ...others].map(({ audience }) => audience).join(" or ");
    throw new TokenError("invalid_target", `Several resources were granted: resource must be ${names}.`);
  }
  return first;
}

/** The scopes of a token: only those that its target defines (RFC 9068 2.2.3). */
export function carriedScopes(target: Target, scopes: string[]): string[] {
  return target ? common(scopes, scopesOf(target)) : scopes.filter(isOwnScope);
}

/** The client's scopes that may be requested with these resources; OpenID Connect scopes are always included. */
export function askableWith(apis: readonly Api[], resources: readonly string[], owned: string[]): string[] {
  const ofApis = apis.filter(({ id }) => resources.includes(id)).flatMap(scopesOf);
  const ours = resources.includes(ENTITY_API) ? SCOPES : OPENID_SCOPES;
  return common(owned, [...ours, ...ofApis]);
}

/** Those of docs/behaviour.md, or all of named APIs (RFC 6749 3.3): an API token without scopes would be useless. */
export function standardScopes(door: Door, apis: readonly Api[], resources: readonly string[]): string[] {
  const ofApis = apis.filter(({ id }) => resources.includes(id)).flatMap(scopesOf);
  return door === "spec" || resources.includes(ENTITY_API) ? [...DEFAULT_SCOPES, ...ofApis] : ofApis;
}

/** They describe the user, and give no access to this service. */
export const OPENID_SCOPES: readonly string[] = SCOPES.filter((scope) => !scope.includes(":"));

/** Explains why no requested scope is available. @param apis in the client's reach */
export function withoutScope(apis: readonly Api[], owned: string[], asked: readonly string[]): string {
  const missing = asked.find((scope) => owned.includes(scope) && apis.some((api) => scopesOf(api).includes(scope)));
  const api = apis.find((one) => scopesOf(one).includes(missing ?? ""));
  if (!api) return `The client does not have the scope ${printable(asked.join(" "))}.`;
  return `${missing} is a scope of the API ${api.name}. Request it with resource=${api.audience}.`;
}

function scopesOf({ scopes }: Api): string[] {
  return scopes.map(({ name }) => name);
}
