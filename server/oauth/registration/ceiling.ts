// An administrator outranks a registration: what one has set, a client's own change may narrow, and never widen or undo.

import type { Ceiling } from "../clients/ceilings.store.ts";
import type { Credentials } from "../clients/credentials.ts";

/** Lists of which a client may give up some. */
const NARROWED = ["RedirectUris", "PostLogoutRedirectUris", "GrantTypes", "Scopes"];
/** Demands that a client may add to itself. */
const DEMANDS = ["RequirePar", "RequireSignedRequestObject", "DpopBound"];
/** Where its answers and logout tokens go, and what it proves itself by. */
const IDENTITY = [
  ["RedirectUris"],
  ["PostLogoutRedirectUris"],
  ["BackchannelLogoutUri"],
  ["ClientType", "TokenEndpointAuthMethod"],
  ["Jwks", "JwksUri"],
  ["TlsClientAuthName", "TlsClientAuthValue"],
];
/** Fields that mean something together: what holds one of them holds all. */
const TOGETHER = [...IDENTITY, ["SubjectType", "SectorIdentifierUri"]];

/** The fields that an administrator holds. */
export function heldFields({ set, isTrusted }: Pick<Ceiling, "set" | "isTrusted">): ReadonlySet<string> {
  const names = isTrusted ? [...set, ...IDENTITY.flat(), "Secrets"] : set;
  return new Set(names.flatMap((name) => TOGETHER.find((together) => together.includes(name)) ?? [name]));
}

/** What is given of what a client asks for itself. All other fields are as an administrator has set them. */
export function withinCeiling(before: Credentials, asked: Credentials, ceiling: Ceiling): Credentials {
  const held = [...heldFields(ceiling)].filter((name) => columnOf(name) in asked);
  const given = held.map((name) => {
    const column = columnOf(name);
    return [column, narrowed(name, before[column], asked[column])];
  });
  return { ...asked, ...Object.fromEntries(given) };
}

/** A list that has nothing of what it had is refused whole, and stays. */
function narrowed(name: string, before: unknown, asked: unknown): unknown {
  if (DEMANDS.includes(name)) return before === true || asked === true;
  if (!NARROWED.includes(name)) return before;
  const [had, wanted] = [before as string[], asked as string[]];
  const kept = wanted.filter((one) => had.includes(one));
  return kept.length === 0 && wanted.length > 0 ? had : kept;
}

/** What people are shown; undefined: it stays as it is. */
export function shownWithin({ name, webSite }: { name: string; webSite: string }, ceiling: Ceiling) {
  const held = heldFields(ceiling);
  return { name: held.has("Name") ? undefined : name, webSite: held.has("WebSiteURL") ? undefined : webSite };
}

/**
 * Whoever holds the registration access token has become somebody else for all that an administrator can know, so what
 * was given to the client ends.
 */
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
