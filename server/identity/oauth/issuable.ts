import { claimNamesOf, claimsGiven } from "./claims.ts";
import type { Allowance, Consent, Destinations } from "./clients/consents.store.ts";
import type { Client } from "./clients/store.ts";
import { TokenError } from "./errors.ts";
import { ENTITY_API } from "./resources.ts";
import { askableScopes, common } from "./scopes.ts";

/** `claims` are all claims requested by name. */
type Granted = Consent & Allowance & { userId: number | null };

/** The part of a grant that the client, the user and the user's consent still allow. */
export function issuable(client: Client, granted: Granted): Consent {
  const { userId, scopes, resources, claims, ofRoles, consent } = granted;
  if (userId === null) return { scopes: common(scopes, client.scopes), resources, claims: [] };
  const askable = askableScopes(client, ofRoles);
  const given = { scopes: common(scopes, askable), resources, claims: claimsGiven(claims, askable) };
  if (client.firstParty) return given;
  const allowed = consent ?? { scopes: [], resources: [], claims: [] };
  return {
    scopes: common(given.scopes, allowed.scopes),
    resources: common(resources, [ENTITY_API, ...allowed.resources]),
    claims: common(given.claims, [...allowed.claims, ...claimNamesOf(allowed.scopes)]),
  };
}

/** The same for a token, which needs at least one scope. @throws TokenError invalid_grant */
export function leftOf(client: Client, granted: Granted): Consent {
  const left = issuable(client, granted);
  if (left.scopes.length > 0) return left;
  throw new TokenError("invalid_grant", "None of the granted scopes is left. Request a new grant.");
}

/** Whether an earlier consent covers the request. Tokens for this service need no separate consent. */
export function isCovered(asked: Consent & Destinations, allowed: (Consent & Destinations) | null): boolean {
  if (!allowed) return false;
  const isWithin = (some: string[], all: string[]) => some.every((one) => all.includes(one));
  return (
    isWithin(asked.scopes, allowed.scopes) &&
    isWithin(asked.resources, [ENTITY_API, ...allowed.resources]) &&
    isWithin(asked.claims, [...allowed.claims, ...claimNamesOf(allowed.scopes)]) &&
    isWithin(asked.destinations, allowed.destinations)
  );
}
