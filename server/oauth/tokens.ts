import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose";
import type { VerifyAccessToken } from "../access/index.ts";
import type { TenantId } from "../tenants/index.ts";
import type { SigningKeys } from "./keys.ts";
import type { Client } from "./store.ts";

const ACCESS_TOKEN_ALG = "EdDSA";
/** RFC 9068 2.1; it keeps any other JWT of ours from passing as an access token. */
const ACCESS_TOKEN_TYPE = "at+jwt";
const REFRESH_TOKEN_TYPE = "rt+jwt";
/** Seconds a refresh token of the client credentials grant can be used. */
const REFRESH_TOKEN_LIFETIME = 30 * 24 * 3600;

export interface Tokens {
  /** Seconds an access token lives. */
  lifetime: number;
  /** RFC 9068, signed by EdDSA. */
  issueAccessToken(client: Client, scopes: string[]): Promise<string>;
  /** A signed self-contained value: issuing it writes nothing. */
  issueRefreshToken(client: Client, scopes: string[]): Promise<string>;
  verifyAccessToken: VerifyAccessToken;
}

export function createTokens(keys: SigningKeys, issuer: string, lifetime: number): Tokens {
  async function issue(client: Client, scopes: string[], type: string, seconds: number): Promise<string> {
    const { kid, key } = await keys.signingKey(ACCESS_TOKEN_ALG);
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ client_id: String(client.id), tenant: client.tenantId, scope: scopes.join(" ") })
      .setProtectedHeader({ alg: ACCESS_TOKEN_ALG, typ: type, kid })
      .setIssuer(issuer)
      .setAudience(issuer)
      .setSubject(String(client.id))
      .setJti(Bun.randomUUIDv7())
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(key);
  }

  return {
    lifetime,
    issueAccessToken: (client, scopes) => issue(client, scopes, ACCESS_TOKEN_TYPE, lifetime),
    issueRefreshToken: (client, scopes) => issue(client, scopes, REFRESH_TOKEN_TYPE, REFRESH_TOKEN_LIFETIME),
    async verifyAccessToken(token) {
      const key = await keyOf(token, keys);
      if (!key) return undefined;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ACCESS_TOKEN_ALG],
          typ: ACCESS_TOKEN_TYPE,
          issuer,
          audience: issuer,
          requiredClaims: ["exp", "sub", "client_id", "tenant", "scope"],
        });
        const clientId = String(payload.client_id);
        return {
          tenantId: payload.tenant as TenantId,
          clientId,
          actor: { type: "Application", id: Number(clientId) },
          scopes: new Set(String(payload.scope).split(" ")),
        };
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

async function keyOf(token: string, keys: SigningKeys) {
  try {
    const header = decodeProtectedHeader(token);
    return header.kid ? await keys.verificationKey(header.kid, header.alg ?? "") : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
