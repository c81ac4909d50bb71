import { isObject } from "../../../../platform/http/body.ts";
import { parseJson } from "../../../../platform/http/json.ts";
import { ACR } from "../../../signin/session.ts";
import { isKnownClaim } from "../../claims.ts";
import { type Client, clientIdOf } from "../../clients/store.ts";
import { PROMPTS } from "../../contract.ts";
import { AuthorizationError } from "../../errors.ts";
import { userOfIssuedSubject, userOfRequestedSubject } from "../../tokens/subjects.ts";
import type { Tokens } from "../../tokens/tokens.ts";
import type { RequestParameters } from "../parameters.ts";
import type { ResponseMode, ResponseType } from "./request.ts";

export type Prompt = (typeof PROMPTS)[number];

/** The maximum number of characters of a value returned in an id_token. */
const NONCE_LIMIT = 1_000;

/** Whether the response contains an id_token, which is never allowed in a query. */
export function answersIdToken(type: ResponseType, mode: ResponseMode): boolean {
  return type === "code id_token" && mode !== "query";
}

/** OIDC Core 3.3.2.1. */
export function openIdForHybrid(isHybrid: boolean, scopes: string[]): void {
  if (isHybrid && !scopes.includes("openid")) {
    throw new AuthorizationError("invalid_scope", "response_type code id_token needs the scope openid.");
  }
}

/** OIDC Core 3.3.2.11: required if the response contains an id_token. */
export function nonce(isHybrid: boolean, parameters: RequestParameters): string | undefined {
  const value = parameters.sent.nonce;
  if (isHybrid && !value) throw new AuthorizationError("invalid_request", "nonce is missing.");
  if (value && value.length > NONCE_LIMIT) {
    throw new AuthorizationError("invalid_request", `nonce has more than ${NONCE_LIMIT} characters.`);
  }
  return value;
}

/** OIDC Core 3.1.2.1. */
export function prompts(parameters: RequestParameters): ReadonlySet<Prompt> {
  const given = (parameters.sent.prompt ?? "").split(" ").filter(Boolean);
  const known = PROMPTS.filter((prompt) => given.includes(prompt));
  if (given.some((prompt) => !(PROMPTS as readonly string[]).includes(prompt))) {
    throw new AuthorizationError("invalid_request", `prompt must be of ${PROMPTS.join(", ")}.`);
  }
  if (known.includes("none") && known.length > 1) {
    throw new AuthorizationError("invalid_request", "prompt none cannot be combined with others.");
  }
  return new Set(known);
}

/** @returns seconds */
export function maxAge(parameters: RequestParameters): number | undefined {
  const text = parameters.sent.max_age;
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new AuthorizationError("invalid_request", "max_age must be a whole number of seconds.");
  return Number(text);
}

/** OIDC Core 5.5. */
export function claims(parameters: RequestParameters): ClaimsRequest {
  const text = parameters.sent.claims;
  return text === undefined ? { idToken: [], userinfo: [] } : parseClaims(text);
}

export const UNATTAINABLE = "unmet_authentication_requirements";

/** OIDC Core 5.5.1.1: an essential acr that cannot be reached is an error; acr_values are voluntary. */
export function attainableAcr({ acrs }: ClaimsRequest): void {
  if (!acrs || acrs.some((acr) => ATTAINABLE_ACRS.includes(acr))) return;
  throw new AuthorizationError(
    UNATTAINABLE,
    "No sign-in here has any of the requested acr values. acr_values_supported of the metadata lists the possible ones.",
  );
}

/** An Id that no user has. */
const NOBODY = 0;

/**
 * The only user who may answer, by id_token_hint or the claims parameter's sub; undefined if any user may. A hint that
 * is not of this client names a user who is not known to be signed in: with prompt none that is login_required (OIDC
 * Core 3.1.2.1); otherwise the user is asked as without a hint.
 */
export async function expectedUser(
  tokens: Pick<Tokens, "readIdTokenHint">,
  client: Client,
  { sent }: RequestParameters,
  { sub }: ClaimsRequest,
  prompts: ReadonlySet<Prompt>,
): Promise<number | undefined> {
  const { id_token_hint: hint } = sent;
  const read = hint === undefined ? undefined : await tokens.readIdTokenHint(hint);
  const claimsOfHint = read?.aud === clientIdOf(client) ? read : undefined;
  if (hint !== undefined && !claimsOfHint && prompts.has("none")) return NOBODY;
  if (sub !== undefined && claimsOfHint && claimsOfHint.sub !== sub) {
    throw new AuthorizationError("invalid_request", "claims and id_token_hint name different users.");
  }
  if (claimsOfHint) return userOfIssuedSubject(client, claimsOfHint.sub!) ?? NOBODY;
  return sub === undefined ? undefined : (userOfRequestedSubject(client, sub) ?? NOBODY);
}

export const ATTAINABLE_ACRS: string[] = Object.values(ACR);

/** The supported part of OIDC Core 5.5; unknown claims are ignored. */
export interface ClaimsRequest {
  idToken: string[];
  userinfo: string[];
  /** The only user it may be about. */
  sub?: string;
  /** The values of an essential acr. */
  acrs?: string[];
}

type Members = Record<string, { essential?: unknown; value?: unknown; values?: unknown } | null>;

function parseClaims(text: string): ClaimsRequest {
  const all = parseObject(text);
  const idToken = members(all.id_token, "id_token");
  const userinfo = members(all.userinfo, "userinfo");
  const sub = idToken.sub?.value ?? userinfo.sub?.value;
  return {
    idToken: Object.keys(idToken).filter((name) => isKnownClaim(name) || name === "sid"),
    userinfo: Object.keys(userinfo).filter(isKnownClaim),
    sub: typeof sub === "string" ? sub : undefined,
    acrs: essentialAcrs(idToken),
  };
}

function essentialAcrs({ acr }: Members): string[] | undefined {
  if (acr?.essential !== true) return undefined;
  const values = Array.isArray(acr.values) ? acr.values : acr.value === undefined ? undefined : [acr.value];
  return values?.filter((one): one is string => typeof one === "string");
}

function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new AuthorizationError("invalid_request", "claims must be a JSON object.");
}

function members(value: unknown, name: string): Members {
  if (value === undefined) return {};
  const isRight = isObject(value) && Object.values(value).every((member) => member === null || isObject(member));
  if (!isRight)
    throw new AuthorizationError("invalid_request", `claims: the members of ${name} must be objects or null.`);
  return value as Members;
}
