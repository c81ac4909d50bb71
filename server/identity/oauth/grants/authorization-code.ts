import { createHash, timingSafeEqual } from "node:crypto";
import { digestOf } from "../../signin/opaque.ts";
import { findCode, redeemCode, type StoredCode } from "../authorize/store.ts";
import { isRegisteredUri } from "../clients/credential-rules.ts";
import type { Client } from "../clients/store.ts";
import type { Door } from "../door.ts";
import { requireField } from "../endpoint.ts";
import { TokenError } from "../errors.ts";
import { leftOf } from "../issuable.ts";
import { targetOf } from "../resources.ts";
import { common } from "../scopes.ts";
import { requireKey } from "./bound.ts";
import { type GrantRequest, type Issued, revokeReused } from "./grant.ts";
import { issueTokens } from "./issue.ts";

/** RFC 6749 4.1.3: a code is valid once, for the client it was issued to. */
export async function authorizationCode(request: Omit<GrantRequest, "allApis" | "access">): Promise<Issued> {
  const { client, form, door, sql, families, apis, resource, jkt } = request;
  const digest = digestOf(requireField(form, "code"));
  const code = await findCode(sql, client.tenantId, digest);
  if (!code) throw noCode();
  ownCode(client.id, code);
  if (code.isUsed) return reusedCode(request, digest);
  unexpired(code);
  stillRegistered(client, code);
  sameRedirectUri(door, code, form.redirect_uri);
  knownVerifier(code, form.code_verifier);
  requireKey(code.dpopJkt, jkt, "code");
  const authentication = {
    authTime: Math.floor(code.authTime.getTime() / 1000),
    acr: code.acr,
    amr: code.amr,
  };
  const { userId } = code;
  const named = [...code.claims.idToken, ...code.claims.userinfo];
  const { scopes: granted, resources, claims } = leftOf(client, { ...code, claims: named });
  const target = targetOf(apis, resources, resource);
  const userinfoNames = common(code.claims.userinfo, claims);
  const { family, ...started } = families.start({
    clientId: client.id,
    userId,
    scopes: granted,
    resources,
    claims: userinfoNames,
    lifetime: client.refreshTokenLifetime ?? undefined,
    ...authentication,
  });
  const { isUserActive, sessionId, isTaken } = await redeemCode(sql, client.tenantId, digest, { ...family, userId });
  if (!isUserActive) throw noCode();
  if (sessionId === null) throw sessionEnded();
  if (!isTaken) return reusedCode(request, digest);

  return issueTokens(request, {
    target,
    scopes: granted,
    asked: code.scope ?? undefined,
    ...started,
    sessionId,
    user: { id: userId, ...authentication },
    nonce: code.nonce ?? undefined,
    idTokenNames: common(code.claims.idToken, claims),
    isSessionAsked: code.claims.idToken.includes("sid"),
    userinfoNames,
  });
}

function noCode(): TokenError {
  return new TokenError("invalid_grant", "The code is invalid or expired.");
}

function sessionEnded(): TokenError {
  return new TokenError("invalid_grant", "The session of the code has ended. The user must sign in again.");
}

function ownCode(clientId: number, code: StoredCode): void {
  if (code.clientId !== clientId)
    throw new TokenError("another_clients_grant", "The code was issued to another client.");
}

function unexpired(code: StoredCode): void {
  if (code.isExpired) throw new TokenError("invalid_grant", "The code has expired. The user must sign in again.");
}

/** The redirect URI or response type may have been removed from the client since. */
function stillRegistered(client: Client, { redirectUri, responseType }: StoredCode): void {
  if (!isRegisteredUri(client, client.redirectUris, redirectUri)) {
    throw new TokenError(
      "invalid_grant",
      "The redirect_uri that the code was sent to is no longer registered. The user must sign in again.",
    );
  }
  if (!client.responseTypes.includes(responseType)) {
    throw new TokenError("invalid_grant", `The client is no longer permitted to use response_type ${responseType}.`);
  }
}

/** Optional at the spec door; RFC 6749 4.1.3 requires it if the authorization request had it. */
function sameRedirectUri(door: Door, code: StoredCode, sent: string | undefined): void {
  if (!sent && door === "rfc" && code.redirectUriSent) {
    throw new TokenError("invalid_request", "redirect_uri is missing; the authorization request had one.");
  }
  if (sent && sent !== code.redirectUri) {
    throw new TokenError("invalid_grant", "redirect_uri differs from that of the authorization request.");
  }
}

/** @throws TokenError */
async function reusedCode(request: Omit<GrantRequest, "allApis" | "access">, digest: Buffer): Promise<never> {
  const used = await findCode(request.sql, request.client.tenantId, digest);
  if (!used?.isJustUsed || !isOfVerifier(request, used)) return revokeReused(request, "code", used);
  throw new TokenError(
    "invalid_grant",
    "The code was used a moment ago, by a request with the same code_verifier. Use its tokens, or start again.",
  );
}

/**
 * Whether the request has the verifier, so it is from the browser that received the code. Client authentication does not
 * suffice: a client also redeems a stolen code that is injected into its own callback (RFC 9700 4.5).
 */
function isOfVerifier(
  { door, form, jkt, client }: Pick<GrantRequest, "door" | "form" | "jkt" | "client">,
  code: StoredCode,
): boolean {
  // The FAPI 2.0 conformance suite expects that tokens of a reused code are revoked.
  if (code.codeChallenge === null || client.securityProfile === "FAPI2") return false;
  try {
    sameRedirectUri(door, code, form.redirect_uri);
    knownVerifier(code, form.code_verifier);
    requireKey(code.dpopJkt, jkt, "code");
    return true;
  } catch (error) {
    if (error instanceof TokenError) return false;
    throw error;
  }
}

/** RFC 7636 4.6; a verifier without a challenge is a downgrade (RFC 9700 2.1.1). */
function knownVerifier({ codeChallenge }: StoredCode, verifier: string | undefined): void {
  if (codeChallenge === null) {
    if (verifier)
      throw new TokenError("invalid_grant", "The authorization request had no code_challenge. Omit code_verifier.");
    return;
  }
  if (!verifier) throw new TokenError("invalid_grant", "code_verifier is missing.");
  const right = Buffer.from(codeChallenge, "base64url");
  const given = createHash("sha256").update(verifier).digest();
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier) || right.length !== given.length || !timingSafeEqual(right, given)) {
    throw new TokenError("invalid_grant", "code_verifier does not match the code_challenge.");
  }
}
