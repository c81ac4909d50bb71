import { ACR } from "../../signin/index.ts";
import { isKnownClaim } from "../userinfo/claims.ts";
import { AuthorizationError } from "./authorization-error.ts";

/** How sure a sign-in can be of its user. */
export const ATTAINABLE_ACRS: string[] = Object.values(ACR);

/** OIDC Core 5.5, as far as we have what it asks for: claims that nobody knows are left out, as it wants. */
export interface ClaimsRequest {
  /** Names of claims for the id_token. */
  idToken: string[];
  /** Names of claims for userinfo. */
  userinfo: string[];
  /** The one user it must be about. */
  sub?: string;
  /** An essential acr must be one of these. */
  acrs?: string[];
}

type Members = Record<string, { essential?: unknown; value?: unknown; values?: unknown } | null>;

/** @throws AuthorizationError */
export function parseClaims(text: string): ClaimsRequest {
  const all = parseObject(text);
  const idToken = members(all.id_token, "id_token");
  const userinfo = members(all.userinfo, "userinfo");
  const sub = idToken.sub?.value ?? userinfo.sub?.value;
  return {
    idToken: Object.keys(idToken).filter(isKnownClaim),
    userinfo: Object.keys(userinfo).filter(isKnownClaim),
    sub: typeof sub === "string" ? sub : undefined,
    acrs: essentialAcrs(idToken),
  };
}

function essentialAcrs({ acr }: Members): string[] | undefined {
  if (acr?.essential !== true) return undefined;
  const values = Array.isArray(acr.values) ? acr.values : acr.value === undefined ? undefined : [acr.value];
  return values?.map(String);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, as for JSON that is no object.
  }
  throw new AuthorizationError("invalid_request", "claims must be a JSON object.");
}

function members(value: unknown, name: string): Members {
  if (value === undefined) return {};
  const isRight = isObject(value) && Object.values(value).every((member) => member === null || isObject(member));
  if (!isRight)
    throw new AuthorizationError("invalid_request", `claims: the members of ${name} must be objects or null.`);
  return value as Members;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
