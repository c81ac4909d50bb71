// From a provider's claims to who the user is, and what is known of them.

import type { Vouched } from "../../entities/index.ts";
import { asTyped, isText } from "../../http/fields.ts";
import { UpstreamFailure } from "./failure.ts";
import { MAPPED_FIELDS, type MappedField, type Mapping, type Provider } from "./providers/store.ts";

/** Fields of a User, by their names. */
export type UserFields = Partial<Record<MappedField, string>>;

/** Whom a provider has signed in. */
export interface UpstreamIdentity {
  /** Who speaks of the subject. */
  authority: string;
  subject: string;
  fields: UserFields;
  /** Of the fields, what the provider vouches for. */
  verified: Vouched;
  /** The organisations there that the user is of: Google's `hd`, Microsoft's `tid`. */
  tenants: string[];
  /** Seconds since 1970, if the provider says when the user has signed in there. */
  authTime: number | undefined;
  /** Its id_token, sealed, in base64url; only where signing out there is wished for. */
  idTokenHint?: string;
}

/** What such an id_token is sealed for. */
export const ID_TOKEN_HINT_PURPOSE = "identity provider's id_token";

export type Claims = Record<string, unknown>;

const TENANT_CLAIMS = ["hd", "tid"];

/** OIDC Core 2: 255 ASCII characters; others may have more. */
export const SUBJECT_LIMIT = 500;

/** @throws UpstreamFailure if the claims name nobody */
export function toIdentity(authority: string, mapping: Mapping, claims: Claims): UpstreamIdentity {
  const subject = textOf(claims[mapping.Subject ?? "sub"]);
  if (subject === undefined || subject.length > SUBJECT_LIMIT) {
    throw new UpstreamFailure("untrusted", "the claims name no subject");
  }
  const fields: UserFields = {};
  // An address that the provider has not verified may be somebody else's: nothing is matched by it or told by it,
  // whatever field it would stand in.
  const isVerified = isTrue(claims[mapping.EmailVerified ?? "email_verified"]);
  const isAddress = (claim: string) => claim === "email" || claim === mapping.Email;
  for (const field of MAPPED_FIELDS) {
    const claim = mapping[field];
    const value = claim === undefined || (isAddress(claim) && !isVerified) ? undefined : textOf(claims[claim]);
    if (value !== undefined) fields[field] = asTyped(value);
  }
  const verified: Vouched = { Email: fields.Email };
  if (mapping.MobilePhone === "phone_number" && isTrue(claims.phone_number_verified))
    verified.MobilePhone = fields.MobilePhone;
  const authTime = typeof claims.auth_time === "number" ? claims.auth_time : undefined;
  const tenants = TENANT_CLAIMS.flatMap((claim) => textOf(claims[claim]) ?? []);
  return { authority, subject, fields, verified, tenants, authTime };
}

/** One address in its plain form: another may be read as of another domain than the one it is delivered to. */
const ADDRESS = /^[^\s@,;:<>()[\]\\"]+@([^\s@]+)$/;

type Rules = Pick<Provider, "allowedDomains" | "allowedTenants" | "requireVerifiedEmail">;

/** Whether a provider's rules let it make a User of somebody; each rule that there is has to be kept. */
export function mayComeIn(
  { allowedDomains, allowedTenants, requireVerifiedEmail }: Rules,
  { Email: email }: Vouched,
  tenants: string[],
): boolean {
  const domain = ADDRESS.exec(email ?? "")?.[1]?.toLowerCase() ?? "";
  if (requireVerifiedEmail && email === undefined) return false;
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) return false;
  return allowedTenants.length === 0 || tenants.some((tenant) => allowedTenants.includes(tenant));
}

/** How a page names whom a provider has signed in. */
export function whoIs({ fields: { Name: name, Email: email, Username: username }, subject }: UpstreamIdentity): string {
  const account = email ?? username ?? subject;
  return name === undefined || name === account ? account : `${name} (${account})`;
}

/** The names of the claims that a mapping asks for. */
export function claimsNeeded(mapping: Mapping): string[] {
  return Object.values(mapping);
}

function textOf(value: unknown): string | undefined {
  if (isText(value) && value.trim() !== "") return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Some providers write it as text (Apple's `email_verified`), or as a number, or both (Entra's `xms_edov`). */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === "string" && /^(true|1)$/i.test(value));
}
