import { createHash } from "node:crypto";
import type { JWTPayload } from "jose";
import { type Client, clientIdOf } from "../clients/store.ts";
import { SIGNING_ALGS, type SigningAlg } from "../contract.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import { ID_TOKEN, signJwt, verifyJwt } from "./jwt.ts";
import { sessionFor, subjectFor } from "./subjects.ts";

/** The method and time of a user's authentication (OIDC Core 2). */
export interface AuthenticationClaims {
  /** Seconds since 1970. */
  authTime: number;
  acr?: string;
  amr?: string[];
}

/** The content of an id_token (OIDC Core 2, 3.1.3.6 and 3.3.2.11). */
export interface IdTokenGrant extends AuthenticationClaims {
  userId: number;
  nonce?: string;
  sessionId?: string;
  /** The claims parameter asks for `sid`. */
  isSessionAsked?: boolean;
  /** The access token issued with it, for at_hash. */
  accessToken?: string;
  /** The code issued with it, for c_hash. */
  code?: string;
  /** Additional claims about the user, such as those of the scope profile. */
  claims?: Record<string, unknown>;
}

export async function issueIdToken(
  keys: SigningKeys,
  issuer: string,
  seconds: number,
  client: Client,
  grant: IdTokenGrant,
): Promise<string> {
  const alg = client.idTokenAlg;
  // OIDC Back-Channel Logout 1.0 2.1. Settings identifies its session by it.
  const hasSession = Boolean(client.backchannelLogoutUri) || client.isConsole || grant.isSessionAsked;
  return signJwt(keys, alg, ID_TOKEN, seconds, {
    ...grant.claims,
    iss: issuer,
    sub: subjectFor(client, grant.userId),
    aud: clientIdOf(client),
    auth_time: grant.authTime,
    acr: grant.acr,
    amr: grant.amr,
    nonce: grant.nonce,
    sid: hasSession && grant.sessionId ? sessionFor(client, grant.sessionId) : undefined,
    at_hash: halfHash(alg, grant.accessToken),
    c_hash: halfHash(alg, grant.code),
  });
}

/** The hint may have expired (OIDC RP-Initiated Logout 4). @returns undefined if it is not of this issuer */
export async function verifyIdTokenHint(
  keys: SigningKeys,
  issuer: string,
  hint: string,
): Promise<JWTPayload | undefined> {
  const claims = await verifyJwt(keys, [ID_TOKEN], SIGNING_ALGS, hint, {
    issuer,
    requiredClaims: ["sub", "aud", "auth_time"],
    currentDate: new Date(0),
  });
  return claims?.client_id === undefined ? claims : undefined;
}

/** The left half of the hash that the id_token's algorithm uses; SHA-512 for Ed25519. */
export function halfHash(alg: SigningAlg, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const digest = createHash(alg === "EdDSA" ? "sha512" : "sha256")
    .update(value)
    .digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
}
