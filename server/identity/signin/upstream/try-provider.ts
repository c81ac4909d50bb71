// Tests the parts of a provider that need no user.

import { type Configuration, genericGrantRequest, type ServerMetadata } from "openid-client";
import type { EgressFetch } from "../../../platform/egress/index.ts";
import { answeredJson } from "../../../platform/http/json.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import {
  authMethodOf,
  createConfigure,
  endpointsOf,
  type GuardedFetch,
  guardedFetch,
  isHttps,
  OtherIssuer,
  readMetadata,
  redirectUriOf,
} from "./configuration.ts";
import { toUpstreamFailure, UpstreamFailure } from "./failure.ts";
import type { PROBE_CHECKS, PROBE_OUTCOMES, Provider } from "./providers/contract.ts";
import { type AuthMethod, SECRET_METHODS } from "./providers/provider-words.ts";

export interface ProbeResult {
  /** True if no check has failed. */
  Works: boolean;
  /** In the order of execution; checks that depend on a failed one are left out. */
  Checks: ProbeCheck[];
}

export interface ProbeCheck {
  Name: (typeof PROBE_CHECKS)[number];
  /** Unknown: the response is inconclusive. */
  Outcome: (typeof PROBE_OUTCOMES)[number];
  Message: string;
}

/** Bypasses the cache; all requests share the time limit of one sign-in step. */
export type Probe = (tenantId: TenantId, provider: Provider) => Promise<ProbeResult>;

export function createProbe(fetch: EgressFetch, vault: Vault, publicUrl: string): Probe {
  const configurationOf = createConfigure(vault);
  return async (tenantId, provider) => {
    const guarded = guardedFetch(fetch, tenantId);
    const configuredAs: Configured = (server, changed) => configurationOf(server, changed, guarded);
    const redirectUri = redirectUriOf(publicUrl, provider.id);
    const checks: ProbeCheck[] = [];
    const client = (server: ServerMetadata) => checkClient(provider, server, redirectUri, configuredAs);
    if (provider.type === "OAuth2") {
      checks.push(await client(endpointsOf(provider)));
      checks.push(await checkUserinfo("Userinfo", provider.userinfoEndpoint!, guarded));
      if (provider.emailsEndpoint) checks.push(await checkUserinfo("Emails", provider.emailsEndpoint, guarded));
    } else {
      const { check, metadata } = await checkMetadata(provider, guarded);
      checks.push(check);
      if (metadata && !provider.idTokenAlg) checks.push(await checkKeys(metadata, guarded));
      if (metadata) checks.push(await client(metadata));
      if (metadata && provider.signOut) checks.push(checkSignOut(metadata));
    }
    return { Works: checks.every(({ Outcome }) => Outcome !== "Failed"), Checks: checks };
  };
}

async function checkMetadata(
  provider: Provider,
  guarded: GuardedFetch,
): Promise<{ check: ProbeCheck; metadata?: ServerMetadata }> {
  try {
    const metadata = await readMetadata(provider, guarded);
    return { metadata, check: { Name: "Metadata", Outcome: "Passed", Message: "The issuer's metadata can be used." } };
  } catch (error) {
    if (error instanceof OtherIssuer) return { check: { Name: "Metadata", Outcome: "Failed", Message: error.advice } };
    return { check: failed("Metadata", error) };
  }
}

/** The algorithms of each key type (RFC 7518 3.1, RFC 8037 3.1, RFC 9864 2.2). */
const KEY_KINDS = new Map<string, string[]>(
  Object.entries({
    RSA: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
    "EC P-256": ["ES256"],
    "EC P-384": ["ES384"],
    "EC P-521": ["ES512"],
    "OKP Ed25519": ["EdDSA", "Ed25519"],
  }),
);

async function checkKeys(metadata: ServerMetadata, guarded: GuardedFetch): Promise<ProbeCheck> {
  // Only algorithms that a sign-in accepts are left in the metadata.
  const taken = metadata.id_token_signing_alg_values_supported!;
  try {
    const keys = await readKeys(metadata.jwks_uri!, guarded);
    const usable = keys
      .map((key) => algsOf(key).filter((alg) => taken.includes(alg)))
      .filter((algs) => algs.length > 0);
    if (usable.length === 0) {
      throw new UpstreamFailure("misconfigured", `none of the ${keys.length} is for ${taken.join(", ")}`);
    }
    const count = usable.length === 1 ? "1 key verifies" : `${usable.length} keys verify`;
    const algs = taken.filter((alg) => usable.some((some) => some.includes(alg)));
    return { Name: "Keys", Outcome: "Passed", Message: `${count} id_tokens: ${algs.join(", ")}.` };
  } catch (error) {
    return failed("Keys", error);
  }
}

/** RFC 7517 4: a key with "alg" is only for that algorithm. */
function algsOf({ kty, crv, use, alg }: Record<string, unknown>): string[] {
  const kind = [kty, crv].filter((one) => typeof one === "string").join(" ");
  const algs = KEY_KINDS.get(kind) ?? [];
  if (use === "enc") return [];
  return alg === undefined ? algs : algs.filter((known) => known === alg);
}

