// Targets of access tokens (RFC 8707): the entity API or one API of the tenant.

import { printable } from "../../platform/http/body.ts";
import { API_PATH } from "../../platform/http/request.ts";
import { isOwnScope, SCOPES } from "../../records/index.ts";
import type { Api } from "./apis/contract.ts";
import { normalAddress } from "./apis/normal-address.ts";
import type { Door } from "./door.ts";
import { TokenError } from "./errors.ts";
import { DEFAULT_SCOPES, splitScope } from "./scope-parameter.ts";
import { common, OPENID_SCOPES } from "./scopes.ts";

/** Represents the entity API among a grant's resources; the others are Ids of APIs. */
export const ENTITY_API = "entity";

/** The target of an access token; undefined: the entity API. */
export type Target = Api | undefined;

/** RFC 8707 2, or RFC 9068 3 for scopes of several APIs. */
export class InvalidTarget extends Error {
  constructor(
    message: string,
    readonly code: "invalid_target" | "invalid_scope" = "invalid_target",
  ) {
    super(message);
  }
}

/** The APIs that a client may request tokens for: those with a scope of the client. Others stay hidden from it. */
export function apisInReach(apis: readonly Api[], { scopes }: { scopes: string[] }): Api[] {
  const own = new Set(scopes);
  return apis.filter((api) => scopesOf(api).some((scope) => own.has(scope)));
}

/** The API with this `aud`, in any equivalent spelling. */
export function apiOfAudience(apis: readonly Api[], aud: string): Api | undefined {
  const named = normalAddress(aud);
  return apis.find(({ audience }) => normalAddress(audience) === named);
}

/** Different values of `resource`, or of `audience`, in a request. */
export const MAX_RESOURCES = 100;

/**
 * The resources that a request names by `resource` (RFC 8707 2), or by `audience`, which some clients send instead.
 * @param apis in the client's reach @throws InvalidTarget
 */
export function resourcesIn(apis: readonly Api[], issuer: string, request: URLSearchParams): string[] {
  let byAddress: ReturnType<typeof resourcesByAddress> | undefined;
  const named = (parameter: string) => {
    const values = new Set(request.getAll(parameter).filter(Boolean));
    if (values.size > MAX_RESOURCES) {
      throw new InvalidTarget(`${parameter} has ${values.size} different values; the limit is ${MAX_RESOURCES}.`);
    }
    if (values.size > 0) byAddress ??= resourcesByAddress(apis, issuer);
    return [...new Set([...values].map((value) => resourceAt(byAddress!, issuer, value, parameter)))];
  };
  const [resources, audiences] = [named("resource"), named("audience")];
  if (resources.length === 0) return audiences;
  if (audiences.every((audience) => resources.includes(audience))) return resources;
  throw new InvalidTarget("resource and audience name different targets.");
}

/** The resource that the requested scopes imply; undefined if all belong to none. @throws InvalidTarget */
export function resourceImplied(apis: readonly Api[], scope: string | undefined): string | undefined {
  const [implied, other] = resourcesOfScopes(apis, scope);
  if (!implied || !other) return implied?.resource;
  throw new InvalidTarget(
    `${implied.scope} is a scope of the API ${implied.name}, and ${other.scope} of the API ${other.name}. A token is for one API: ` +
      "request the scopes of one, or name it with resource.",
    "invalid_scope",
  );
}

/**
 * The resources of the requested scopes (RFC 9068 3): the name of a scope is unique in the tenant. OpenID Connect scopes
 * and `*` belong to none. @param apis in the client's reach
 */
export function resourcesOfScopes(apis: readonly Api[], requested: string | undefined): ImpliedResource[] {
  let apiOf: Map<string, Api> | undefined;
  const found = new Map<string, ImpliedResource>();
  for (const scope of splitScope(requested ?? "")) {
    if (scope === "*" || OPENID_SCOPES.includes(scope)) continue;
    if (!isOwnScope(scope)) apiOf ??= new Map(apis.flatMap((one) => scopesOf(one).map((name) => [name, one])));
    const api = isOwnScope(scope) ? OWN_API : apiOf?.get(scope);
    if (api && !found.has(api.id)) found.set(api.id, { resource: api.id, name: api.name, scope });
  }
  return [...found.values()];
}

interface ImpliedResource {
  resource: string;
  name: string;
  scope: string;
}

const OWN_API = { id: ENTITY_API, name: "of this service" };

/** The resource of a name. @param apis in the client's reach @throws InvalidTarget */
export function resourceNamed(apis: readonly Api[], issuer: string, name: string): string {
  return resourceAt(resourcesByAddress(apis, issuer), issuer, name, "resource");
}

/** Each audience is normalized once, however many names a request has. */
function resourcesByAddress(apis: readonly Api[], issuer: string): ReadonlyMap<string, string> {
  const own = ["", "/", API_PATH, `${API_PATH}/`].map((path) => [normalAddress(issuer + path), ENTITY_API] as const);
  return new Map([...apis.map(({ id, audience }) => [normalAddress(audience), id] as const), ...own]);
}

function resourceAt(byAddress: ReadonlyMap<string, string>, issuer: string, name: string, parameter: string): string {
  const resource = byAddress.get(normalAddress(name));
  if (resource) return resource;
  throw new InvalidTarget(
    `${parameter} must be ${issuer}${API_PATH}, or the Audience of an API that the client has a scope of.`,
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

/** Explains why no requested scope is available. @param apis in the client's reach */
export function withoutScope(apis: readonly Api[], owned: string[], asked: readonly string[]): string {
  const ofApis = new Set(apis.flatMap(scopesOf));
  const own = new Set(owned.filter((scope) => ofApis.has(scope)));
  const missing = asked.find((scope) => own.has(scope));
  const api = apis.find((one) => scopesOf(one).includes(missing ?? ""));
  if (!api) return `The client does not have the scope ${printable(asked.join(" "))}.`;
  return `${missing} is a scope of the API ${api.name}. Request it with resource=${api.audience}.`;
}

function scopesOf({ scopes }: Api): string[] {
  return scopes.map(({ name }) => name);
}
