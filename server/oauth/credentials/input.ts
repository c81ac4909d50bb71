import { SCOPES } from "../../access/index.ts";
import { BadInput } from "../../errors.ts";
import { printable } from "../../http/body.ts";
import { GRANT_TYPES } from "../grants/index.ts";
import type { ClientType, Credentials } from "../store.ts";
import { defaultsOf } from "./defaults.ts";
import { redirectUriProblem } from "./redirect-uri.ts";

export const MOST_REDIRECT_URIS = 50;
/** Characters. */
export const REDIRECT_URI_LIMIT = 2_000;
/** Of one list; policies may compare it as a whole, many times. */
export const REDIRECT_URIS_LIMIT = 10_000;

export const CLIENT_TYPES = ["confidential", "public", "native"];
export const ACCESS_TOKEN_ALGS = ["EdDSA", "RS256"];
export const ID_TOKEN_ALGS = ["RS256", "ES256", "EdDSA"];

/** Absent fields are left alone, null sets one back. */
export type CredentialsChanges = { [name in keyof Credentials]?: Credentials[name] | null };

type Field = { of: keyof Credentials; fits: (value: unknown) => boolean; expected: string };

const oneOf = (known: readonly string[]) => ({
  fits: (value: unknown) => known.includes(value as string),
  expected: `one of ${known.join(", ")}`,
});
const someOf = (known: readonly string[]) => ({
  fits: (value: unknown) => Array.isArray(value) && value.every((item) => known.includes(item)),
  expected: `a list of ${known.join(", ")}`,
});
const URIS = {
  fits: (value: unknown) =>
    Array.isArray(value) &&
    value.length <= MOST_REDIRECT_URIS &&
    value.every((item) => typeof item === "string" && item.length <= REDIRECT_URI_LIMIT) &&
    value.join("").length <= REDIRECT_URIS_LIMIT,
  expected:
    `a list of at most ${MOST_REDIRECT_URIS} addresses of at most ${REDIRECT_URI_LIMIT} characters, ` +
    `${REDIRECT_URIS_LIMIT} together`,
};

const FIELDS: Record<string, Field> = {
  RedirectUris: { of: "redirectUris", ...URIS },
  PostLogoutRedirectUris: { of: "postLogoutRedirectUris", ...URIS },
  GrantTypes: { of: "grantTypes", ...someOf(GRANT_TYPES) },
  Scopes: { of: "scopes", ...someOf(SCOPES) },
  ClientType: { of: "clientType", ...oneOf(CLIENT_TYPES) },
  AccessTokenAlg: { of: "accessTokenAlg", ...oneOf(ACCESS_TOKEN_ALGS) },
  IdTokenAlg: { of: "idTokenAlg", ...oneOf(ID_TOKEN_ALGS) },
  FirstParty: { of: "firstParty", fits: (value) => typeof value === "boolean", expected: "true or false" },
};

/**
 * A body's changes, each fit by itself.
 * @throws BadInput naming every field that does not fit
 */
export function parseCredentials(body: unknown): CredentialsChanges {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput("The body must be one Credentials object.");
  }
  const changes: Record<string, unknown> = {};
  const problems = Object.entries(body).flatMap(([name, value]) => {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (!field) return `${printable(name)} is no field of Credentials.`;
    if (value !== null && !field.fits(value)) return `${name} must be ${field.expected}.`;
    changes[field.of] = Array.isArray(value) ? [...new Set(value)] : value;
    return [];
  });
  if (problems.length > 0) throw new BadInput(...problems);
  return changes as CredentialsChanges;
}

/** A client that can no longer use client_credentials loses it, if nobody had chosen its grants. */
export function changedCredentials(before: Credentials, changes: CredentialsChanges): Credentials {
  const clientType = changes.clientType === null ? "confidential" : (changes.clientType ?? before.clientType);
  const defaults = defaultsOf(clientType);
  const isChosen = before.grantTypes.join() !== defaultsOf(before.clientType).grantTypes.join();
  const unchosen = isChosen || clientType === "confidential" ? {} : { grantTypes: defaults.grantTypes };
  const given = Object.entries(changes).map(([name, value]) => [name, value ?? defaults[name as keyof Credentials]]);
  return { ...before, ...unchosen, ...Object.fromEntries(given) };
}

/**
 * Whether the fields fit together.
 * @throws BadInput naming all that do not
 */
export function requireSound({ clientType, grantTypes, redirectUris, postLogoutRedirectUris }: Credentials): void {
  const problems = [
    ...uriProblems("RedirectUris", redirectUris, clientType),
    ...uriProblems("PostLogoutRedirectUris", postLogoutRedirectUris, clientType),
  ];
  // RFC 6749 4.4.
  if (clientType !== "confidential" && grantTypes.includes("client_credentials")) {
    problems.push(`GrantTypes has client_credentials, which a ${clientType} client cannot use.`);
  }
  if (problems.length > 0) throw new BadInput(...problems);
}

function uriProblems(field: string, uris: string[], clientType: ClientType): string[] {
  return uris.flatMap((uri) => redirectUriProblem(uri, clientType) ?? []).map((problem) => `${field}: ${problem}`);
}

/** Credentials in their response shape. */
export type CredentialsRecord = { [Field in keyof Credentials as Capitalize<Field>]: Credentials[Field] };

export function toCredentialsRecord(credentials: Credentials): CredentialsRecord {
  const fields = Object.entries(FIELDS).map(([name, field]) => [name, credentials[field.of]]);
  return Object.fromEntries(fields) as CredentialsRecord;
}
