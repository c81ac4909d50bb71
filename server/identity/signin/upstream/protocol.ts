// The client side of OpenID Connect and OAuth 2.0: openid-client, with every request through the egress guard.

import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchProtectedResource,
  fetchUserInfo,
  type ServerMetadata,
} from "openid-client";
import { urlOf } from "../../../platform/address.ts";
import { type EgressFetch, encodeUnsendable, extendAddress } from "../../../platform/egress/index.ts";
import { answeredJson } from "../../../platform/http/json.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import { CARRIED_NAME, createCarriedNames } from "./carried-name.ts";
import {
  authorityOf,
  createAskOnce,
  createConfigure,
  createMetadata,
  createRequireSecretSigned,
  endpointsOf,
  type GuardedFetch,
  guardedFetch,
  isHttps,
  redirectUriOf,
  signedOutUriOf,
  sourceKey,
} from "./configuration.ts";
import { codeOf, kindOfStatus, toUpstreamFailure, UpstreamFailure } from "./failure.ts";
import {
  ID_TOKEN_HINT_PURPOSE,
  lacksClaims,
  type ProviderClaims,
  toIdentity,
  type UpstreamIdentity,
  withListedEmail,
} from "./identity.ts";
import type { Provider } from "./providers/contract.ts";

/**
 * The lifetime of cached metadata. Redirecting a browser always reloads it, because the provider may be down. Keys are
 * read for each sign-in, so a rotated key is never missed.
 */
const METADATA_LIFETIME_MS = 60_000;

export interface Checks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface AuthorizationWish {
  /** The maximum age of the sign-in in seconds; 0: the user must authenticate again. */
  maxAge: number | undefined;
  loginHint: string;
}

export interface Protocol {
  /** @throws UpstreamFailure */
  authorizationUrl(tenantId: TenantId, provider: Provider, checks: Checks, wish: AuthorizationWish): Promise<string>;
  /**
   * @param query of the address that the browser returned to
   * @param age seconds since the authorization request
   * @throws UpstreamFailure
   */
  identify(
    tenantId: TenantId,
    provider: Provider,
    checks: Checks,
    query: string,
    wish: Pick<AuthorizationWish, "maxAge">,
    age: number,
  ): Promise<UpstreamIdentity>;
  /** The `name` of Apple's form field `user`, sealed for the query of the same answer; undefined if there is none. */
  carriedName(form: ReadonlyMap<string, string>): [name: string, sealed: string] | undefined;
  /** OpenID Connect RP-Initiated Logout 1.0. @param hint the id_token of the sign-in, sealed @throws UpstreamFailure */
  signOutUrl(tenantId: TenantId, provider: Provider, state: string, hint: Uint8Array | null): Promise<string>;
}

/** The maximum number of characters of an id_token in an address. */
const HINT_LIMIT = 4_000;
type Hint = [authority: string, idToken: string];

