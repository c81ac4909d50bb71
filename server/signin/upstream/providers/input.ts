import { BadInput } from "../../../errors.ts";
import { printable } from "../../../http/body.ts";
import { toRecordId } from "../../../http/record-id.ts";
import {
  AUTH_METHODS,
  type AuthMethod,
  MAPPED,
  type Mapping,
  PROVIDER_TYPES,
  PROVISIONINGS,
  type ProviderType,
  type Provisioning,
} from "./store.ts";

export const NAME_LIMIT = 200;
export const URL_LIMIT = 2_000;
/** Characters of a ClientId or a ClientSecret. */
export const CREDENTIAL_LIMIT = 1_000;
export const MOST_SCOPES = 50;
/** Of AllowedDomains and of AllowedTenants. */
export const MOST_ALLOWED = 50;
/** Characters of a claim's name, and of a scope. */
export const WORD_LIMIT = 200;

/** A body that fits; absent fields are left alone. */
export interface ProviderInput {
  id?: number;
  name?: string;
  externalId?: string | null;
  type?: ProviderType;
  issuer?: string | null;
  authorizationEndpoint?: string | null;
  tokenEndpoint?: string | null;
  userinfoEndpoint?: string | null;
  clientId?: string;
  /** null: a public client. */
  clientSecret?: string | null;
  /** null: as the metadata says. */
  tokenEndpointAuthMethod?: AuthMethod | null;
  scopes?: string[];
  mapping?: Mapping;
  provisioning?: Provisioning;
  allowedDomains?: string[];
  allowedTenants?: string[];
  requireVerifiedEmail?: boolean;
  allowLocal?: boolean;
  isActive?: boolean;
  /** What the server sets and the caller sent along. */
  redirectUri?: unknown;
}

type CheckUrl = (url: string) => string | undefined;
/** Sets what a value means; returns what is wrong with it. */
type Take = (input: ProviderInput, value: unknown) => string | undefined;

/**
 * @param checkUrl why an address cannot be saved, in words
 * @throws BadInput naming every field that does not fit
 */
export function parseProvider(body: unknown, checkUrl: CheckUrl): ProviderInput {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput("The body must be one IdentityProvider object.");
  }
  const fields = takers(checkUrl);
  const input: ProviderInput = {};
  const problems = Object.entries(body).flatMap(([name, value]) => {
    const take = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return (take ? take(input, value) : `${printable(name)} is no field of IdentityProvider.`) ?? [];
  });
  if (problems.length > 0) throw BadInput.of(problems);
  return input;
}

function takers(checkUrl: CheckUrl): Record<string, Take> {
  return {
    Id: takeId,
    Name: (input, value) => {
      if (!isText(value, NAME_LIMIT) || value.trim() === "")
        return `Name must be a string of 1 to ${NAME_LIMIT} characters.`;
      input.name = value;
      return undefined;
    },
    ExternalId: (input, value) => {
      if (isEmpty(value)) input.externalId = null;
      else if (isText(value, NAME_LIMIT)) input.externalId = value;
      else return `ExternalId must be a string of at most ${NAME_LIMIT} characters, or null.`;
      return undefined;
    },
    Type: oneOf("Type", PROVIDER_TYPES, (input, value) => {
      input.type = value;
    }),
    Issuer: address("Issuer", "issuer", checkIssuer(checkUrl)),
    AuthorizationEndpoint: address("AuthorizationEndpoint", "authorizationEndpoint", checkEndpoint(checkUrl)),
    TokenEndpoint: address("TokenEndpoint", "tokenEndpoint", checkEndpoint(checkUrl)),
    UserinfoEndpoint: address("UserinfoEndpoint", "userinfoEndpoint", checkEndpoint(checkUrl)),
    ClientId: (input, value) => {
      if (!isText(value, CREDENTIAL_LIMIT)) return `ClientId must be a string of 1 to ${CREDENTIAL_LIMIT} characters.`;
      input.clientId = value;
      return undefined;
    },
    ClientSecret: (input, value) => {
      if (isEmpty(value)) input.clientSecret = null;
      else if (isText(value, CREDENTIAL_LIMIT)) input.clientSecret = value;
      else return `ClientSecret must be a string of at most ${CREDENTIAL_LIMIT} characters, or null.`;
      return undefined;
    },
    TokenEndpointAuthMethod: (input, value) => {
      const method = AUTH_METHODS.find((known) => known === value);
      if (!method && !isEmpty(value)) return `TokenEndpointAuthMethod must be ${AUTH_METHODS.join(" or ")}, or empty.`;
      input.tokenEndpointAuthMethod = method ?? null;
      return undefined;
    },
    Scopes: takeScopes,
    AllowedDomains: (input, value) => {
      const words = wordsOf(value);
      if (!words?.every((word) => DOMAIN.test(word))) {
        return `AllowedDomains must be a list of at most ${MOST_ALLOWED} domains such as example.com.`;
      }
      input.allowedDomains = [...new Set(words.map((word) => word.toLowerCase()))];
      return undefined;
    },
    AllowedTenants: (input, value) => {
      const words = wordsOf(value);
      if (!words?.every((word) => TENANT.test(word))) {
        return `AllowedTenants must be a list of at most ${MOST_ALLOWED} organisations, each in visible ASCII without spaces.`;
      }
      input.allowedTenants = [...new Set(words)];
      return undefined;
    },
    RequireVerifiedEmail: flag("RequireVerifiedEmail", "requireVerifiedEmail"),
    Mapping: takeMapping,
    Provisioning: oneOf("Provisioning", PROVISIONINGS, (input, value) => {
      input.provisioning = value;
    }),
    AllowLocal: flag("AllowLocal", "allowLocal"),
    Is_Active: flag("Is_Active", "isActive"),
    RedirectUri: (input, value) => {
      input.redirectUri = value;
      return undefined;
    },
  };
}

