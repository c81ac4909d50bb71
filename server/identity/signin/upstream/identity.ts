// Maps a provider's claims to an identity and the User's fields.

import { asTyped, isText, TEXT_LIMIT } from "../../../platform/text.ts";
import type { ownRecords } from "../../../records/index.ts";
import { UpstreamFailure } from "./failure.ts";
import type { Provider } from "./providers/contract.ts";
import { MAPPED_FIELDS, type MappedField, type Mapping } from "./providers/provider-words.ts";

export type UserFields = Partial<Record<MappedField, string>>;

export interface UpstreamIdentity {
  /** The namespace of the subject. */
  authority: string;
  subject: string;
  fields: UserFields;
  /** The fields that the provider vouches for. */
  verified: ownRecords.Vouched;
  /** The user's organisations at the provider: Google's `hd`, Microsoft's `tid`. */
  tenants: string[];
  /** Seconds since 1970, if the provider reports the time of authentication. */
  authTime: number | undefined;
  /** The provider's id_token, sealed, in base64url; kept only for signing out there. */
  idTokenHint?: string;
}

export const ID_TOKEN_HINT_PURPOSE = "identity provider's id_token";

export type ProviderClaims = Record<string, unknown>;

const TENANT_CLAIMS = ["hd", "tid"];

/** OIDC Core 2 allows 255 ASCII characters; other providers may use more. */
export const SUBJECT_LIMIT = 500;

/** @throws UpstreamFailure if the claims have no subject */
export function toIdentity(authority: string, mapping: Mapping, claims: ProviderClaims): UpstreamIdentity {
  const subject = textOf(claimAt(claims, mapping.Subject ?? "sub"), SUBJECT_LIMIT);
  if (subject === undefined) {
    throw new UpstreamFailure("untrusted", "the claims name no subject");
  }
  const fields: UserFields = {};
  // An unverified address may belong to someone else, so no field is filled from it and no match uses it.
  const isVerified = isTrue(claimAt(claims, mapping.EmailVerified ?? "email_verified"));
  const isAddress = (claim: string) => claim === "email" || claim === mapping.Email;
  for (const field of MAPPED_FIELDS) {
    const claim = mapping[field];
    const value = claim === undefined || (isAddress(claim) && !isVerified) ? undefined : textOf(claimAt(claims, claim));
    const text = value && asTyped(value, TEXT_LIMIT).text;
    if (text !== undefined) fields[field] = text;
  }
  // Apple sends only the parts.
  const parts = [fields.GivenName, fields.FamilyName].filter((part) => part !== undefined);
  if (mapping.Name && fields.Name === undefined && parts.length > 0) fields.Name = parts.join(" ");
  const verified: ownRecords.Vouched = { Email: fields.Email };
  if (mapping.MobilePhone === "phone_number" && isTrue(claims.phone_number_verified))
    verified.MobilePhone = fields.MobilePhone;
  const authTime = typeof claims.auth_time === "number" ? claims.auth_time : undefined;
  const tenants = TENANT_CLAIMS.flatMap((claim) => textOf(claims[claim]) ?? []);
  return { authority, subject, fields, verified, tenants, authTime };
}

/** One plain address: others could be parsed as a different domain than the one that receives the mail. */
const ADDRESS = /^[^\s@,;:<>()[\]\\"]+@([^\s@]+)$/;

type Rules = Pick<Provider, "allowedDomains" | "allowedTenants" | "requireVerifiedEmail">;

/** Whether a provider's rules allow creating a User. All rules that are set must match. */
export function mayComeIn(
  { allowedDomains, allowedTenants, requireVerifiedEmail }: Rules,
  { Email: email }: ownRecords.Vouched,
  tenants: string[],
): boolean {
  const domain = ADDRESS.exec(email ?? "")?.[1]?.toLowerCase() ?? "";
  if (requireVerifiedEmail && email === undefined) return false;
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) return false;
  return allowedTenants.length === 0 || tenants.some((tenant) => allowedTenants.includes(tenant));
}

export function whoIs({ fields: { Name: name, Email: email, Username: username }, subject }: UpstreamIdentity): string {
  const account = email ?? username ?? subject;
  return name === undefined || name === account ? account : `${name} (${account})`;
}

export function lacksClaims(mapping: Mapping, claims: ProviderClaims): boolean {
  return Object.values(mapping).some((name) => claimAt(claims, name) === undefined);
}

/** A claim by its name, which may contain dots, or by the path to it, such as `data.id` or `emails.0.value`. */
function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== "object" || claims === null) return undefined;
  for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
    const name = path.slice(0, end);
    if (!Object.hasOwn(claims, name)) continue;
    const value = (claims as ProviderClaims)[name];
    return end === path.length ? value : claimAt(value, path.slice(end + 1));
  }
  return undefined;
}

/** A list of addresses as GitHub's /user/emails. @returns claims with the verified one, or without an address */
export function withListedEmail(mapping: Mapping, claims: ProviderClaims, listed: unknown): [Mapping, ProviderClaims] {
  const own = textOf(claimAt(claims, mapping.Email ?? "email"));
  const all = (Array.isArray(listed) ? listed : []).filter(
    (one) => isTrue(one?.verified) && isText(one.email, TEXT_LIMIT),
  );
  const found = all.find((one) => one.email === own) ?? all.find((one) => isTrue(one.primary));
  // Other fields of the same claim get the listed address, too, because the profile's may be unverified.
  const claim = mapping.Email ?? "email";
  const others = Object.entries(mapping).map(([field, one]) => [field, one === claim ? "email" : one]);
  return [
    { ...Object.fromEntries(others), Email: "email", EmailVerified: "email_verified" },
    { ...claims, email: found?.email, email_verified: found !== undefined },
  ];
}

/** A claim that is not a text, or too long, counts as absent. */
function textOf(value: unknown, max = TEXT_LIMIT): string | undefined {
  if (isText(value, max) && value.trim() !== "") return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Some providers send text (Apple's `email_verified`), numbers, or both (Entra's `xms_edov`). */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === "string" && /^(true|1)$/i.test(value));
}
