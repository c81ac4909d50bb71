// What openid-client is told of a provider, and what the provider says of itself; all of it through the egress guard.

import { importJWK } from "jose";
import { LRUCache } from "lru-cache";
import {
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  modifyAssertion,
  None,
  PrivateKeyJwt,
  type ServerMetadata,
} from "openid-client";
import type { EgressFetch } from "../../egress/index.ts";
import type { TenantId } from "../../ids.ts";
import type { Vault } from "../../vault.ts";
import { toUpstreamFailure, UpstreamFailure } from "./failure.ts";
import { type AuthMethod, type Provider, SECRET_METHODS } from "./providers/store.ts";

/** What a sealed secret is for; it opens for nothing else. */
export const CLIENT_SECRET_PURPOSE = "identity provider's client secret";

export const CLIENT_KEY_PURPOSE = "identity provider's client key";

/** All that one step asks of a provider has to be answered within this time. */
const STEP_TIMEOUT_MS = 10_000;

export type GuardedFetch = NonNullable<Configuration[typeof customFetch]>;

/** As what a provider is spoken to. */
export type Configure = (server: ServerMetadata, provider: Provider, guarded: GuardedFetch) => Promise<Configuration>;

export function createConfigure(vault: Vault): Configure {
  const secrets = vault.sealFor(CLIENT_SECRET_PURPOSE);
  const keys = vault.sealFor(CLIENT_KEY_PURPOSE);
  return async (server, provider, guarded) => {
    const { clientSecret, clientKey, tokenEndpointAuthMethod } = provider;
    const authentication =
      clientKey && tokenEndpointAuthMethod === "private_key_jwt"
        ? await keyAuthentication(server, provider, keys.open(clientKey))
        : secretAuthentication(server, provider, clientSecret && secrets.open(clientSecret));
    const config = isMicrosoftShared(server)
      ? await sharedConfiguration(server, provider, authentication)
      : new Configuration(server, provider.clientId, {}, authentication);
    config[customFetch] = tolerant(server, (url, options) => guarded(asGiven(server, url), options));
    // OIDC Core 3.1.3.7 lets a client trust TLS in place of the signature; we look at both.
    if (provider.type === "OpenIDConnect") enableNonRepudiationChecks(config);
    return config;
  };
}

/** What others call the errors of RFC 6749 5.2 (GitHub, Slack). */
const OTHER_WORDS = new Map([
  ["bad_verification_code", "invalid_grant"],
  ["invalid_code", "invalid_grant"],
  ["code_already_used", "invalid_grant"],
  ["incorrect_client_credentials", "invalid_client"],
  ["invalid_client_id", "invalid_client"],
  ["bad_client_secret", "invalid_client"],
]);

/**
 * Token endpoints as they are: some answer errors with 200 (GitHub, Slack), leave token_type out, or send a list as
 * scope (Twitch) or null. Nothing but these three members is used of an answer.
 */
function tolerant({ token_endpoint }: ServerMetadata, guarded: GuardedFetch): GuardedFetch {
  return async (url, options) => {
    const response = await guarded(url, options);
    if (options.method !== "POST" || !response.ok) return response;
    if (url !== new URL(token_endpoint!).href) return response;
    const body = (await response
      .clone()
      .json()
      .catch(() => null)) as Record<string, unknown> | null;
    if (typeof body?.error === "string" && !body.access_token) {
      return Response.json({ error: OTHER_WORDS.get(body.error) ?? body.error }, { status: 400 });
    }
    if (typeof body?.access_token !== "string") return response;
    const { access_token, token_type, id_token } = body;
    return Response.json({ access_token, token_type: token_type ?? "Bearer", id_token: id_token ?? undefined });
  };
}

/** openid-client has parsed the endpoint that it asks, which may have changed how it is written. */
function asGiven(server: ServerMetadata, href: string): string {
  const isIt = (value: unknown): value is string =>
    typeof value === "string" && URL.canParse(value) && new URL(value).href === href;
  return Object.values(server).find(isIt) ?? href;
}

/** What Microsoft's `common` and `organizations` call themselves: an id_token's issuer has its `tid` there. */
const MICROSOFT_SHARED = "https://login.microsoftonline.com/{tenantid}/v2.0";

function isMicrosoftShared({ issuer }: ServerMetadata): boolean {
  return issuer === MICROSOFT_SHARED;
}

/** openid-client compares such an issuer by the `tid` if it has read the metadata by itself. */
function sharedConfiguration(
  server: ServerMetadata,
  { issuer, clientId }: Provider,
  authentication: ClientAuth,
): Promise<Configuration> {
  const read = () => Promise.resolve(Response.json(server));
  return discovery(new URL(issuer!), clientId, {}, authentication, { [customFetch]: read });
}

