// Claims beside the subject: a user's own (OIDC Core 5.1 and 5.4), and those that an administrator has added.

import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import { type Actor, listGroupNames, listRoleNames } from "../../records/index.ts";
import type { MappedClaim } from "./claim-mapping.ts";
import { findUserClaims, type UserRow } from "./claims.store.ts";
import type { Client } from "./clients/store.ts";
import type { Target } from "./resources.ts";

/** The subject of a token: a user, or without userId the client itself. */
interface Subject {
  userId?: number;
  scopes: string[];
}

/** Claims of an access token, as configured in the API, or for the entity API in the client. */
export function accessTokenClaims(
  sql: Queries,
  client: Client,
  target: Target,
  { userId, scopes }: Subject,
): Promise<Claims> {
  const names = target?.includeClaims ? claimNamesOf(scopes) : [];
  return claimsAbout(sql, client.tenantId, actorOf(client, userId), names, (target ?? client).claimMapping);
}

/** @param names claims requested by the claims parameter (OIDC Core 5.5) */
export function idTokenClaims(
  sql: Queries,
  client: Client,
  { userId, scopes }: Subject,
  names: string[] = [],
): Promise<Claims> {
  const all = client.idTokenClaims ? [...names, ...claimNamesOf(scopes)] : names;
  return claimsAbout(sql, client.tenantId, actorOf(client, userId), all, client.claimMapping);
}

/** @param names requested claims that are still granted @returns undefined if the user is deleted or inactive */
export async function userinfoClaims(
  sql: Queries,
  client: Pick<Client, "id" | "tenantId" | "claimMapping">,
  { userId, scopes }: Required<Subject>,
  names: string[],
): Promise<Claims | undefined> {
  const { tenantId, claimMapping } = client;
  const user = await findUserClaims(sql, tenantId, userId);
  if (!user) return undefined;
  const mapped = await mappedClaims(sql, tenantId, actorOf(client, userId), user, claimMapping);
  return { ...claimsOf(user, [...claimNamesOf(scopes), ...names]), ...mapped };
}

function actorOf({ id }: Pick<Client, "id">, userId: number | undefined): Actor {
  return userId === undefined ? { type: "Application", id } : { type: "User", id: userId };
}

async function claimsAbout(
  sql: Queries,
  tenantId: TenantId,
  actor: Actor,
  names: string[],
  mapping: MappedClaim[],
): Promise<Claims> {
  const needsUser = names.length > 0 || mapping.some(({ From }) => !WITHOUT_USER.includes(From));
  const user = needsUser && actor.type === "User" ? await findUserClaims(sql, tenantId, actor.id) : undefined;
  return { ...(user && claimsOf(user, names)), ...(await mappedClaims(sql, tenantId, actor, user, mapping)) };
}

async function mappedClaims(
  sql: Queries,
  tenantId: TenantId,
  actor: Actor,
  user: UserRow | undefined,
  mapping: MappedClaim[],
): Promise<Claims> {
  const roles = mapping.some(({ From }) => From === "Roles") ? await listRoleNames(sql, tenantId, actor) : [];
  const groups = mapping.some(({ From }) => From === "Groups") ? await groupsOf(sql, tenantId, actor) : [];
  const isTooMany = groups.length > MAX_GROUPS;
  const sourceOf = ({ From, Value }: MappedClaim): ClaimValue | null | undefined => {
    if (From === "Roles") return roles;
    if (From === "Groups") return isTooMany ? undefined : groups;
    if (From === "Constant") return Value;
    // Values of an attribute that was removed from the tenant's UserAttributes are gone.
    if (From === "Attribute")
      return user && Object.hasOwn(user.attributes, Value!) ? user.attributes[Value!] : undefined;
    return user && FIELDS[From](user);
  };
  const values = mapping.map((one): [string, ClaimValue | null | undefined] => [one.Claim, sourceOf(one)]);
  const isThere = (entry: (typeof values)[number]): entry is [string, ClaimValue] => (entry[1] ?? "") !== "";
  return { ...Object.fromEntries(values.filter(isThere)), ...(isTooMany && { hasgroups: true }) };
}

const WITHOUT_USER = ["Roles", "Groups", "Constant"];

/** With more groups, a token has the claim `hasgroups` instead, as Microsoft Entra's tokens do. */
const MAX_GROUPS = 100;

const groupsOf = async (sql: Queries, tenantId: TenantId, { type, id }: Actor) =>
  type === "User" ? listGroupNames(sql, tenantId, id, MAX_GROUPS) : [];

const FIELDS: Record<
  Exclude<MappedClaim["From"], "Roles" | "Groups" | "Constant" | "Attribute">,
  (user: UserRow) => string | null
> = {
  Name: (user) => user.name,
  GivenName: (user) => user.givenName,
  FamilyName: (user) => user.familyName,
  Username: (user) => user.username,
  Email: (user) => user.email,
  MobilePhone: (user) => user.mobilePhone,
  External_Id: (user) => user.externalId,
  Department: (user) => user.department,
};

export type Claims = Record<string, ClaimValue>;
type ClaimValue = string | number | boolean | string[] | { formatted: string };

const CLAIMS: Record<string, (user: UserRow) => ClaimValue | null> = {
  name: (user) => user.name,
  given_name: (user) => user.givenName,
  family_name: (user) => user.familyName,
  preferred_username: (user) => user.username,
  middle_name: (user) => user.middleName,
  nickname: (user) => user.nickname,
  profile: (user) => user.profile,
  picture: (user) => user.picture,
  website: (user) => user.website,
  gender: (user) => user.gender,
  birthdate: (user) => user.birthDate,
  zoneinfo: (user) => user.zoneInfo,
  locale: (user) => user.locale,
  email: (user) => user.email,
  email_verified: (user) => (user.email ? user.emailVerified : null),
  phone_number: (user) => user.mobilePhone,
  phone_number_verified: (user) => (user.mobilePhone ? user.phoneVerified : null),
  address: (user) => (user.address ? { formatted: user.address } : null),
  updated_at: (user) => Math.floor(user.updatedOn.getTime() / 1000),
};

export const KNOWN_CLAIMS = Object.keys(CLAIMS);

export function isKnownClaim(name: string): boolean {
  return Object.hasOwn(CLAIMS, name);
}

/** OIDC Core 5.4; the scope `name` gives only the name. */
const CLAIMS_OF_SCOPE: Record<string, string[]> = {
  profile: [
    ...["name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
    ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
  ],
  name: ["name"],
  email: ["email", "email_verified"],
  phone: ["phone_number", "phone_number_verified"],
  address: ["address"],
};

export function claimNamesOf(scopes: Iterable<string>): string[] {
  return [...scopes].flatMap((scope) => (Object.hasOwn(CLAIMS_OF_SCOPE, scope) ? CLAIMS_OF_SCOPE[scope]! : []));
}

/** The claims requested by name that one of the scopes includes (OIDC Core 5.5 grants no others). */
export function claimsGiven(names: string[], scopes: readonly string[]): string[] {
  const given = claimNamesOf(scopes);
  return names.filter((name) => given.includes(name));
}

function claimsOf(user: UserRow, names: string[]): Claims {
  const claims: Claims = {};
  for (const name of names) {
    const value = isKnownClaim(name) ? CLAIMS[name]!(user) : null;
    if (value !== null && value !== "") claims[name] = value;
  }
  return claims;
}
