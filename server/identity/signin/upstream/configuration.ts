// Configures openid-client for a provider from its settings and metadata; all requests pass the egress guard.

import { compactVerify, importJWK } from "jose";
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
import { readUrl, urlOf } from "../../../platform/address.ts";
import type { EgressFetch } from "../../../platform/egress/index.ts";
import { answeredJson, isTooDeep, MAX_JSON_DEPTH } from "../../../platform/http/json.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import { toUpstreamFailure, UpstreamFailure } from "./failure.ts";
import type { Provider } from "./providers/contract.ts";
import { type AuthMethod, SECRET_METHODS } from "./providers/provider-words.ts";
import type { LinkedIdentity } from "./store.ts";

export const CLIENT_SECRET_PURPOSE = "identity provider's client secret";

export const CLIENT_KEY_PURPOSE = "identity provider's client key";

const STEP_TIMEOUT_MS = 10_000;

export type GuardedFetch = NonNullable<Configuration[typeof customFetch]>;

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
      : new Configuration(server, provider.clientId, idTokenOf(provider), authentication);
    config[customFetch] = tolerant(server, (url, options) => guarded(asGiven(server, url), options));
    // OIDC Core 3.1.3.7 allows trusting TLS instead of the signature; this client checks both.
    if (provider.type === "OpenIDConnect" && !provider.idTokenAlg) enableNonRepudiationChecks(config);
    return config;
  };
}

/** openid-client compares the algorithm but cannot verify an HMAC, so requireSecretSigned does. */
const idTokenOf = ({ idTokenAlg }: Provider) => (idTokenAlg ? { id_token_signed_response_alg: idTokenAlg } : {});

/** @throws UpstreamFailure if the provider's id_tokens are signed by its secret, and this one is not */
export function createRequireSecretSigned(vault: Vault) {
  const secrets = vault.sealFor(CLIENT_SECRET_PURPOSE);
  return async ({ idTokenAlg, clientSecret }: Provider, idToken: string): Promise<void> => {
    if (!idTokenAlg) return;
    const key = new TextEncoder().encode(secrets.open(clientSecret!));
    await compactVerify(idToken, key, { algorithms: [idTokenAlg] }).catch(() => {
      throw new UpstreamFailure("untrusted", `the id_token is not signed by the ClientSecret (${idTokenAlg})`);
    });
  };
}

/** Non-standard names for the errors of RFC 6749 5.2 (GitHub, Slack). */
const OTHER_WORDS = new Map([
  ["bad_verification_code", "invalid_grant"],
  ["invalid_code", "invalid_grant"],
  ["code_already_used", "invalid_grant"],
  ["incorrect_client_credentials", "invalid_client"],
  ["invalid_client_id", "invalid_client"],
  ["bad_client_secret", "invalid_client"],
]);

/**
 * Accepts non-conforming token responses: errors with status 200 (GitHub, Slack), a missing token_type, a scope that is
 * a list (Twitch) or null. Only these three members are used.
 */
function tolerant({ token_endpoint }: ServerMetadata, guarded: GuardedFetch): GuardedFetch {
  return async (url, options) => {
    const response = await guarded(url, options);
    if (options.method !== "POST" || !response.ok) return response;
    if (url !== urlOf(token_endpoint!).href) return response;
    const body = (await answeredJson(response.clone())) as Record<string, unknown> | null | undefined;
    if (typeof body?.error === "string" && !body.access_token) {
      return Response.json({ error: OTHER_WORDS.get(body.error) ?? body.error }, { status: 400 });
    }
    if (typeof body?.access_token !== "string") return response;
    const { access_token, token_type, id_token } = body;
    return Response.json({ access_token, token_type: token_type ?? "Bearer", id_token: id_token ?? undefined });
  };
}

/** openid-client has parsed the endpoint's URL, which may have changed its spelling. */
function asGiven({ token_endpoint, jwks_uri, userinfo_endpoint }: ServerMetadata, href: string): string {
  const given = [token_endpoint, jwks_uri, userinfo_endpoint];
  return given.find((address) => address !== undefined && readUrl(address)?.href === href) ?? href;
}

