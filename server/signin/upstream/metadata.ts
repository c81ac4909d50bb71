// What an issuer says of itself (OpenID Connect Discovery 1.0).

import { customFetch, discovery, None, type ServerMetadata } from "openid-client";
import type { GuardedFetch } from "./configuration.ts";
import { toUpstreamFailure, UpstreamFailure } from "./failure.ts";

/** RFC 8725 3.1: what an id_token may be signed by, whatever the provider says it can. */
export const ID_TOKEN_ALGS = ["RS256", "ES256", "EdDSA", "Ed25519"];

/** Reads and keeps providers' metadata. What an issuer says is the same for all tenants. */
export function createMetadata(lifetimeMs: number) {
  const kept = new Map<string, { metadata: ServerMetadata; until: number }>();
  return async (issuer: string, guarded: GuardedFetch): Promise<ServerMetadata> => {
    const known = kept.get(issuer);
    if (known && known.until > Date.now()) return known.metadata;
    const metadata = await readMetadata(issuer, guarded);
    for (const [name, { until }] of kept) if (until <= Date.now()) kept.delete(name);
    kept.set(issuer, { metadata, until: Date.now() + lifetimeMs });
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

function isHttps(address: unknown): boolean {
  return typeof address === "string" && URL.canParse(address) && new URL(address).protocol === "https:";
}
