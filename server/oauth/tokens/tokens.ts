// Every token that is a JWT: issued and verified here alone.

import type { JWTPayload } from "jose";
import type { VerifyAccessToken } from "../../access/index.ts";
import { Unauthorized } from "../../errors.ts";
import type { TenantId } from "../../ids.ts";
import type { Client } from "../clients/store.ts";
import { RFC_TOKEN_PATH } from "../door.ts";
import type { SigningAlg } from "../keys/rotation.ts";
import type { SigningKeys } from "../keys/signing-keys.ts";
import type { Target } from "../resources.ts";
import { common } from "../scopes.ts";
import {
  type AccessGrant,
  callerOf,
  issueAccessToken,
  type ReadAccessToken,
  verifyAccessToken,
} from "./access-token.ts";
import { type IdTokenGrant, issueIdToken, verifyIdTokenHint } from "./id-token.ts";
import { CLIENT_REFRESH_TOKEN, createVerifiedTokens, signJwt, userOfSubject, verifyJwt } from "./jwt.ts";
import { signAnswer, signIntrospection, signUserinfo } from "./signed-answer.ts";

const CLIENT_REFRESH_TOKEN_ALG = "EdDSA";
/** Seconds a refresh token of the client credentials grant, and all that is rotated from it, can be used at most. */
const CLIENT_REFRESH_LIFETIME = 30 * 24 * 3600;

/** What the refresh token of a client credentials grant says. */
export interface ClientRefreshGrant {
  familyId: string;
  tenantId: TenantId;
  clientId: number;
  scopes: string[];
  resources: string[];
  /** Seconds since 1970. */
  issuedAt: number;
  expiresAt: number;
}

export interface Tokens {
  issuer: string;
  /** Seconds an access token of a client lives, by what it is for. */
  lifetimeOf(client: Client, target: Target): number;
  issueAccessToken(client: Client, grant: AccessGrant): Promise<string>;
  issueIdToken(client: Client, grant: IdTokenGrant): Promise<string>;
  /** What the authorization endpoint answers, as one JWT (JARM). */
  signAnswer(client: Client, fields: Record<string, string | undefined>): Promise<string>;
  /** A userinfo answer as one JWT (OIDC Core 5.3.2). */
  signUserinfo(client: Client, alg: SigningAlg, claims: Record<string, unknown>): Promise<string>;
  /** An introspection answer as one JWT (RFC 9701). */
  signIntrospection(client: Client, introspected: Record<string, unknown>): Promise<string>;
  /** A signed self-contained value: issuing it writes nothing. */
  issueClientRefreshToken(client: Client, familyId: string, scopes: string[], resource: string): Promise<string>;
  /**
   * For the API's bearer check: as readAccessToken, but by what memory has of clients and users.
   * @throws Unauthorized if one of them is no longer active
   */
  verifyAccessToken: VerifyAccessToken;
  /**
   * One for the entity API.
   * @returns its claims, with the scopes that it still gives; undefined if it is not ours, expired or revoked, or its
   * client or user is no longer active
   */
  readAccessToken(token: string): Promise<ReadAccessToken | undefined>;
  /** The same of a token for whatever API. */
  readAnyAccessToken(token: string): Promise<ReadAccessToken | undefined>;
  /** @returns undefined if it is not ours or expired; its family knows whether it was used or revoked */
  readClientRefreshToken(token: string): Promise<ClientRefreshGrant | undefined>;
  /** @returns the claims of an id_token of ours, also of an expired one */
  readIdTokenHint(hint: string): Promise<JWTPayload | undefined>;
}

export interface TokenDependencies {
  keys: SigningKeys;
  issuer: string;
  /** Seconds of an id_token, and of the access tokens of a client that has no AccessTokenLifetime. */
  lifetime: number;
  /** Whether any of these, a jti or a family's id, was revoked. */
  isRevoked(...ids: string[]): Promise<boolean>;
  /** Whom a pairwise `sub` of a client means. */
  pairwiseUser(clientId: string, sub: string): Promise<number | undefined>;
  scopesNow: FindScopes;
  /** The same from memory. */
  knownScopes: FindScopes;
}

/** What a client's tokens give, for a user or for itself; undefined if one of them is no longer active. */
type FindScopes = (
  tenantId: TenantId,
  clientId: number,
  userId: number | undefined,
) => Promise<readonly string[] | undefined>;

