// What we can say of a user (OIDC Core 5.1 and 5.4).

import type { Queries } from "../../db/connection.ts";
import type { TenantId } from "../../tenant-id.ts";
import { findUserClaims, type UserRow } from "./store.ts";

type ClaimValue = string | number | boolean;

const CLAIMS: Record<string, (user: UserRow) => ClaimValue | null> = {
  name: (user) => user.name,
  preferred_username: (user) => user.username,
  email: (user) => user.email,
  email_verified: (user) => (user.email ? user.email === user.verifiedEmail : null),
  phone_number: (user) => user.mobilePhone,
  phone_number_verified: (user) => (user.mobilePhone ? user.mobilePhone === user.verifiedPhone : null),
  updated_at: (user) => Math.floor(user.updatedOn.getTime() / 1000),
};

export const KNOWN_CLAIMS = Object.keys(CLAIMS);

export function isKnownClaim(name: string): boolean {
  return Object.hasOwn(CLAIMS, name);
}

/** The scope `name` gives the name alone; a User has no postal address, so `address` gives nothing. */
const CLAIMS_OF_SCOPE: Record<string, string[]> = {
  profile: ["name", "preferred_username", "updated_at"],
  name: ["name"],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
};

export function claimNamesOf(scopes: Iterable<string>): string[] {
  return [...scopes].flatMap((scope) => (Object.hasOwn(CLAIMS_OF_SCOPE, scope) ? CLAIMS_OF_SCOPE[scope]! : []));
}

/** @returns of those names the claims we know and the user has a value for */
export function claimsOf(user: UserRow, names: string[]): Record<string, ClaimValue> {
  const claims: Record<string, ClaimValue> = {};
  for (const name of names) {
    const value = isKnownClaim(name) ? CLAIMS[name]!(user) : null;
    if (value !== null && value !== "") claims[name] = value;
  }
  return claims;
}

/** For an id_token: claims that the claims parameter asked for by name. */
export async function claimsByName(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  names: string[],
): Promise<Record<string, ClaimValue>> {
  const user = names.length > 0 ? await findUserClaims(sql, tenantId, userId, undefined) : undefined;
  return user ? claimsOf(user, names) : {};
}