/** OIDC Core 9: by RS256, or by PS256 where that alone is taken; both are the same key's. */
async function keyAuthentication(server: ServerMetadata, { type }: Provider, jwk: string): Promise<ClientAuth> {
  const taken: unknown = server.token_endpoint_auth_signing_alg_values_supported;
  const algs = ["RS256", "PS256"];
  const alg = Array.isArray(taken) ? algs.find((one) => taken.includes(one)) : algs[0];
  if (!alg) throw new UpstreamFailure("misconfigured", `the token endpoint takes neither ${algs.join(" nor ")}`);
  const { kid, ...parameters } = JSON.parse(jwk);
  const key = (await importJWK(parameters, alg)) as CryptoKey;
  // What plain OAuth 2.0 has as its issuer here is made up (RFC 7523 3).
  const audience = (_: object, claims: Record<string, unknown>) => {
    if (type === "OAuth2") claims.aud = server.token_endpoint;
  };
  return PrivateKeyJwt({ key, kid }, { [modifyAssertion]: audience });
}

/** RFC 7517 5: what is public of a key, as a provider reads it. */
export async function publishedKey(vault: Vault, sealed: Uint8Array): Promise<object> {
  const { kty, n, e, kid } = JSON.parse(vault.sealFor(CLIENT_KEY_PURPOSE).open(sealed));
  return { keys: [{ kty, n, e, kid, use: "sig" }] };
}

function secretAuthentication(server: ServerMetadata, provider: Provider, secret: string | null): ClientAuth {
  if (secret === null) return None();
  return authMethodOf(server, provider) === "client_secret_basic"
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret);
}

/** @throws UpstreamFailure if the token endpoint takes no secret */
export function authMethodOf(server: ServerMetadata, { tokenEndpointAuthMethod: given }: Provider): AuthMethod {
  if (given) return given;
  // OIDC Discovery 3: by default client_secret_basic.
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const method = SECRET_METHODS.find((known) => methods.includes(known));
  if (method) return method;
  throw new UpstreamFailure("misconfigured", `the token endpoint takes neither ${SECRET_METHODS.join(" nor ")}`);
}

/** Of plain OAuth 2.0, which has no metadata to read. */
export function endpointsOf({ authorizationEndpoint, tokenEndpoint, userinfoEndpoint }: Provider): ServerMetadata {
  return {
    issuer: new URL(tokenEndpoint!).origin,
    authorization_endpoint: authorizationEndpoint!,
    token_endpoint: tokenEndpoint!,
    userinfo_endpoint: userinfoEndpoint!,
  };
}

/** One time limit for all requests of a step, which are a tenant's. */
export function guardedFetch(fetch: EgressFetch, tenantId: TenantId): GuardedFetch {
  const until = Date.now() + STEP_TIMEOUT_MS;
  return (url, { method, headers, body }) =>
    fetch(tenantId, url, {
      method: method === "POST" ? "POST" : "GET",
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      timeoutMs: Math.max(1, until - Date.now()),
    });
}

// What an issuer says of itself (OpenID Connect Discovery 1.0).

/** RFC 8725 3.1: what an id_token may be signed by, whatever the provider says it can. None of them has a shared key. */
const ID_TOKEN_ALGS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Issuers whose metadata are kept. */
const ISSUERS = 1_000;

/** For how long a provider is taken to be there, or not to be, once it was asked. */
const ASKED_MS = 3_000;

/** Who asks while the same is being asked, or shortly after, gets the same answer, or the same failure. */
export function createAskOnce<Answer>() {
  const answers = new LRUCache<string, Promise<Answer>>({ max: ISSUERS });
  return (key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const known = answers.get(key);
    if (known) return known;
    const answer = ask();
    const keep = () => void answers.set(key, answer, { ttl: ASKED_MS });
    answers.set(key, answer);
    answer.then(keep, keep);
    return answer;
  };
}

/** Reads and keeps providers' metadata. What an issuer says is the same for all tenants. */
export function createMetadata(lifetimeMs: number) {
  const kept = new LRUCache<string, ServerMetadata>({ max: ISSUERS, ttl: lifetimeMs });
  /** @param isAnew what is kept is not enough: whether the provider is there is the question */
  return async (issuer: string, guarded: GuardedFetch, isAnew: boolean): Promise<ServerMetadata> => {
    const known = isAnew ? undefined : kept.get(issuer);
    if (known) return known;
    const metadata = await readMetadata(issuer, guarded);
    kept.set(issuer, metadata);
    return metadata;
  };
}

/** @throws UpstreamFailure */
export async function readMetadata(issuer: string, guarded: GuardedFetch): Promise<ServerMetadata> {
  return requireUsable(issuer, await discover(issuer, guarded));
}