export function createProtocol(fetch: EgressFetch, vault: Vault, publicUrl: string): Protocol {
  const configurationOf = createConfigure(vault);
  const metadataOf = createMetadata(METADATA_LIFETIME_MS);
  const requireSecretSigned = createRequireSecretSigned(vault);
  const names = createCarriedNames(vault);
  const askOnce = createAskOnce<ServerMetadata>();

  /** @param isAnew see createMetadata */
  const serverOf = async (provider: Provider, guarded: GuardedFetch, isAnew: boolean): Promise<ServerMetadata> => {
    if (provider.type === "OpenIDConnect") return metadataOf(provider, guarded, isAnew);
    if (isAnew) await requireAnswer(provider.tokenEndpoint!, guarded);
    return endpointsOf(provider);
  };
  const hints = vault.sealFor(ID_TOKEN_HINT_PURPOSE);

  async function configure(tenantId: TenantId, provider: Provider, isAnew: boolean): Promise<Configuration> {
    const guarded = guardedFetch(fetch, tenantId);
    const server = await (isAnew
      ? askOnce(`${tenantId} ${provider.issuer ? sourceKey(provider) : provider.tokenEndpoint}`, () =>
          serverOf(provider, guarded, true),
        )
      : serverOf(provider, guarded, false));
    return configurationOf(server, provider, guarded);
  }

  return {
    authorizationUrl: (tenantId, provider, { state, nonce, codeVerifier }, { maxAge, loginHint }) =>
      withUpstreamFailure(async () => {
        const config = await configure(tenantId, provider, true);
        const openId: Record<string, string> = { nonce };
        if (loginHint) openId.login_hint = loginHint;
        if (maxAge !== undefined) openId.max_age = String(maxAge);
        if (maxAge === 0 && hasPrompt(config, "login")) openId.prompt = "login";
        const built = buildAuthorizationUrl(config, {
          ...provider.authorizationParameters,
          redirect_uri: redirectUriOf(publicUrl, provider.id),
          ...(provider.scopes.length > 0 && { scope: provider.scopes.join(" ") }),
          state,
          ...(hasPkce(config) && {
            code_challenge: await calculatePKCECodeChallenge(codeVerifier),
            code_challenge_method: "S256",
          }),
          ...(provider.type === "OpenIDConnect" && openId),
        });
        return asWritten(config.serverMetadata().authorization_endpoint!, built);
      }),
    identify: (tenantId, provider, { state, nonce, codeVerifier }, query, { maxAge }, age) =>
      withUpstreamFailure(async () => {
        const config = await configure(tenantId, provider, false);
        const answer = urlOf(redirectUriOf(publicUrl, provider.id));
        answer.search = query;
        const isOpenId = provider.type === "OpenIDConnect";
        // Plain OAuth 2.0 has no issuer to compare; the redirect URI already identifies the provider.
        if (!isOpenId) answer.searchParams.delete("iss");
        const name = names.open(answer.searchParams.get(CARRIED_NAME), state);
        answer.searchParams.delete(CARRIED_NAME);
        const tokens = await authorizationCodeGrant(config, answer, {
          expectedState: state,
          ...(hasPkce(config) && { pkceCodeVerifier: codeVerifier }),
          ...(isOpenId && { expectedNonce: nonce, idTokenExpected: true }),
        });
        if (isOpenId) await requireSecretSigned(provider, tokens.id_token!);
        if (isOpenId) requireAnew(tokens.claims()!.auth_time, maxAge, age, hasPrompt(config, "login"));
        const said = isOpenId
          ? await openIdClaims(config, provider, tokens.access_token, tokens.claims()!)
          : await plainClaims(config, provider, tokens.access_token);
        const claims = name ? { user: { name }, ...said } : said;
        const { mapping, emailsEndpoint } = provider;
        const listed = emailsEndpoint
          ? withListedEmail(mapping, claims, await resource(config, emailsEndpoint, EMAILS, tokens.access_token))
          : ([mapping, claims] as const);
        const identity = toIdentity(authorityOf(provider), ...listed);
        const { id_token: idToken } = tokens;
        const isKept = provider.signOut && idToken !== undefined && idToken.length <= HINT_LIMIT;
        if (!isKept) return identity;
        const hint: Hint = [identity.authority, idToken];
        return { ...identity, idTokenHint: hints.seal(JSON.stringify(hint)).toString("base64url") };
      }),
    carriedName: names.seal,
    signOutUrl: (tenantId, provider, state, hint) =>
      withUpstreamFailure(async () => {
        const config = await configure(tenantId, provider, false);
        const { end_session_endpoint: endpoint } = config.serverMetadata();
        if (!isHttps(endpoint)) throw new UpstreamFailure("misconfigured", "the metadata have no end_session_endpoint");
        const [authority, idToken]: Partial<Hint> = hint ? JSON.parse(hints.open(hint)) : [];
        const built = buildEndSessionUrl(config, {
          post_logout_redirect_uri: signedOutUriOf(publicUrl, provider.id),
          state,
          // The provider may have been reconfigured since; the new one must not read the old one's id_token.
          ...(idToken && authority === authorityOf(provider) && { id_token_hint: idToken }),
        });
        return asWritten(endpoint!, built);
      }),
  };
}

/** Keeps the endpoint's own query as the provider wrote it, which URL has rewritten, and appends the rest. */
function asWritten(endpoint: string, built: URL): string {
  const added = [...built.searchParams].slice(urlOf(endpoint).searchParams.size);
  return encodeUnsendable(extendAddress(endpoint, added));
}