/** The issuer in the metadata of Microsoft's `common` and `organizations`; an id_token has its `tid` in that place. */
const MICROSOFT_SHARED = "https://login.microsoftonline.com/{tenantid}/v2.0";

function isMicrosoftShared({ issuer }: ServerMetadata): boolean {
  return issuer === MICROSOFT_SHARED;
}

/** openid-client compares such an issuer by `tid` only if it has read the metadata itself. */
function sharedConfiguration(
  server: ServerMetadata,
  { issuer, clientId }: Provider,
  authentication: ClientAuth,
): Promise<Configuration> {
  const read = () => Promise.resolve(Response.json(server));
  return discovery(urlOf(issuer!), clientId, {}, authentication, { [customFetch]: read });
}

/** OIDC Core 9: RS256, or PS256 if only that is supported; one key serves both. */
async function keyAuthentication(server: ServerMetadata, { type }: Provider, jwk: string): Promise<ClientAuth> {
  const taken: unknown = server.token_endpoint_auth_signing_alg_values_supported;
  const algs = ["RS256", "PS256"];
  const alg = Array.isArray(taken) ? algs.find((one) => taken.includes(one)) : algs[0];
  if (!alg) throw new UpstreamFailure("misconfigured", `the token endpoint takes neither ${algs.join(" nor ")}`);
  const { kid, ...parameters } = JSON.parse(jwk);
  const key = (await importJWK(parameters, alg)) as CryptoKey;
  // Plain OAuth 2.0 has no issuer; this one is made up, so the audience is the token endpoint (RFC 7523 3).
  const audience = (_: object, claims: Record<string, unknown>) => {
    if (type === "OAuth2") claims.aud = server.token_endpoint;
  };
  return PrivateKeyJwt({ key, kid }, { [modifyAssertion]: audience });
}

/** RFC 7517 5: the public part of a key, as a provider reads it. */
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

/** @throws UpstreamFailure if the token endpoint accepts no client secret */
export function authMethodOf(server: ServerMetadata, { tokenEndpointAuthMethod: given }: Provider): AuthMethod {
  if (given) return given;
  // OIDC Discovery 3: the default is client_secret_basic.
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const method = SECRET_METHODS.find((known) => methods.includes(known));
  if (method) return method;
  throw new UpstreamFailure("misconfigured", `the token endpoint takes neither ${SECRET_METHODS.join(" nor ")}`);
}

/** Plain OAuth 2.0 has no metadata, so the endpoints come from the settings. */
export function endpointsOf({ authorizationEndpoint, tokenEndpoint, userinfoEndpoint }: Provider): ServerMetadata {
  return {
    issuer: urlOf(tokenEndpoint!).origin,
    authorization_endpoint: authorizationEndpoint!,
    token_endpoint: tokenEndpoint!,
    userinfo_endpoint: userinfoEndpoint!,
  };
}

/** Applies one time limit to all requests of a step, which count as the tenant's. */
export function guardedFetch(fetch: EgressFetch, tenantId: TenantId): GuardedFetch {
  const until = Date.now() + STEP_TIMEOUT_MS;
  return async (url, { method, headers, body }) => {
    const response = await fetch(tenantId, url, {
      method: method === "POST" ? "POST" : "GET",
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      timeoutMs: Math.max(1, until - Date.now()),
    });
    if (!isTooDeep(await response.clone().text())) return response;
    throw new UpstreamFailure("misconfigured", `an answer is nested deeper than ${MAX_JSON_DEPTH} levels`);
  };
}

// An issuer's metadata (OpenID Connect Discovery 1.0).

/** RFC 8725 3.1: the accepted id_token algorithms, independent of the provider's list. All are asymmetric. */
const ID_TOKEN_ALGS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

const ISSUERS = 1_000;

/** Milliseconds for which a reachability result is reused. */
const ASKED_MS = 3_000;

/** Concurrent and closely following callers share one request and its result, failures included. */
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

