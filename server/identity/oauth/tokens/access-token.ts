// Access tokens (RFC 9068).

import type { TenantId } from "../../../platform/ids.ts";
import type { Bearer } from "../../../records/index.ts";
import type { Claims } from "../claims.ts";
import type { Client } from "../clients/store.ts";
import { ACCESS_TOKEN_TYPES, SIGNING_ALGS } from "../contract.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { Target } from "../resources.ts";
import type { AuthenticationClaims } from "./id-token.ts";
import { signJwt, type VerifiedTokens, verifyJwt } from "./jwt.ts";
import type { Live } from "./live.store.ts";
import { subjectFor } from "./subjects.ts";

/** The actor and its predecessors (RFC 8693 4.1). */
export interface Acting {
  sub: string;
  /** The client that the actor's token was issued to. */
  client_id: string;
  act?: Acting;
}

export interface AccessGrant {
  scopes: string[];
  target?: Target;
  claims?: Claims;
  /** The family that it belongs to; revoking the family ends it. */
  familyId?: string;
  /** The thumbprint of the bound key (RFC 9449 6.1). */
  jkt?: string | undefined;
  /** The user that the client acts for; undefined: the client itself. */
  user?: AuthenticationClaims & { id: number };
  act?: Acting | undefined;
  /** In an exchanged token: the maximum scopes of further exchanges. */
  exchangeScopes?: string[];
  userinfoClaims?: string[];
  /** Seconds; undefined: by client and target. */
  lifetime?: number;
}

export interface AccessTokenClaims {
  iss: string;
  aud: string;
  sub: string;
  client_id: string;
  tenant: TenantId;
  scope: string;
  jti: string;
  iat: number;
  exp: number;
  grant_id?: string;
  /** The bound key (RFC 7800 3.1). */
  cnf?: { jkt: string };
  auth_time?: number;
  acr?: string;
  amr?: string[];
  act?: Acting;
  /** In an exchanged token: the maximum scopes of further exchanges for other audiences. */
  exchange_scope?: string;
  userinfo_claims?: string[];
}

export interface ReadAccessToken {
  /** Verified; `scope` has only the scopes that the token still has. */
  claims: AccessTokenClaims;
  /** The user that `sub` identifies; undefined: the client itself. */
  userId: number | undefined;
  /** The scopes of the user's roles now; null for the client itself. */
  ofRoles: string[] | null;
  forExchange?: Live["forExchange"];
}

export async function issueAccessToken(
  keys: SigningKeys,
  issuer: string,
  seconds: number,
  client: Client,
  { scopes, target, claims, familyId, jkt, user, act, exchangeScopes, userinfoClaims = [] }: AccessGrant,
): Promise<string> {
  const { accessTokenAlg, accessTokenType } = target ?? client;
  return signJwt(keys, accessTokenAlg, accessTokenType, seconds, {
    ...claims,
    iss: issuer,
    aud: target?.audience ?? issuer,
    sub: user ? subjectFor(client, user.id) : String(client.id),
    client_id: String(client.id),
    tenant: client.tenantId,
    scope: scopes.join(" "),
    jti: Bun.randomUUIDv7(),
    grant_id: familyId,
    cnf: jkt === undefined ? undefined : { jkt },
    auth_time: user?.authTime,
    acr: user?.acr,
    amr: user?.amr,
    act,
    exchange_scope: exchangeScopes?.join(" "),
    userinfo_claims: userinfoClaims.length > 0 ? userinfoClaims : undefined,
  });
}

/** @returns undefined if it is not a valid token of this issuer; callers check `aud` */
export async function verifyAccessToken(
  keys: SigningKeys,
  verified: VerifiedTokens,
  issuer: string,
  token: string,
): Promise<AccessTokenClaims | undefined> {
  const required = {
    issuer,
    requiredClaims: ["aud", "exp", "iat", "jti", "sub", "client_id", "tenant", "scope"],
  };
  const claims = await verifyJwt(keys, ACCESS_TOKEN_TYPES, SIGNING_ALGS, token, required, verified);
  return claims as unknown as AccessTokenClaims | undefined;
}

export function callerOf({ claims, userId }: Pick<ReadAccessToken, "claims" | "userId">): Bearer {
  return {
    tenantId: claims.tenant,
    clientId: claims.client_id,
    actor: userId === undefined ? { type: "Application", id: Number(claims.client_id) } : { type: "User", id: userId },
    scopes: new Set(claims.scope.split(" ")),
    jkt: claims.cnf?.jkt,
    actedBy: claims.act?.sub,
  };
}
