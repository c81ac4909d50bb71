// Checks of OpenID Connect's own parameters.

import type { Client } from "../../store.ts";
import { userOfSubject } from "../../subject.ts";
import type { Tokens } from "../../tokens/tokens.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { ATTAINABLE_ACRS, type ClaimsRequest, parseClaims } from "../claims-request.ts";
import type { Parameters } from "../parameters.ts";
import type { ResponseMode, ResponseType } from "./request.ts";

/** What may be asked of the user's interaction. */
export const PROMPTS = ["none", "login", "consent", "select_account"] as const;
export type Prompt = (typeof PROMPTS)[number];

/** Characters of what comes back in an id_token. */
const NONCE_LIMIT = 1_000;

/** Whether an id_token comes with the code: wherever that may stand. */
export function answersIdToken(type: ResponseType, mode: ResponseMode): boolean {
  return type === "code id_token" && mode !== "query";
}

/** OIDC Core 3.3.2.1. */
export function openIdForHybrid(isHybrid: boolean, scopes: string[]): void {
  if (isHybrid && !scopes.includes("openid")) {
    throw new AuthorizationError("invalid_scope", "response_type code id_token needs the scope openid.");
  }
}

/** OIDC Core 3.3.2.11: required where an id_token is answered. */
export function nonce(isHybrid: boolean, parameters: Parameters): string | undefined {
  const value = parameters.get("nonce");
  if (isHybrid && !value) throw new AuthorizationError("invalid_request", "nonce is missing.");
  if (value && value.length > NONCE_LIMIT) {
    throw new AuthorizationError("invalid_request", `nonce has more than ${NONCE_LIMIT} characters.`);
  }
  return value;
}

/** OIDC Core 3.1.2.1. */
export function prompts(parameters: Parameters): ReadonlySet<Prompt> {
  const given = (parameters.get("prompt") ?? "").split(" ").filter(Boolean);
  const known = PROMPTS.filter((prompt) => given.includes(prompt));
  if (given.some((prompt) => !(PROMPTS as readonly string[]).includes(prompt))) {
    throw new AuthorizationError("invalid_request", `prompt must be of ${PROMPTS.join(", ")}.`);
  }
  if (known.includes("none") && known.length > 1) {
    throw new AuthorizationError("invalid_request", "prompt none goes with no other.");
  }
  return new Set(known);
}

/** @returns seconds */
export function maxAge(parameters: Parameters): number | undefined {
  const text = parameters.get("max_age");
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new AuthorizationError("invalid_request", "max_age must be whole seconds.");
  return Number(text);
}

/** OIDC Core 5.5. */
export function claims(parameters: Parameters): ClaimsRequest {
  const text = parameters.get("claims");
  return text === undefined ? { idToken: [], userinfo: [] } : parseClaims(text);
}

/** OIDC Core 5.5.1.1: an acr that is essential and out of reach fails; acr_values are only wishes. */
export function attainableAcr({ acrs }: ClaimsRequest): void {
  if (!acrs || acrs.some((acr) => ATTAINABLE_ACRS.includes(acr))) return;
  throw new AuthorizationError("unmet_authentication_requirements", "The acr asked for cannot be reached.");
}

/**
 * The one user who may answer: by id_token_hint, or by the sub that the claims parameter names.
 * @returns undefined if anybody may
 */
export async function expectedUser(
  tokens: Pick<Tokens, "readIdTokenHint">,
  client: Client,
  parameters: Parameters,
  { sub }: ClaimsRequest,
): Promise<number | undefined> {
  const hint = parameters.get("id_token_hint");
  const claimsOfHint = hint === undefined ? undefined : await tokens.readIdTokenHint(hint);
  if (hint !== undefined && claimsOfHint?.aud !== String(client.id)) {
    throw new AuthorizationError("invalid_request", "id_token_hint is not an id_token that this client was given.");
  }
  const subject = sub ?? claimsOfHint?.sub;
  if (sub !== undefined && claimsOfHint && claimsOfHint.sub !== sub) {
    throw new AuthorizationError("invalid_request", "claims and id_token_hint name different users.");
  }
  // A sub that is nobody's is a user who never comes.
  return subject === undefined ? undefined : (userOfSubject(subject) ?? 0);
}
