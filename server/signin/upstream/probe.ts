// Whether signing in at a provider would work, as far as that can be told without a user.

import { type Configuration, genericGrantRequest, type ServerMetadata } from "openid-client";
import type { EgressFetch } from "../../egress/index.ts";
import type { MasterKey } from "../../master-key.ts";
import { configurationOf, endpointsOf, type GuardedFetch, guardedFetch } from "./configuration.ts";
import { toUpstreamFailure, UpstreamFailure } from "./failure.ts";
import { ID_TOKEN_ALGS, readMetadata } from "./metadata.ts";
import type { Provider } from "./providers/store.ts";
import { redirectUriOf } from "./redirect-uri.ts";

export const PROBE_CHECKS = ["Metadata", "Keys", "Client", "Userinfo"] as const;
export const PROBE_OUTCOMES = ["Passed", "Failed", "Unknown"] as const;

export interface ProbeResult {
  /** No check has failed. */
  Works: boolean;
  /** In the order they were made; what depends on one that has failed is left out. */
  Checks: ProbeCheck[];
}

export interface ProbeCheck {
  Name: (typeof PROBE_CHECKS)[number];
  /** Unknown: the answer says neither. */
  Outcome: (typeof PROBE_OUTCOMES)[number];
  /** What was found, in words. */
  Message: string;
}

/** Reads everything anew; all of it has the time of one step of a sign-in. */
export type Probe = (provider: Provider) => Promise<ProbeResult>;

export function createProbe(fetch: EgressFetch, masterKey: MasterKey, publicUrl: string): Probe {
  return async (provider) => {
    const guarded = guardedFetch(fetch);
    const configured = (server: ServerMetadata) => configurationOf(server, provider, masterKey, guarded);
    const redirectUri = redirectUriOf(publicUrl, provider.id);
    const checks: ProbeCheck[] = [];
    if (provider.type === "OAuth2") {
      checks.push(await checkClient(configured(endpointsOf(provider)), redirectUri));
      checks.push(await checkUserinfo(provider.userinfoEndpoint!, guarded));
    } else {
      const { check, metadata } = await checkMetadata(provider.issuer!, guarded);
      checks.push(check);
      if (metadata)
        checks.push(await checkKeys(metadata, guarded), await checkClient(configured(metadata), redirectUri));
    }
    return { Works: checks.every(({ Outcome }) => Outcome !== "Failed"), Checks: checks };
  };
}

async function checkMetadata(
  issuer: string,
  guarded: GuardedFetch,
): Promise<{ check: ProbeCheck; metadata?: ServerMetadata }> {
  try {
    const metadata = await readMetadata(issuer, guarded);
    return { metadata, check: { Name: "Metadata", Outcome: "Passed", Message: "The issuer's metadata can be used." } };
  } catch (error) {
    return { check: failed("Metadata", error) };
  }
}

/** Kinds of keys that verify what is taken of id_tokens (RFC 7518 6, RFC 8037 2). */
const KEY_KINDS: Record<string, string> = { RSA: "RS256", "EC P-256": "ES256", "OKP Ed25519": "EdDSA" };

async function checkKeys({ jwks_uri }: ServerMetadata, guarded: GuardedFetch): Promise<ProbeCheck> {
  try {
    const keys = await readKeys(jwks_uri!, guarded);
    const algs = keys.flatMap(({ kty, crv, use }) => {
      const alg = KEY_KINDS[crv === undefined ? String(kty) : `${kty} ${crv}`];
      return alg === undefined || use === "enc" ? [] : [alg];
    });
    if (algs.length === 0) {
      throw new UpstreamFailure("misconfigured", `none of the ${keys.length} is for ${ID_TOKEN_ALGS.join(", ")}`);
    }
    const count = algs.length === 1 ? "1 key verifies" : `${algs.length} keys verify`;
    return { Name: "Keys", Outcome: "Passed", Message: `${count} id_tokens: ${[...new Set(algs)].join(", ")}.` };
  } catch (error) {
    return failed("Keys", error);
  }
}

/** RFC 7517 5. */
async function readKeys(uri: string, guarded: GuardedFetch): Promise<Record<string, unknown>[]> {
  const response = await get(uri, guarded);
  if (response.status !== 200) throw new UpstreamFailure("misconfigured", `their address answered ${response.status}`);
  const body = (await response.json().catch(() => undefined)) as { keys?: unknown } | null | undefined;
  if (!Array.isArray(body?.keys)) throw new UpstreamFailure("misconfigured", "their address answered no set of keys");
  return body.keys.filter((key) => typeof key === "object" && key !== null);
}

/**
 * Presents a code that nobody has issued: a provider that knows the client says that the code is wrong (invalid_grant),
 * another one that the client is (RFC 6749 5.2).
 */
async function checkClient(config: Configuration, redirectUri: string): Promise<ProbeCheck> {
  const madeUp = { code: crypto.randomUUID(), redirect_uri: redirectUri, code_verifier: crypto.randomUUID().repeat(2) };
  const Name = "Client";
  try {
    await genericGrantRequest(config, "authorization_code", madeUp);
    return { Name, Outcome: "Unknown", Message: "The token endpoint took a code that nobody has issued." };
  } catch (error) {
    const failure = toUpstreamFailure(error);
    if (!(failure instanceof UpstreamFailure)) throw failure;
    const { detail } = failure;
    if (detail.endsWith("invalid_grant")) {
      return { Name, Outcome: "Passed", Message: "The token endpoint takes the ClientId and its secret." };
    }
    if (/invalid_client|unauthorized_client| 401/.test(detail)) {
      return { Name, Outcome: "Failed", Message: `The ClientId or its secret is wrong: ${detail}.` };
    }
    // Some answer in words of their own, or look at the code first.
    const isTold = failure.kind !== "untrusted" && !detail.startsWith("the token endpoint answered");
    if (isTold) return failed(Name, failure);
    return {
      Name,
      Outcome: "Unknown",
      Message: `It cannot be told whether the ClientId and its secret are right: ${detail}.`,
    };
  }
}

/** Without a token: it has to be there, and to want one. */
async function checkUserinfo(uri: string, guarded: GuardedFetch): Promise<ProbeCheck> {
  try {
    const { status } = await get(uri, guarded);
    if (status === 404 || status >= 500) {
      throw new UpstreamFailure("misconfigured", `it answered ${status}`);
    }
    const Outcome = status === 401 || status === 403 ? "Passed" : "Unknown";
    return { Name: "Userinfo", Outcome, Message: `Without an access token the userinfo endpoint answered ${status}.` };
  } catch (error) {
    return failed("Userinfo", error);
  }
}

function get(uri: string, guarded: GuardedFetch): Promise<Response> {
  const headers = { accept: "application/json" };
  return guarded(uri, { method: "GET", headers, body: undefined, redirect: "manual" });
}

/** What each check is about. */
const SUBJECTS: Record<ProbeCheck["Name"], string> = {
  Metadata: "The issuer's metadata",
  Keys: "Its keys",
  Client: "The token endpoint",
  Userinfo: "The userinfo endpoint",
};

function failed(Name: ProbeCheck["Name"], error: unknown): ProbeCheck {
  const failure = toUpstreamFailure(error);
  if (!(failure instanceof UpstreamFailure)) throw failure;
  return { Name, Outcome: "Failed", Message: `${SUBJECTS[Name]} cannot be used: ${failure.detail}.` };
}