export function createTokens(deps: TokenDependencies): Tokens {
  const { keys, issuer, lifetime, isRevoked, pairwiseUser, scopesNow, knownScopes } = deps;
  const verified = createVerifiedTokens();
  /** Of no API, so that nobody who checks signature and audience alone takes one for an access token. */
  const clientRefreshAudience = issuer + RFC_TOKEN_PATH;
  const lifetimeOf = ({ accessTokenLifetime }: Client, target: Target) => {
    const own = accessTokenLifetime ?? target?.tokenLifetime ?? lifetime;
    return Math.min(own, target?.tokenLifetime ?? own);
  };

  async function read(token: string, find: FindScopes, audience?: string): Promise<ReadAccessToken | undefined> {
    const claims = await verifyAccessToken(keys, verified, issuer, token);
    if (!claims || (audience !== undefined && claims.aud !== audience)) return undefined;
    const ids = claims.grant_id ? [claims.jti, claims.grant_id] : [claims.jti];
    if (await isRevoked(...ids)) return undefined;
    const { sub, client_id: clientId } = claims;
    const userId = userOfSubject(sub) ?? (sub === clientId ? undefined : await pairwiseUser(clientId, sub));
    // It was issued for a sector that is no longer the client's.
    if (userId === undefined && sub !== clientId) return undefined;
    const live = await find(claims.tenant, Number(clientId), userId);
    return live && { ...claims, userId, scope: common(claims.scope.split(" "), live).join(" ") };
  }

  return {
    issuer,
    lifetimeOf,
    issueAccessToken: (client, grant) =>
      issueAccessToken(keys, issuer, grant.lifetime ?? lifetimeOf(client, grant.target), client, grant),
    issueIdToken: (client, grant) => issueIdToken(keys, issuer, lifetime, client, grant),
    signAnswer: (...answer) => signAnswer(keys, issuer, ...answer),
    signUserinfo: (...answer) => signUserinfo(keys, issuer, ...answer),
    signIntrospection: (...answer) => signIntrospection(keys, issuer, ...answer),
    issueClientRefreshToken: (client, familyId, scopes, resource) =>
      signJwt(keys, CLIENT_REFRESH_TOKEN_ALG, CLIENT_REFRESH_TOKEN, clientRefreshLifetime(client), {
        iss: issuer,
        aud: clientRefreshAudience,
        sub: String(client.id),
        client_id: String(client.id),
        tenant: client.tenantId,
        scope: scopes.join(" "),
        resource,
        jti: familyId,
      }),
    async verifyAccessToken(token) {
      const claims = await read(token, async (...who) => (await knownScopes(...who)) ?? refuseInactive(), issuer);
      return claims && callerOf(claims);
    },
    readAccessToken: (token) => read(token, scopesNow, issuer),
    readAnyAccessToken: (token) => read(token, scopesNow),
    async readClientRefreshToken(token) {
      const claims = await verifyJwt(keys, [CLIENT_REFRESH_TOKEN], [CLIENT_REFRESH_TOKEN_ALG], token, {
        issuer,
        audience: clientRefreshAudience,
        requiredClaims: ["exp", "iat", "jti", "client_id", "tenant", "scope", "resource"],
      });
      return claims && clientRefreshGrant(claims);
    },
    readIdTokenHint: (hint) => verifyIdTokenHint(keys, issuer, hint),
  };
}

function clientRefreshLifetime({ refreshTokenLifetime }: Client): number {
  return Math.min(refreshTokenLifetime ?? CLIENT_REFRESH_LIFETIME, CLIENT_REFRESH_LIFETIME);
}

function refuseInactive(): never {
  const reason = "The Application or User that the access token was issued to is no longer active.";
  throw new Unauthorized(reason, 'Bearer error="invalid_token"');
}

function clientRefreshGrant(claims: JWTPayload): ClientRefreshGrant {
  return {
    familyId: claims.jti!,
    tenantId: claims.tenant as TenantId,
    clientId: Number(claims.client_id),
    scopes: String(claims.scope).split(" ").filter(Boolean),
    resources: [String(claims.resource)],
    issuedAt: claims.iat!,
    expiresAt: claims.exp!,
  };
}
