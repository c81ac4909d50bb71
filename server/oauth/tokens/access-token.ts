// RFC 9068.

import type { Bearer } from "../../access/index.ts";
import type { TenantId } from "../../ids.ts";
import type { Claims } from "../claims.ts";
import type { Client } from "../clients/store.ts";
import { ACCESS_TOKEN_TYPES } from "../contract.ts";
import { SIGNING_ALGS } from "../keys/rotation.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { Target } from "../resources.ts";
import type { Authentication } from "./id-token.ts";
import { signJwt, type VerifiedTokens, verifyJwt } from "./jwt.ts";
import { subjectFor } from "./subjects.ts";

/** Who acts for the user, and who did before (RFC 8693 4.1). */
export interface Acting {
  sub: string;
  /** That it got its token by. */
  client_id: string;
  act?: Acting;
}

/** What an access token stands for. */
export interface AccessGrant {
  scopes: string[];
  /** What it is for. */
  target?: Target;
  /** More of whom it is about. */
  claims?: Claims;
  /** The family it belongs to and dies with. */
  familyId?: string;
  /** The thumbprint of the key that it is bound to (RFC 9449 6.1). */
  jkt?: string | undefined;
  /** Whom the client acts for; undefined: for itself. */
  user?: Authentication & { id: number };
  act?: Acting | undefined;
  /** Of an exchanged token: the scopes that what is exchanged from it may have elsewhere. */
  exchangeScopes?: string[];
  /** Names of claims that userinfo gives by it, beside those of the scopes. */
  userinfoClaims?: string[];
  /** Seconds; undefined: what the client and the target say. */
  lifetime?: number;
}

/** The claims of an access token of ours. */
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
  /** The family it belongs to. */
  grant_id?: string;
  /** The key that it is bound to (RFC 7800 3.1). */
  cnf?: { jkt: string };
  auth_time?: number;
  acr?: string;
  amr?: string[];
  act?: Acting;
  /** Of an exchanged token: the scopes that what is exchanged from it may have for other audiences. */
  exchange_scope?: string;
  /** What userinfo gives by it, beside the claims of the scopes. */
  userinfo_claims?: string[];
}

/** As they are read, with whom `sub` means. */
export interface ReadAccessToken extends AccessTokenClaims {
  /** Undefined: the client itself. */
  userId: number | undefined;
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

/** @returns undefined if it is not one of ours, or expired; what it is for, its `aud` says */
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

/** The caller that it stands for. */
export function callerOf({ userId, ...claims }: ReadAccessToken): Bearer {
  return {
    tenantId: claims.tenant,
    clientId: claims.client_id,
    actor: userId === undefined ? { type: "Application", id: Number(claims.client_id) } : { type: "User", id: userId },
    scopes: new Set(claims.scope.split(" ")),
    jkt: claims.cnf?.jkt,
    actedBy: claims.act?.sub,
  };
}