/** Reads and caches providers' metadata, which is the same for all tenants. */
export function createMetadata(lifetimeMs: number) {
  const kept = new LRUCache<string, ServerMetadata>({ max: ISSUERS, ttl: lifetimeMs });
  /** @param isAnew bypasses the cache, to check that the provider is reachable */
  return async (source: MetadataSource, guarded: GuardedFetch, isAnew: boolean): Promise<ServerMetadata> => {
    const key = sourceKey(source);
    const known = isAnew ? undefined : kept.get(key);
    if (known) return known;
    const metadata = await readMetadata(source, guarded);
    kept.set(key, metadata);
    return metadata;
  };
}

type MetadataSource = Pick<Provider, "issuer" | "metadataUri" | "idTokenAlg">;

export const sourceKey = ({ issuer, metadataUri, idTokenAlg }: MetadataSource) =>
  [issuer, metadataUri, idTokenAlg].join(" ");

export async function readMetadata(source: MetadataSource, guarded: GuardedFetch): Promise<ServerMetadata> {
  const { issuer, metadataUri } = source;
  return requireUsable(source, await (metadataUri ? readAt(metadataUri, guarded) : discover(issuer!, guarded)));
}

async function readAt(metadataUri: string, guarded: GuardedFetch): Promise<ServerMetadata> {
  const headers = { accept: "application/json" };
  const response = await guarded(metadataUri, { method: "GET", headers, body: undefined, redirect: "manual" });
  if (response.status !== 200) {
    throw new UpstreamFailure(
      response.status >= 500 ? "unavailable" : "misconfigured",
      `the metadata's address answered ${response.status}`,
    );
  }
  const metadata = (await answeredJson(response)) as ServerMetadata | null | undefined;
  if (isAddress(metadata?.issuer)) return metadata!;
  throw new UpstreamFailure("misconfigured", NO_ISSUER);
}

const NO_ISSUER = "the metadata name no issuer";

const isAddress = (value: unknown) => typeof value === "string" && readUrl(value) !== undefined;

async function discover(issuer: string, guarded: GuardedFetch): Promise<ServerMetadata> {
  // openid-client parses the issuer to compare it.
  const read: GuardedFetch = async (url, options) => {
    const response = await guarded(url, options);
    const metadata = (await answeredJson(response.clone())) as Partial<ServerMetadata> | null | undefined;
    if (metadata?.issuer === undefined || isAddress(metadata.issuer)) return response;
    throw new UpstreamFailure("misconfigured", NO_ISSUER);
  };
  try {
    const config = await discovery(urlOf(issuer), "discovery", undefined, None(), { [customFetch]: read });
    return { ...config.serverMetadata() };
  } catch (error) {
    const found = otherIssuer(error);
    if (found !== undefined) throw new OtherIssuer({ issuer, metadataUri: null }, found);
    const failure = toUpstreamFailure(error);
    // This is a setting, not a claim from a token: the issuer does not exist.
    const isElsewhere = failure instanceof UpstreamFailure && failure.kind === "untrusted";
    throw isElsewhere ? new UpstreamFailure("misconfigured", failure.detail) : failure;
  }
}

/** The metadata at an issuer's address names another issuer. */
export class OtherIssuer extends UpstreamFailure {
  /** The issuer that the provider names, for the administrator who set the Issuer. */
  readonly advice: string;

