// What an issuer says of itself (OpenID Connect Discovery 1.0).

import { LRUCache } from "lru-cache";
import { ClientError, customFetch, discovery, None, type ServerMetadata } from "openid-client";
import { type GuardedFetch, isMicrosoftShared } from "./configuration.ts";
import { toUpstreamFailure, UpstreamFailure } from "./failure.ts";

/** RFC 8725 3.1: what an id_token may be signed by, whatever the provider says it can. None of them has a shared key. */
const ID_TOKEN_ALGS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Issuers whose metadata are kept. */
const ISSUERS = 1_000;

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
  /** For who has set the Issuer: what it calls itself, which is the provider's own word. */
  readonly advice: string;

  constructor(issuer: string, found: string) {
    super("misconfigured", "the metadata are another issuer's");
    const shown = found.replace(/\p{C}/gu, "?").slice(0, MOST_SHOWN);
    const isSlash = found.replace(/\/$/, "") === issuer.replace(/\/$/, "");
    const difference = isSlash ? `, ${found.endsWith("/") ? "with" : "without"} a slash at its end` : "";
    this.advice = `The metadata are those of the issuer ${shown}${difference}. If that is the one, set Issuer to it.`;
  }
}

/** Characters of what a provider calls itself. */
const MOST_SHOWN = 300;

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

function isHttps(address: unknown): boolean {
  return typeof address === "string" && URL.canParse(address) && new URL(address).protocol === "https:";
}
