// Every token that is a JWT: issued and verified here alone.

import type { JWTPayload } from "jose";
import type { VerifyAccessToken } from "../../access/index.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { Client } from "../store.ts";
import {
  type AccessGrant,
  type AccessTokenClaims,
  callerOf,
  issueAccessToken,
  verifyAccessToken,
} from "./access-token.ts";
import { type IdTokenGrant, issueIdToken, verifyIdTokenHint } from "./id-token.ts";
import { CLIENT_REFRESH_TOKEN, signJwt, verifyJwt } from "./jwt.ts";
import { createVerifiedTokens } from "./verified.ts";

const CLIENT_REFRESH_TOKEN_ALG = "EdDSA";
/** Seconds a refresh token of the client credentials grant, and all that is rotated from it, can be used. */
const CLIENT_REFRESH_LIFETIME = 30 * 24 * 3600;

/** What the refresh token of a client credentials grant says. */
export interface ClientRefreshGrant {
  familyId: string;
  tenantId: TenantId;
  clientId: number;
  scopes: string[];
  /** Seconds since 1970. */
  issuedAt: number;
  expiresAt: number;
}

export interface Tokens {
  issuer: string;
  /** Seconds an access token and an id_token live. */
  lifetime: number;
  issueAccessToken(client: Client, grant: AccessGrant): Promise<string>;
  issueIdToken(client: Client, grant: IdTokenGrant): Promise<string>;
  /** A signed self-contained value: issuing it writes nothing. */
  issueClientRefreshToken(client: Client, familyId: string, scopes: string[]): Promise<string>;
  /** For the API's bearer check. */
  verifyAccessToken: VerifyAccessToken;
  /** @returns its claims, or undefined if it is not ours, expired or revoked */
  readAccessToken(token: string): Promise<AccessTokenClaims | undefined>;
  /** @returns undefined if it is not ours or expired; whether it was used or revoked is for its family to say */
  readClientRefreshToken(token: string): Promise<ClientRefreshGrant | undefined>;
  /** @returns the claims of an id_token of ours, also of an expired one */
  readIdTokenHint(hint: string): Promise<JWTPayload | undefined>;
}

export interface TokenDependencies {
  keys: SigningKeys;
  issuer: string;
  /** Seconds. */
  lifetime: number;
  /** Whether any of these, a jti or a family's id, was revoked. */
  isRevoked(...ids: string[]): Promise<boolean>;
}

export function createTokens({ keys, issuer, lifetime, isRevoked }: TokenDependencies): Tokens {
  const verified = createVerifiedTokens();

  async function readAccessToken(token: string): Promise<AccessTokenClaims | undefined> {
    const claims = await verifyAccessToken(keys, verified, issuer, token);
    if (!claims) return undefined;
    const ids = claims.grant_id ? [claims.jti, claims.grant_id] : [claims.jti];
    return (await isRevoked(...ids)) ? undefined : claims;
  }

  return {
    issuer,
    lifetime,
    issueAccessToken: (client, grant) => issueAccessToken(keys, issuer, lifetime, client, grant),
    issueIdToken: (client, grant) => issueIdToken(keys, issuer, lifetime, client, grant),
    issueClientRefreshToken: (client, familyId, scopes) =>
      signJwt(keys, CLIENT_REFRESH_TOKEN_ALG, CLIENT_REFRESH_TOKEN, CLIENT_REFRESH_LIFETIME, {
        iss: issuer,
        aud: issuer,
        sub: String(client.id),
        client_id: String(client.id),
        tenant: client.tenantId,
        scope: scopes.join(" "),
        jti: familyId,
      }),
    async verifyAccessToken(token) {
      const claims = await readAccessToken(token);
      return claims && callerOf(claims);
    },
    readAccessToken,
    async readClientRefreshToken(token) {
      const claims = await verifyJwt(keys, CLIENT_REFRESH_TOKEN, [CLIENT_REFRESH_TOKEN_ALG], token, {
        issuer,
        audience: issuer,
        requiredClaims: ["exp", "iat", "jti", "client_id", "tenant", "scope"],
      });
      return claims && clientRefreshGrant(claims);
    },
    readIdTokenHint: (hint) => verifyIdTokenHint(keys, issuer, hint),
  };
}

function clientRefreshGrant(claims: JWTPayload): ClientRefreshGrant {
  return {
    familyId: claims.jti!,
    tenantId: claims.tenant as TenantId,
    clientId: Number(claims.client_id),
    scopes: String(claims.scope).split(" ").filter(Boolean),
    issuedAt: claims.iat!,
    expiresAt: claims.exp!,
  };
}