  constructor({ issuer, metadataUri }: Pick<MetadataSource, "issuer" | "metadataUri">, found: string) {
    super("misconfigured", "the metadata belong to a different issuer");
    const shown = found.replace(/\p{C}/gu, "?").slice(0, MAX_SHOWN);
    const isSlash = found.replace(/\/$/, "") === issuer!.replace(/\/$/, "");
    const difference = isSlash ? `, ${found.endsWith("/") ? "with" : "without"} a slash at its end` : "";
    const address = metadataUri ?? `${issuer!.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const more = isSlash || metadataUri ? "" : `, and MetadataUri to ${address}`;
    this.advice = `The metadata belong to the issuer ${shown}${difference}. If that is correct, set Issuer to it${more}.`;
  }
}

/** The maximum number of characters. */
const MAX_SHOWN = 300;

function otherIssuer(error: unknown): string | undefined {
  if (!(error instanceof ClientError) || error.code !== "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED") return undefined;
  const { cause } = error.cause instanceof Error ? error.cause : error;
  const { attribute, body } = (cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
  return attribute === "issuer" && typeof body?.issuer === "string" ? body.issuer : undefined;
}

function requireUsable(source: MetadataSource, metadata: ServerMetadata): ServerMetadata {
  // With an address of its own, other organisations' metadata could be meant by mistake.
  const isAnyOrganisation = isMicrosoftShared(metadata) && !source.metadataUri;
  if (!isAnyOrganisation && urlOf(metadata.issuer).href !== urlOf(source.issuer!).href) {
    throw new OtherIssuer(source, metadata.issuer);
  }
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
  if (!authorization_endpoint || !token_endpoint || !jwks_uri) {
    throw new UpstreamFailure("misconfigured", "the metadata lack an endpoint");
  }
  // Browsers are redirected to the authorization endpoint, so it must be an http(s) URL. Egress checks the others
  // again.
  for (const [name, address] of Object.entries({
    authorization_endpoint,
    token_endpoint,
    jwks_uri,
    userinfo_endpoint,
  })) {
    if (address !== undefined && !isHttps(address)) {
      throw new UpstreamFailure("misconfigured", `the metadata's ${name} is not an https address`);
    }
  }
  const algs = listOf(metadata, "id_token_signing_alg_values_supported") ?? ["RS256"];
  // Metadata may omit the algorithm that an administrator has chosen (LINE).
  const usable = source.idTokenAlg
    ? [source.idTokenAlg]
    : [...new Set(algs)].filter((alg) => ID_TOKEN_ALGS.includes(alg));
  if (usable.length === 0) throw new UpstreamFailure("misconfigured", "no common id_token algorithm");
  return {
    ...metadata,
    id_token_signing_alg_values_supported: usable,
    // Some providers sign userinfo without listing it. The signature is verified, except with HS256, where TLS suffices.
    userinfo_signing_alg_values_supported:
      listOf(metadata, "userinfo_signing_alg_values_supported")?.filter((alg) => ID_TOKEN_ALGS.includes(alg)) ??
      ID_TOKEN_ALGS,
    token_endpoint_auth_methods_supported: listOf(metadata, "token_endpoint_auth_methods_supported"),
  };
}

/** Metadata is unchecked input, despite its type. @throws UpstreamFailure */
function listOf(
  metadata: ServerMetadata,
  name:
    | "id_token_signing_alg_values_supported"
    | "userinfo_signing_alg_values_supported"
    | "token_endpoint_auth_methods_supported",
): string[] | undefined {
  const value: unknown = metadata[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw new UpstreamFailure("misconfigured", `the metadata's ${name} is not a list`);
}

export function isHttps(address: unknown): boolean {
  return typeof address === "string" && readUrl(address)?.protocol === "https:";
}

/** The namespace of a provider's subjects: a provider with other endpoints has other users. */
export function authorityOf({
  type,
  issuer,
  metadataUri,
  userinfoEndpoint,
  mapping,
}: Pick<Provider, "type" | "issuer" | "metadataUri" | "userinfoEndpoint" | "mapping">): string {
  if (type === "OpenIDConnect") return metadataUri ? `${issuer} ${metadataUri}` : issuer!;
  return `${userinfoEndpoint}#${mapping.Subject ?? "sub"}`;
}

/**
 * The redirect URI of a provider. Each provider has its own, so a response that one provider replays into a different
 * sign-in is detected (RFC 9700 4.4.2.2). `iss` does not suffice, because some providers omit it.
 */
export function redirectUriOf(publicUrl: string, providerId: number | string): string {
  return addressOf(publicUrl, providerId, "callback");
}

export function signedOutUriOf(publicUrl: string, providerId: number | string): string {
  return addressOf(publicUrl, providerId, "signed-out");
}

export function jwksUriOf(publicUrl: string, providerId: number | string): string {
  return addressOf(publicUrl, providerId, "jwks");
}

function addressOf(publicUrl: string, providerId: number | string, last: string): string {
  return `${publicUrl}/signin/upstream/${providerId}/${last}`;
}

/** Whether the provider is active and still has the authority that was linked. */
export function isUsable(identity: LinkedIdentity): boolean {
  return identity.isActive && identity.authority === authorityOf(identity);
}