/** Google names an organisation by its domain, Microsoft by a UUID. */
const TENANT = /^[\x21-\x7e]+$/;
const DOMAIN = /^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/i;

function wordsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_ALLOWED) return undefined;
  const words = value.map((word) => (isText(word, WORD_LIMIT) ? word.trim() : ""));
  return words.includes("") ? undefined : words;
}

function takeId(input: ProviderInput, value: unknown): string | undefined {
  if (isEmpty(value)) return undefined;
  const id = typeof value === "string" ? toRecordId(value) : undefined;
  if (id === undefined) return "Id must be an IdentityProvider's Id, or empty.";
  input.id = id;
  return undefined;
}

/** RFC 6749 3.3. */
function takeScopes(input: ProviderInput, value: unknown): string | undefined {
  const isScope = (item: unknown) => isText(item, WORD_LIMIT) && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(item);
  if (!Array.isArray(value) || value.length > MOST_SCOPES || !value.every(isScope)) {
    return `Scopes must be a list of at most ${MOST_SCOPES} scopes, each of at most ${WORD_LIMIT} visible ASCII characters but " and \\.`;
  }
  input.scopes = [...new Set(value as string[])];
  return undefined;
}

function takeMapping(input: ProviderInput, value: unknown): string | undefined {
  const isMapped = (name: string) => (MAPPED as readonly string[]).includes(name);
  const isMapping =
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).every(isMapped);
  if (!isMapping) return `Mapping must be an object that names a claim for some of ${MAPPED.join(", ")}.`;
  const claims = Object.entries(value).filter(([, claim]) => claim !== "");
  const wrong = claims.find(([, claim]) => !isText(claim, WORD_LIMIT));
  if (wrong) return `Mapping.${wrong[0]} must be a claim's name, a string of at most ${WORD_LIMIT} characters.`;
  input.mapping = Object.fromEntries(claims);
  return undefined;
}

type AddressKey = "issuer" | "authorizationEndpoint" | "tokenEndpoint" | "userinfoEndpoint";

function address(name: string, key: AddressKey, check: CheckUrl): Take {
  return (input, value) => {
    if (isEmpty(value)) {
      input[key] = null;
      return undefined;
    }
    if (!isText(value, URL_LIMIT)) return `${name} must be an https address of at most ${URL_LIMIT} characters.`;
    // Spaces come along when an address is pasted.
    const url = value.trim();
    const problem = check(url);
    if (problem) return `${name}: ${problem}`;
    input[key] = url;
    return undefined;
  };
}

/** OpenID Connect Discovery 1.0, 3: neither query nor fragment. */
function checkIssuer(checkUrl: CheckUrl): CheckUrl {
  return (url) => {
    const problem = checkUrl(url);
    if (problem) return problem;
    if (/[?#]/.test(url)) return "An issuer has neither a query nor a fragment.";
    if (url.includes("/.well-known/")) return "Give the issuer itself, which is the part before /.well-known/.";
    return undefined;
  };
}

/** RFC 6749 3.1 and 3.2. */
function checkEndpoint(checkUrl: CheckUrl): CheckUrl {
  return (url) => checkUrl(url) ?? (url.includes("#") ? "An endpoint has no fragment." : undefined);
}

function oneOf<Word extends string>(
  name: string,
  words: readonly Word[],
  set: (input: ProviderInput, word: Word) => void,
): Take {
  return (input, value) => {
    const word = words.find((known) => known === value);
    if (word === undefined) return `${name} must be ${words.join(" or ")}.`;
    set(input, word);
    return undefined;
  };
}

function flag(name: string, key: "allowLocal" | "isActive" | "requireVerifiedEmail"): Take {
  return (input, value) => {
    if (typeof value !== "boolean") return `${name} must be true or false.`;
    input[key] = value;
    return undefined;
  };
}

const isEmpty = (value: unknown) => value === null || value === "";

function isText(value: unknown, limit: number): value is string {
  return (
    typeof value === "string" && value !== "" && value.length <= limit && !value.includes("\0") && value.isWellFormed()
  );
}
