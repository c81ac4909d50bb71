// The client's side of OpenID Connect and OAuth 2.0: openid-client, whose every request goes through the egress guard.

import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchProtectedResource,
  fetchUserInfo,
  None,
  type ServerMetadata,
} from "openid-client";
import type { EgressFetch } from "../../egress/index.ts";
import { type MasterKey, unseal } from "../../keys/master-key.ts";
import { authorityOf } from "./authority.ts";
import { toUpstreamFailure, UpstreamFailure } from "./failure.ts";
import { type Claims, claimsNeeded, toIdentity, type UpstreamIdentity } from "./identity.ts";
import { SECRET_PURPOSE } from "./providers/service.ts";
import type { Provider } from "./providers/store.ts";
import { redirectUriOf } from "./redirect-uri.ts";

/** All that one step asks of a provider has to be answered within this time. */
const STEP_TIMEOUT_MS = 10_000;
/** How long a provider's metadata is believed. Its keys are read anew for each sign-in, so a rotated one is never missed. */
const METADATA_LIFETIME_MS = 60_000;
/** RFC 8725 3.1: what an id_token may be signed by, whatever the provider says it can. */
const ID_TOKEN_ALGS = ["RS256", "ES256", "EdDSA", "Ed25519"];

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
  authorizationUrl(provider: Provider, checks: Checks, wish: AuthorizationWish): Promise<URL>;
  /**
   * Whom the provider has signed in, by its answer.
   * @param query of the address that the browser came back to
   * @param maxAge seconds since the user has signed in there, at most
   * @throws UpstreamFailure
   */
  identify(provider: Provider, checks: Checks, query: string, maxAge: number | undefined): Promise<UpstreamIdentity>;
}

export function createProtocol(fetch: EgressFetch, masterKey: MasterKey, publicUrl: string): Protocol {
  const metadataOf = createMetadata();

  async function configure(provider: Provider): Promise<Configuration> {
    const guarded = guardedFetch(fetch);
    const server = provider.type === "OAuth2" ? endpointsOf(provider) : await metadataOf(provider.issuer!, guarded);
    const secret = provider.clientSecret && unseal(masterKey, SECRET_PURPOSE, provider.clientSecret);
    const config = new Configuration(server, provider.clientId, {}, clientAuthentication(server, secret));
    config[customFetch] = guarded;
    // OIDC Core 3.1.3.7 lets a client trust TLS in place of the signature; we look at both.
    if (provider.type === "OpenIDConnect") enableNonRepudiationChecks(config);
    return config;
  }

  return {
    authorizationUrl: (provider, { state, nonce, codeVerifier }, { maxAge, loginHint }) =>
      told(async () => {
        const config = await configure(provider);
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
    identify: (provider, { state, nonce, codeVerifier }, query, maxAge) =>
      told(async () => {
        const config = await configure(provider);
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
    const kind = response.status >= 500 ? "unavailable" : "untrusted";
    throw new UpstreamFailure(kind, `the userinfo endpoint answered ${response.status}`);
  }
  const claims: unknown = await response.json().catch(() => undefined);
  if (typeof claims === "object" && claims !== null && !Array.isArray(claims)) return claims as Claims;
  throw new UpstreamFailure("untrusted", "the userinfo endpoint answered no JSON object");
}

function clientAuthentication(server: ServerMetadata, secret: string | null): ClientAuth {
  if (secret === null) return None();
  // OIDC Discovery 3: by default client_secret_basic.
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic") ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

function endpointsOf({ authorizationEndpoint, tokenEndpoint }: Provider): ServerMetadata {
  return {
    issuer: new URL(tokenEndpoint!).origin,
    authorization_endpoint: authorizationEndpoint!,
    token_endpoint: tokenEndpoint!,
  };
}

/** Reads and keeps providers' metadata. What an issuer says is the same for all tenants. */
function createMetadata() {
  const kept = new Map<string, { metadata: ServerMetadata; until: number }>();
  return async (issuer: string, guarded: GuardedFetch): Promise<ServerMetadata> => {
    const known = kept.get(issuer);
    if (known && known.until > Date.now()) return known.metadata;
    const metadata = requireUsable(issuer, await readMetadata(issuer, guarded));
    for (const [name, { until }] of kept) if (until <= Date.now()) kept.delete(name);
    kept.set(issuer, { metadata, until: Date.now() + METADATA_LIFETIME_MS });
    return metadata;
  };
}

async function readMetadata(issuer: string, guarded: GuardedFetch): Promise<ServerMetadata> {
  try {
    const config = await discovery(new URL(issuer), "discovery", undefined, None(), { [customFetch]: guarded });
    return { ...config.serverMetadata() };
  } catch (error) {
    const failure = toUpstreamFailure(error);
    // Nobody has claimed anything yet: there is no such issuer.
    const isElsewhere = failure instanceof UpstreamFailure && failure.kind === "untrusted";
    throw isElsewhere ? new UpstreamFailure("misconfigured", failure.detail) : failure;
  }
}

/** @throws UpstreamFailure */
function requireUsable(issuer: string, metadata: ServerMetadata): ServerMetadata {
  if (new URL(metadata.issuer).href !== new URL(issuer).href) {
    throw new UpstreamFailure("misconfigured", "the metadata are another issuer's");
  }
  const { authorization_endpoint, token_endpoint, jwks_uri } = metadata;
  if (!authorization_endpoint || !token_endpoint || !jwks_uri) {
    throw new UpstreamFailure("misconfigured", "the metadata lack an endpoint");
  }
  // The browser is sent there, so it must be a place on the web.
  if (!URL.canParse(authorization_endpoint) || new URL(authorization_endpoint).protocol !== "https:") {
    throw new UpstreamFailure("misconfigured", "the authorization endpoint is not https");
  }
  const algs = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
  const usable = algs.filter((alg) => ID_TOKEN_ALGS.includes(alg));
  if (usable.length === 0) throw new UpstreamFailure("misconfigured", "no algorithm for id_tokens in common");
  return { ...metadata, id_token_signing_alg_values_supported: usable };
}

type GuardedFetch = NonNullable<Configuration[typeof customFetch]>;

/** One time limit for all requests of a step. */
function guardedFetch(fetch: EgressFetch): GuardedFetch {
  const until = Date.now() + STEP_TIMEOUT_MS;
  return (url, { method, headers, body }) =>
    fetch(new URL(url), {
      method: method === "POST" ? "POST" : "GET",
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      timeoutMs: Math.max(1, until - Date.now()),
    });
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
