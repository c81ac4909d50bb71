// What openid-client is told of a provider, and by what it speaks to it: the egress guard.

import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ServerMetadata,
} from "openid-client";
import type { EgressFetch } from "../../egress/index.ts";
import type { MasterKey } from "../../master-key.ts";
import type { TenantId } from "../../tenant-id.ts";
import { UpstreamFailure } from "./failure.ts";
import { openSecret } from "./providers/secret.ts";
import { AUTH_METHODS, type AuthMethod, type Provider } from "./providers/store.ts";

/** All that one step asks of a provider has to be answered within this time. */
const STEP_TIMEOUT_MS = 10_000;

export type GuardedFetch = NonNullable<Configuration[typeof customFetch]>;

export async function configurationOf(
  server: ServerMetadata,
  provider: Provider,
  masterKey: MasterKey,
  guarded: GuardedFetch,
): Promise<Configuration> {
  const authentication = clientAuthentication(server, provider, openSecret(masterKey, provider));
  const config = isMicrosoftShared(server)
    ? await sharedConfiguration(server, provider, authentication)
    : new Configuration(server, provider.clientId, {}, authentication);
  config[customFetch] = guarded;
  // OIDC Core 3.1.3.7 lets a client trust TLS in place of the signature; we look at both.
  if (provider.type === "OpenIDConnect") enableNonRepudiationChecks(config);
  return config;
}

/** What Microsoft's `common` and `organizations` call themselves: an id_token's issuer has its `tid` there. */
const MICROSOFT_SHARED = "https://login.microsoftonline.com/{tenantid}/v2.0";

export function isMicrosoftShared({ issuer }: ServerMetadata): boolean {
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

function clientAuthentication(server: ServerMetadata, provider: Provider, secret: string | null): ClientAuth {
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
  const method = AUTH_METHODS.find((known) => methods.includes(known));
  if (method) return method;
  throw new UpstreamFailure("misconfigured", `the token endpoint takes neither ${AUTH_METHODS.join(" nor ")}`);
}

/** Of plain OAuth 2.0, which has no metadata to read. */
export function endpointsOf({ authorizationEndpoint, tokenEndpoint }: Provider): ServerMetadata {
  return {
    issuer: new URL(tokenEndpoint!).origin,
    authorization_endpoint: authorizationEndpoint!,
    token_endpoint: tokenEndpoint!,
  };
}

/** One time limit for all requests of a step, which are a tenant's. */
export function guardedFetch(fetch: EgressFetch, tenantId: TenantId): GuardedFetch {
  const until = Date.now() + STEP_TIMEOUT_MS;
  return (url, { method, headers, body }) =>
    fetch(tenantId, new URL(url), {
      method: method === "POST" ? "POST" : "GET",
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      timeoutMs: Math.max(1, until - Date.now()),
    });
}