/** RFC 7517 5. */
async function readKeys(uri: string, guarded: GuardedFetch): Promise<Record<string, unknown>[]> {
  const response = await get(uri, guarded);
  if (response.status !== 200) throw new UpstreamFailure("misconfigured", `their address answered ${response.status}`);
  const body = (await answeredJson(response)) as { keys?: unknown } | null | undefined;
  if (!Array.isArray(body?.keys)) throw new UpstreamFailure("misconfigured", "their address returned no key set");
  return body.keys.filter((key) => typeof key === "object" && key !== null);
}

type Configured = (server: ServerMetadata, provider: Provider) => Promise<Configuration>;

/** If one authentication method is rejected and the other works, the secret is right and the method is wrong. */
async function checkClient(
  provider: Provider,
  server: ServerMetadata,
  redirectUri: string,
  configured: Configured,
): Promise<ProbeCheck> {
  let method: AuthMethod;
  try {
    method = authMethodOf(server, provider);
  } catch (error) {
    return failed("Client", error);
  }
  const proof = method === "private_key_jwt" ? "our key" : provider.clientSecret === null ? undefined : "its secret";
  const asked = async (tokenEndpointAuthMethod: AuthMethod) => {
    const config = configured(server, { ...provider, tokenEndpointAuthMethod });
    return config.then(
      (made) => presentCode(made, redirectUri, proof),
      (error) => failed("Client", error),
    );
  };
  const check = await asked(method);
  if (check.Outcome === "Passed" || proof !== "its secret") return check;
  const other = SECRET_METHODS.find((one) => one !== method)!;
  if ((await asked(other)).Outcome !== "Passed") return check;
  const Message = `The token endpoint accepts the ClientId and its secret by ${other}, and not by ${method}: set TokenEndpointAuthMethod to ${other}.`;
  return { Name: "Client", Outcome: "Failed", Message };
}

/** By RFC 6749 5.2, an invalid code gets invalid_grant if the client is accepted, otherwise invalid_client. */
async function presentCode(config: Configuration, redirectUri: string, proof: string | undefined): Promise<ProbeCheck> {
  const madeUp = { code: crypto.randomUUID(), redirect_uri: redirectUri, code_verifier: crypto.randomUUID().repeat(2) };
  const Name = "Client";
  const credentials = proof ? `the ClientId and ${proof}` : "the ClientId";
  const isKey = proof === "our key";
  const wrong = isKey
    ? "The ClientId is wrong, or the provider has not read our key at JwksUri"
    : proof
      ? "The ClientId or its secret is wrong"
      : "The ClientId is wrong, or requires a secret";
  try {
    await genericGrantRequest(config, "authorization_code", madeUp);
    return { Name, Outcome: "Unknown", Message: "The token endpoint accepted an invalid code." };
  } catch (error) {
    const failure = toUpstreamFailure(error);
    if (!(failure instanceof UpstreamFailure)) throw failure;
    const { detail } = failure;
    if (detail.endsWith("invalid_grant")) {
      return { Name, Outcome: "Passed", Message: `The token endpoint accepts ${credentials}.` };
    }
    if (/invalid_client|unauthorized_client| 401/.test(detail)) {
      return { Name, Outcome: "Failed", Message: `${wrong}: ${detail}.` };
    }
    // Some providers use their own error codes, or check the code first.
    const isShown = failure.kind !== "untrusted" && !detail.startsWith("the token endpoint answered");
    if (isShown) return failed(Name, failure);
    return {
      Name,
      Outcome: "Unknown",
      Message: `It is unclear whether the token endpoint accepts ${credentials}: ${detail}.`,
    };
  }
}

/** OpenID Connect RP-Initiated Logout 1.0, 2.1. */
function checkSignOut({ end_session_endpoint: endpoint }: ServerMetadata): ProbeCheck {
  if (isHttps(endpoint))
    return { Name: "SignOut", Outcome: "Passed", Message: "The metadata have an end_session_endpoint." };
  const Message = "The metadata have no end_session_endpoint, so users are not signed out there: turn SignOut off.";
  return { Name: "SignOut", Outcome: "Failed", Message };
}

/** Sends no token: the endpoint must exist and demand one. */
async function checkUserinfo(Name: "Userinfo" | "Emails", uri: string, guarded: GuardedFetch): Promise<ProbeCheck> {
  try {
    const { status } = await get(uri, guarded);
    if (status === 404 || status >= 500) {
      throw new UpstreamFailure("misconfigured", `it answered ${status}`);
    }
    const Outcome = status === 401 || status === 403 ? "Passed" : "Unknown";
    const what = SUBJECTS[Name].replace(/^T/, "t");
    return { Name, Outcome, Message: `Without an access token ${what} answered ${status}.` };
  } catch (error) {
    return failed(Name, error);
  }
}

function get(uri: string, guarded: GuardedFetch): Promise<Response> {
  const headers = { accept: "application/json" };
  return guarded(uri, { method: "GET", headers, body: undefined, redirect: "manual" });
}

const SUBJECTS: Record<ProbeCheck["Name"], string> = {
  Metadata: "The issuer's metadata",
  Keys: "Its keys",
  Client: "The token endpoint",
  Userinfo: "The userinfo endpoint",
  Emails: "The e-mail addresses endpoint",
  SignOut: "The end_session_endpoint",
};

function failed(Name: ProbeCheck["Name"], error: unknown): ProbeCheck {
  const failure = toUpstreamFailure(error);
  if (!(failure instanceof UpstreamFailure)) throw failure;
  return { Name, Outcome: "Failed", Message: `${SUBJECTS[Name]} cannot be used: ${failure.detail}.` };
}