/** Providers may reject prompts that they do not list. Without a list, those of OIDC Core 3.1.2.1 apply. */
function hasPrompt(config: Configuration, prompt: string): boolean {
  const listed: unknown = config.serverMetadata().prompt_values_supported;
  return !Array.isArray(listed) || listed.includes(prompt);
}

/** A provider that lists only other PKCE methods may reject S256 (RFC 8414 2). */
function hasPkce(config: Configuration): boolean {
  const listed: unknown = config.serverMetadata().code_challenge_methods_supported;
  return !Array.isArray(listed) || listed.length === 0 || listed.includes("S256");
}

/** The clock skew in seconds, as for an id_token. */
const CLOCK_TOLERANCE = 30;

/**
 * OIDC Core 3.1.2.1: with max_age an id_token has auth_time. Many providers omit it (Google, Entra ID). Then
 * prompt=login is accepted as proof if max_age was 0.
 * @param age seconds since the request
 * @throws UpstreamFailure
 */
function requireAnew(
  authTime: number | undefined,
  maxAge: number | undefined,
  age: number,
  hasPromptLogin: boolean,
): void {
  if (maxAge === undefined || (authTime === undefined && maxAge === 0 && hasPromptLogin)) return;
  if (authTime === undefined) throw new UpstreamFailure("not-anew", "the id_token has no auth_time");
  // The time since the request was spent at the provider.
  if (authTime + maxAge + age + CLOCK_TOLERANCE >= Date.now() / 1_000) return;
  throw new UpstreamFailure("not-anew", "according to auth_time the user did not sign in again");
}

/** A token endpoint rejects GET, so any such response shows that it is reachable. @throws UpstreamFailure */
async function requireAnswer(tokenEndpoint: string, guarded: GuardedFetch): Promise<void> {
  const { status } = await guarded(tokenEndpoint, { method: "GET", headers: {}, body: undefined, redirect: "manual" });
  // A proxy reports that the service behind it is unreachable.
  if (status >= 502 && status <= 504) throw new UpstreamFailure("unavailable", `the token endpoint answered ${status}`);
}

/** The id_token's claims, completed from userinfo. */
async function openIdClaims(
  config: Configuration,
  { mapping }: Provider,
  accessToken: string,
  claims: ProviderClaims & { sub: string },
): Promise<ProviderClaims> {
  const said = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
  if (!lacksClaims(mapping, said) || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await fetchUserInfo(config, accessToken, claims.sub)), ...said };
}

async function plainClaims(
  config: Configuration,
  { userinfoEndpoint }: Provider,
  accessToken: string,
): Promise<ProviderClaims> {
  const claims = await resource(config, userinfoEndpoint!, "the userinfo endpoint", accessToken);
  if (typeof claims === "object" && claims !== null && !Array.isArray(claims)) return claims as ProviderClaims;
  throw new UpstreamFailure("untrusted", "the userinfo endpoint answered no JSON object");
}

const EMAILS = "the e-mail addresses endpoint";

async function resource(config: Configuration, address: string, what: string, accessToken: string): Promise<unknown> {
  const headers = new Headers({ accept: "application/json" });
  const response = await fetchProtectedResource(config, accessToken, urlOf(address), "GET", null, headers);
  if (response.status !== 200) {
    throw new UpstreamFailure(kindOfStatus(response.status), `${what} answered ${response.status}`);
  }
  return answeredJson(response);
}

async function withUpstreamFailure<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw declined(error);
    throw toUpstreamFailure(error);
  }
}

/** Errors that mean no user signed in, or the user declined. */
const DECLINED = /^(login|interaction|consent|account_selection)_required$|cancel|den[iy]|declin/i;

/** Classifies by RFC 6749 4.1.2.1, and by providers' own codes, such as Apple's user_cancelled_authorize. */
function declined({ error, error_description }: AuthorizationResponseError): UpstreamFailure {
  const isDown = error === "server_error" || error === "temporarily_unavailable";
  const kind = isDown ? "unavailable" : DECLINED.test(error) ? "declined" : "misconfigured";
  return new UpstreamFailure(kind, `the authorization endpoint answered ${codeOf(error, error_description)}`);
}
