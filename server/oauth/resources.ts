// What access tokens are for (RFC 8707): the entity API, or an API of the tenant's own, one at a time.

import { DEFAULT_SCOPES, isOwnScope, SCOPES } from "../access/index.ts";
import { printable } from "../http/body.ts";
import { API_PATH } from "../http/request.ts";
import { normalAddress } from "./apis/normal-address.ts";
import type { Api } from "./apis/store.ts";
import type { Door } from "./door.ts";
import { TokenError } from "./errors.ts";
import { common } from "./scopes.ts";

/** Among the resources of a grant, the entity API; all others are APIs' Ids. */
export const ENTITY_API = "entity";

/** What one access token is for; undefined: the entity API. */
export type Target = Api | undefined;

/** RFC 8707 2. */
export class InvalidTarget extends Error {}

/** A client asks for tokens for those APIs that it has a scope of; of all others it hears nothing. */
export function apisInReach(apis: readonly Api[], { scopes }: { scopes: string[] }): Api[] {
  return apis.filter((api) => scopesOf(api).some((scope) => scopes.includes(scope)));
}

/** The API that tokens with this `aud` are for, however the Audience was written when they were issued. */
export function apiOfAudience(apis: readonly Api[], aud: string): Api | undefined {
  const named = normalAddress(aud);
  return apis.find(({ audience }) => normalAddress(audience) === named);
}

/**
 * The resource that a `resource` parameter names.
 * @param apis in the client's reach
 * @throws InvalidTarget
 */
export function resourceNamed(apis: readonly Api[], issuer: string, name: string): string {
  const named = normalAddress(name);
  if (["", "/", API_PATH, `${API_PATH}/`].some((path) => normalAddress(issuer + path) === named)) return ENTITY_API;
  const api = apiOfAudience(apis, name);
  if (api) return api.id;
  throw new InvalidTarget(
    `resource must be ${issuer}${API_PATH}, or the Audience of an API that the client has a scope of.`,
  );
}

/**
 * Which of the resources that were granted a token is for.
 * @param asked the one that the token request names
 * @throws TokenError invalid_target
 */
export function targetOf(apis: readonly Api[], granted: readonly string[], asked: string | undefined): Target {
  if (asked !== undefined && !granted.includes(asked)) {
    throw new TokenError("invalid_target", "resource is none of those that were granted.");
  }
  if (asked === ENTITY_API || (asked === undefined && granted.includes(ENTITY_API))) return undefined;
  const [first, ...others] = apis.filter(({ id }) => granted.includes(id) && (asked ?? id) === id);
  if (!first) {
    throw new TokenError("invalid_target", "The API that was granted is gone, or the client has none of its scopes.");
  }
  if (others.length > 0) {
    const names = [first, ...others].map(({ audience }) => audience).join(" or ");
    throw new TokenError("invalid_target", `Several resources were granted: resource must be ${names}.`);
  }
  return first;
}

/** What a token for it carries: every scope has a meaning where the token is sent (RFC 9068 2.2.3). */
export function carriedScopes(target: Target, scopes: string[]): string[] {
  return target ? common(scopes, scopesOf(target)) : scopes.filter(isOwnScope);
}

/** Of a client's own scopes, those that may be asked for with these resources; those of OpenID Connect with any. */
export function askableWith(apis: readonly Api[], resources: readonly string[], owned: string[]): string[] {
  const ofApis = apis.filter(({ id }) => resources.includes(id)).flatMap(scopesOf);
  const ours = resources.includes(ENTITY_API) ? SCOPES : OPENID_SCOPES;
  return common(owned, [...ours, ...ofApis]);
}

/**
 * What counts as asked for where a request names no scope: docs/behaviour.md's default; by RFC 6749 3.3, of APIs that it
 * names all that they have, for a token without a scope is of no use there.
 */
export function standardScopes(door: Door, apis: readonly Api[], resources: readonly string[]): string[] {
  if (door === "spec") return DEFAULT_SCOPES;
  const ofApis = apis.filter(({ id }) => resources.includes(id)).flatMap(scopesOf);
  return resources.includes(ENTITY_API) ? [...DEFAULT_SCOPES, ...ofApis] : ofApis;
}

/** They say who a user is, and give no power over this service. */
export const OPENID_SCOPES: readonly string[] = SCOPES.filter((scope) => !scope.includes(":"));

/** Why nothing is left of the scopes that were asked for, in words. @param apis in the client's reach */
export function withoutScope(apis: readonly Api[], owned: string[], asked: readonly string[]): string {
  const missing = asked.find((scope) => owned.includes(scope) && apis.some((api) => scopesOf(api).includes(scope)));
  const api = apis.find((one) => scopesOf(one).includes(missing ?? ""));
  if (!api) return `The client does not have the scope ${printable(asked.join(" "))}.`;
  return `${missing} is a scope of the API ${api.name}. Ask for it with resource=${api.audience}.`;
}

function scopesOf({ scopes }: Api): string[] {
  return scopes.map(({ name }) => name);
}
