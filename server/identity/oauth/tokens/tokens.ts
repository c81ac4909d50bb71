// Issues and verifies all tokens that are JWTs.

import type { JWTPayload } from "jose";
import { Unauthorized } from "../../../platform/errors.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Bearer, bearerTokens } from "../../../records/index.ts";
import type { Client } from "../clients/store.ts";
import type { SigningAlg } from "../contract.ts";
import { RFC_TOKEN_PATH } from "../door.ts";
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
import type { LiveScopes } from "./live-scopes.ts";
import { signAnswer, signIntrospection, signUserinfo } from "./signed-answer.ts";

const CLIENT_REFRESH_TOKEN_ALG = "EdDSA";
/** The maximum lifetime in seconds of a client credentials grant's refresh token, including rotated ones. */
const CLIENT_REFRESH_LIFETIME = 30 * 24 * 3600;

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
  /** The lifetime of a client's access token in seconds, by target. */
  lifetimeOf(client: Client, target: Target): number;
  issueAccessToken(client: Client, grant: AccessGrant): Promise<string>;
  issueIdToken(client: Client, grant: IdTokenGrant): Promise<string>;
  /** An authorization response as JWT (JARM). */
  signAnswer(client: Client, fields: Record<string, string | undefined>): Promise<string>;
  /** A userinfo response as JWT (OIDC Core 5.3.2). */
  signUserinfo(client: Client, alg: SigningAlg, claims: Record<string, unknown>): Promise<string>;
  /** An introspection response as JWT (RFC 9701). */
  signIntrospection(client: Client, introspected: Record<string, unknown>): Promise<string>;
  /** A signed, self-contained value, so issuing it writes nothing. */
  issueClientRefreshToken(client: Client, familyId: string, scopes: string[], resource: string): Promise<string>;
  /** Like readAccessToken, with clients and users from memory. @throws Unauthorized if one of them is inactive */
  verifyAccessToken: bearerTokens.VerifyAccessToken;
  /** For the entity API, with scopes still granted; undefined if invalid, revoked, or a client or user inactive. */
  readAccessToken(token: string): Promise<ReadAccessToken | undefined>;
  /** The same for a token with any target. */
  readAnyAccessToken(token: string): Promise<ReadAccessToken | undefined>;
  /** The same with what an exchange needs. */
  readExchangeableToken(token: string): Promise<ReadAccessToken | undefined>;
  /** @returns undefined if it is foreign or expired; its family knows whether it was used or revoked */
  readClientRefreshToken(token: string): Promise<ClientRefreshGrant | undefined>;
  /** @returns the claims of an id_token of this issuer, even if expired */
  readIdTokenHint(hint: string): Promise<JWTPayload | undefined>;
}

export interface TokenDependencies {
  keys: SigningKeys;
  issuer: string;
  /** The lifetime of id_tokens in seconds, and of access tokens for clients without AccessTokenLifetime. */
  lifetime: number;
  isRevoked(...ids: string[]): Promise<boolean>;
  pairwiseUser(clientId: string, sub: string): Promise<number | undefined>;
  liveScopes: FindScopes<LiveScopes>;
  /** The same as findScopes, but from memory. */
  knownScopes: FindScopes<readonly string[]>;
}

/** The current scopes of a client, alone or for a user; undefined if one of them is inactive. */
type FindScopes<Found> = (
  tenantId: TenantId,
  clientId: number,
  userId: number | undefined,
  exchanged?: { familyId: string | undefined },
) => Promise<Found | undefined>;

export function createTokens(deps: TokenDependencies): Tokens {
  const { keys, issuer, lifetime, isRevoked, pairwiseUser, liveScopes, knownScopes } = deps;
  const verified = createVerifiedTokens();
  /** Not an API's audience, so a check of signature and audience alone does not accept it as an access token. */
  const clientRefreshAudience = issuer + RFC_TOKEN_PATH;
  const lifetimeOf = ({ accessTokenLifetime }: Client, target: Target) => {
    const own = accessTokenLifetime ?? target?.tokenLifetime ?? lifetime;
    return Math.min(own, target?.tokenLifetime ?? own);
  };

  async function valid(token: string, audience: string | undefined) {
    const claims = await verifyAccessToken(keys, verified, issuer, token);
    if (!claims || (audience !== undefined && claims.aud !== audience)) return undefined;
    const ids = claims.grant_id ? [claims.jti, claims.grant_id] : [claims.jti];
    if (await isRevoked(...ids)) return undefined;
    const { sub, client_id: clientId } = claims;
    const userId = userOfSubject(sub) ?? (sub === clientId ? undefined : await pairwiseUser(clientId, sub));
    // It was issued for a sector that the client has left.
    if (userId === undefined && sub !== clientId) return undefined;
    return { claims, userId };
  }

  async function read(token: string, audience?: string, isExchanged = false): Promise<ReadAccessToken | undefined> {
    const found = await valid(token, audience);
    if (!found) return undefined;
    const { claims, userId } = found;
    const exchanged = isExchanged ? { familyId: claims.grant_id } : undefined;
    const live = await liveScopes(claims.tenant, Number(claims.client_id), userId, exchanged);
    if (!live) return undefined;
    const { scopes, ...more } = live;
    return { ...more, claims: { ...claims, scope: narrowed(claims, scopes) }, userId };
  }

  /** By a token's claims: the last bearer, of these scopes from memory. */
  const bearers = new WeakMap<object, { userId: number | undefined; live: readonly string[]; bearer: Bearer }>();

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
      const found = await valid(token, issuer);
      if (!found) return undefined;
      const { claims, userId } = found;
      const live = (await knownScopes(claims.tenant, Number(claims.client_id), userId)) ?? refuseInactive();
      const last = bearers.get(claims);
      if (last?.live === live && last.userId === userId) return last.bearer;
      const bearer = callerOf({ claims: { ...claims, scope: narrowed(claims, live) }, userId });
      bearers.set(claims, { userId, live, bearer });
      return bearer;
    },
    readAccessToken: (token) => read(token, issuer),
    readAnyAccessToken: (token) => read(token),
    readExchangeableToken: (token) => read(token, undefined, true),
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

function narrowed({ scope }: { scope: string }, live: readonly string[]): string {
  return common(scope.split(" "), live).join(" ");
}

function clientRefreshLifetime({ refreshTokenLifetime }: Client): number {
  return Math.min(refreshTokenLifetime ?? CLIENT_REFRESH_LIFETIME, CLIENT_REFRESH_LIFETIME);
}

function refuseInactive(): never {
  const reason = "The Application or User of the access token is no longer active.";
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
