// The client's side of OpenID Connect and OAuth 2.0: openid-client, whose every request goes through the egress guard.

import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchProtectedResource,
  fetchUserInfo,
} from "openid-client";
import type { EgressFetch } from "../../egress/index.ts";
import type { TenantId } from "../../tenant-id.ts";
import type { Vault } from "../../vault.ts";
import {
  authorityOf,
  createConfigure,
  createMetadata,
  endpointsOf,
  type GuardedFetch,
  guardedFetch,
  redirectUriOf,
} from "./configuration.ts";
import { kindOfStatus, toUpstreamFailure, UpstreamFailure } from "./failure.ts";
import { type Claims, claimsNeeded, toIdentity, type UpstreamIdentity } from "./identity.ts";
import type { Provider } from "./providers/store.ts";

/**
 * How long a provider's metadata is believed, once a browser was sent there: that is not done by what was kept, for the
 * provider may be down by now. Its keys are read anew for each sign-in, so a rotated one is never missed.
 */
const METADATA_LIFETIME_MS = 60_000;

/** What one attempt sends along and has to find again in the answer. */
export interface Checks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface AuthorizationWish {
  /** Seconds; 0: the user has to be asked again. */
  maxAge: number | undefined;
  loginHint: string;
}

export interface Protocol {
  /** @throws UpstreamFailure */
  authorizationUrl(tenantId: TenantId, provider: Provider, checks: Checks, wish: AuthorizationWish): Promise<URL>;
  /**
   * Whom the provider has signed in, by its answer.
   * @param query of the address that the browser came back to
   * @param maxAge seconds since the user has signed in there, at most
   * @throws UpstreamFailure
   */
  identify(
    tenantId: TenantId,
    provider: Provider,
    checks: Checks,
    query: string,
    maxAge: number | undefined,
  ): Promise<UpstreamIdentity>;
}

export function createProtocol(fetch: EgressFetch, vault: Vault, publicUrl: string): Protocol {
  const configurationOf = createConfigure(vault);
  const metadataOf = createMetadata(METADATA_LIFETIME_MS);

  async function configure(tenantId: TenantId, provider: Provider, isAnew: boolean): Promise<Configuration> {
    const guarded = guardedFetch(fetch, tenantId);
    if (provider.type === "OpenIDConnect") {
      return configurationOf(await metadataOf(provider.issuer!, guarded, isAnew), provider, guarded);
    }
    if (isAnew) await requireAnswer(provider.tokenEndpoint!, guarded);
    return configurationOf(endpointsOf(provider), provider, guarded);
  }

  return {
    authorizationUrl: (tenantId, provider, { state, nonce, codeVerifier }, { maxAge, loginHint }) =>
      told(async () => {
        const config = await configure(tenantId, provider, true);
        const openId: Record<string, string> = { nonce };
        if (loginHint) openId.login_hint = loginHint;
        if (maxAge !== undefined) openId.max_age = String(maxAge);
        if (maxAge === 0) openId.prompt = "login";
        return buildAuthorizationUrl(config, {
          redirect_uri: redirectUriOf(publicUrl, provider.id),
          ...(provider.scopes.length > 0 && { scope: provider.scopes.join(" ") }),
          state,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: "S256",
          ...(provider.type === "OpenIDConnect" && openId),
        });
      }),
    identify: (tenantId, provider, { state, nonce, codeVerifier }, query, maxAge) =>
      told(async () => {
        const config = await configure(tenantId, provider, false);
        const answer = new URL(redirectUriOf(publicUrl, provider.id) + query);
        const isOpenId = provider.type === "OpenIDConnect";
        // Plain OAuth 2.0 has no issuer to compare it with; each provider has a redirect URI of its own anyway.
        if (!isOpenId) answer.searchParams.delete("iss");
        const tokens = await authorizationCodeGrant(config, answer, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
          ...(isOpenId && { expectedNonce: nonce, maxAge, idTokenExpected: true }),
        });
        const claims = isOpenId
          ? await openIdClaims(config, provider, tokens.access_token, tokens.claims()!)
          : await plainClaims(config, provider, tokens.access_token);
        return toIdentity(authorityOf(provider), provider.mapping, claims);
      }),
  };
}

/**
 * Plain OAuth 2.0 has no metadata to read. Its token endpoint takes no GET, so it refuses one, if it is there.
 * @throws UpstreamFailure
 */
async function requireAnswer(tokenEndpoint: string, guarded: GuardedFetch): Promise<void> {
  const { status } = await guarded(tokenEndpoint, { method: "GET", headers: {}, body: undefined, redirect: "manual" });
  // What stands before a service says of it that it is not there.
  if (status >= 502 && status <= 504) throw new UpstreamFailure("unavailable", `the token endpoint answered ${status}`);
}

/** The id_token's claims, and of userinfo those that it lacks. */
async function openIdClaims(
  config: Configuration,
  { mapping }: Provider,
  accessToken: string,
  claims: Claims & { sub: string },
): Promise<Claims> {
  const lacks = claimsNeeded(mapping).some((name) => claims[name] === undefined);
  if (!lacks || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await fetchUserInfo(config, accessToken, claims.sub)), ...claims };
}

async function plainClaims(
  config: Configuration,
  { userinfoEndpoint }: Provider,
  accessToken: string,
): Promise<Claims> {
  const headers = new Headers({ accept: "application/json" });
  const response = await fetchProtectedResource(config, accessToken, new URL(userinfoEndpoint!), "GET", null, headers);
  if (response.status !== 200) {
    throw new UpstreamFailure(kindOfStatus(response.status), `the userinfo endpoint answered ${response.status}`);
  }
  const claims: unknown = await response.json().catch(() => undefined);
  if (typeof claims === "object" && claims !== null && !Array.isArray(claims)) return claims as Claims;
  throw new UpstreamFailure("untrusted", "the userinfo endpoint answered no JSON object");
}

async function told<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw declined(error);
    throw toUpstreamFailure(error);
  }
}

/** RFC 6749 4.1.2.1: who is at fault. */
function declined({ error }: AuthorizationResponseError): UpstreamFailure {
  if (error === "server_error" || error === "temporarily_unavailable") {
    return new UpstreamFailure("unavailable", `the authorization endpoint answered ${error}`);
  }
  const isUser = ["access_denied", "login_required", "interaction_required", "consent_required"].includes(error);
  return new UpstreamFailure(
    isUser ? "declined" : "misconfigured",
    "the authorization endpoint answered with an error",
  );
}
