// Administrators override registrations: a client may narrow what an administrator has set, but not widen or undo it.

import type { Ceiling } from "../clients/ceilings.store.ts";
import type { Credentials } from "../clients/contract.ts";

const NARROWED = ["RedirectUris", "PostLogoutRedirectUris", "GrantTypes", "Scopes"];
const DEMANDS = ["RequirePar", "RequireSignedRequestObject", "DpopBound"];
/** Destinations of responses and logout tokens, and authentication. */
const IDENTITY = [
  ["RedirectUris"],
  ["PostLogoutRedirectUris"],
  ["BackchannelLogoutUri"],
  ["ClientType", "TokenEndpointAuthMethod"],
  ["Jwks", "JwksUri"],
  ["TlsClientAuthName", "TlsClientAuthValue"],
];
/** Fields that depend on each other: an administrator's value for one protects all. */
const TOGETHER = [...IDENTITY, ["SubjectType", "SectorIdentifierUri"]];

export function heldFields({ set, isTrusted }: Pick<Ceiling, "set" | "isTrusted">): ReadonlySet<string> {
  const names = isTrusted ? [...set, ...IDENTITY.flat(), "Secrets"] : set;
  return new Set(names.flatMap((name) => TOGETHER.find((together) => together.includes(name)) ?? [name]));
}

/** Applies a client's requested changes within the limits. Protected fields keep the administrator's values. */
export function withinCeiling(before: Credentials, asked: Credentials, ceiling: Ceiling): Credentials {
  const held = [...heldFields(ceiling)].filter((name) => columnOf(name) in asked);
  const given = held.map((name) => {
    const column = columnOf(name);
    return [column, narrowed(name, before[column], asked[column])];
  });
  return { ...asked, ...Object.fromEntries(given) };
}

/** A list without any of its former values is rejected and stays unchanged. */
function narrowed(name: string, before: unknown, asked: unknown): unknown {
  if (DEMANDS.includes(name)) return before === true || asked === true;
  if (!NARROWED.includes(name)) return before;
  const [had, wanted] = [before as string[], asked as string[]];
  const kept = wanted.filter((one) => had.includes(one));
  return kept.length === 0 && wanted.length > 0 ? had : kept;
}

/** Names shown to users; undefined: unchanged. */
export function shownWithin({ name, webSite }: { name: string; webSite: string }, ceiling: Ceiling) {
  const held = heldFields(ceiling);
  return { name: held.has("Name") ? undefined : name, webSite: held.has("WebSiteURL") ? undefined : webSite };
}

/** A change of identity fields may mean a new holder, so access granted by administrators ends. */
export function withoutGiven(before: Credentials, after: Credentials, { givenScopes }: Ceiling): Credentials {
  const isAnother = IDENTITY.flat().some((name) => !isSame(before[columnOf(name)], after[columnOf(name)]));
  if (!isAnother) return after;
  const scopes = after.scopes.filter((scope) => !givenScopes.includes(scope));
  return { ...after, firstParty: false, claimMapping: [], scopes };
}

function isSame(before: unknown, after: unknown): boolean {
  const inOrder = (value: unknown) => (Array.isArray(value) ? value.toSorted() : value);
  return Bun.deepEquals(inOrder(before), inOrder(after));
}

const columnOf = (name: string) => (name.charAt(0).toLowerCase() + name.slice(1)) as keyof Credentials;