async function discover(issuer: string, guarded: GuardedFetch): Promise<ServerMetadata> {
  try {
    const config = await discovery(new URL(issuer), "discovery", undefined, None(), { [customFetch]: guarded });
    return { ...config.serverMetadata() };
  } catch (error) {
    const found = otherIssuer(error);
    if (found !== undefined) throw new OtherIssuer(issuer, found);
    const failure = toUpstreamFailure(error);
    // Nobody has claimed anything yet: there is no such issuer.
    const isElsewhere = failure instanceof UpstreamFailure && failure.kind === "untrusted";
    throw isElsewhere ? new UpstreamFailure("misconfigured", failure.detail) : failure;
  }
}

/** Who speaks at an issuer's address calls itself otherwise. */
export class OtherIssuer extends UpstreamFailure {
  /** What the provider calls itself, for the administrator who set the Issuer. */
  readonly advice: string;

  constructor(issuer: string, found: string) {
    super("misconfigured", "the metadata are another issuer's");
    const shown = found.replace(/\p{C}/gu, "?").slice(0, MAX_SHOWN);
    const isSlash = found.replace(/\/$/, "") === issuer.replace(/\/$/, "");
    const difference = isSlash ? `, ${found.endsWith("/") ? "with" : "without"} a slash at its end` : "";
    this.advice = `The metadata are those of the issuer ${shown}${difference}. If that is the one, set Issuer to it.`;
  }
}

/** Characters of what a provider calls itself. */
const MAX_SHOWN = 300;

/** What a provider calls itself, where that is what openid-client stumbles over. */
function otherIssuer(error: unknown): string | undefined {
  if (!(error instanceof ClientError) || error.code !== "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED") return undefined;
  const { cause } = error.cause instanceof Error ? error.cause : error;
  const { attribute, body } = (cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
  return attribute === "issuer" && typeof body?.issuer === "string" ? body.issuer : undefined;
}

/** @throws UpstreamFailure */
function requireUsable(issuer: string, metadata: ServerMetadata): ServerMetadata {
  if (!isMicrosoftShared(metadata) && new URL(metadata.issuer).href !== new URL(issuer).href) {
    throw new OtherIssuer(issuer, metadata.issuer);
  }
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
  if (!authorization_endpoint || !token_endpoint || !jwks_uri) {
    throw new UpstreamFailure("misconfigured", "the metadata lack an endpoint");
  }
  // The browser is sent to the first of them, so it must be a place on the web; egress looks at the others again.
  for (const [name, address] of Object.entries({
    authorization_endpoint,
    token_endpoint,
    jwks_uri,
    userinfo_endpoint,
  })) {
    if (address !== undefined && !isHttps(address)) {
      throw new UpstreamFailure("misconfigured", `the metadata's ${name} is no https address`);
    }
  }
  const algs = listOf(metadata, "id_token_signing_alg_values_supported") ?? ["RS256"];
  const usable = algs.filter((alg) => ID_TOKEN_ALGS.includes(alg));
  if (usable.length === 0) throw new UpstreamFailure("misconfigured", "no algorithm for id_tokens in common");
  return {
    ...metadata,
    id_token_signing_alg_values_supported: usable,
    token_endpoint_auth_methods_supported: listOf(metadata, "token_endpoint_auth_methods_supported"),
  };
}

/** Nobody has looked at what stands in the metadata yet, whatever its type says. @throws UpstreamFailure */
function listOf(
  metadata: ServerMetadata,
  name: "id_token_signing_alg_values_supported" | "token_endpoint_auth_methods_supported",
): string[] | undefined {
  const value: unknown = metadata[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw new UpstreamFailure("misconfigured", `the metadata's ${name} is no list`);
}

export function isHttps(address: unknown): boolean {
  return typeof address === "string" && URL.canParse(address) && new URL(address).protocol === "https:";
}

/** Who speaks of a subject: a provider that is pointed somewhere else speaks of other users. */
export function authorityOf({
  type,
  issuer,
  userinfoEndpoint,
  mapping,
}: Pick<Provider, "type" | "issuer" | "userinfoEndpoint" | "mapping">): string {
  return type === "OpenIDConnect" ? issuer! : `${userinfoEndpoint}#${mapping.Subject ?? "sub"}`;
}

/**
 * Where a provider sends the browser back to: an address for each, so that an answer that one of them has passed on to
 * another's sign-in arrives at the wrong one (RFC 9700 4.4.2.2). `iss` alone would not do, for not all of them send it.
 */
export function redirectUriOf(publicUrl: string, providerId: number | string): string {
  return addressOf(publicUrl, providerId, "callback");
}

/** Where a provider sends the browser back to that has signed out there. */
export function signedOutUriOf(publicUrl: string, providerId: number | string): string {
  return addressOf(publicUrl, providerId, "signed-out");
}

/** Where a provider reads the key that we prove ourselves by. */
export function jwksUriOf(publicUrl: string, providerId: number | string): string {
  return addressOf(publicUrl, providerId, "jwks");
}

function addressOf(publicUrl: string, providerId: number | string, last: string): string {
  return `${publicUrl}/signin/upstream/${providerId}/${last}`;
}
