// A trial of the authorization code flow in Settings, in process through the public endpoints. Tokens are decoded and
// revoked at once; they never leave the process.

import { createHash } from "node:crypto";
import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";
import { contextOf } from "../../platform/http/context.ts";
import type { FindKnownClient } from "./clients/known-clients.ts";
import type { Bindings } from "./console-client.ts";
import type { SigningAlg } from "./contract.ts";
import { AUTHORIZATION_PATH, JWKS_PATH, REVOCATION_PATH, RFC_TOKEN_PATH, USERINFO_PATH } from "./door.ts";
import { halfHash } from "./tokens/id-token.ts";
import { userOfIssuedSubject } from "./tokens/subjects.ts";

/** A check that every client must do. */
export interface Check {
  text: string;
  isRight: boolean;
}

/** A token without its signature. */
export interface ReadToken {
  header: object;
  claims: JWTPayload;
  checks: Check[];
}

export interface TrialOutcome {
  /** The token endpoint's response with tokens replaced by a placeholder. */
  token: { status: number; body: Record<string, unknown> };
  /** A different user has signed in, so no data is shown. */
  isAnothers?: boolean;
  idToken?: ReadToken;
  accessToken?: ReadToken;
  userinfo?: { status: number; body: unknown };
}

export interface Trial {
  clientId: string;
  redirectUri: string;
  bindings: Bindings;
  scope: string;
  /** The Audience of the target API (RFC 8707); "": this service. */
  resource: string;
}

export interface Trials {
  authorizationRequest(trial: Trial, state: string): { path: string; parameters: URLSearchParams };
  /** @param by the visitor, who must be the token's user; `secret` is "" for a client without one */
  exchange(by: { request: Request; userId: number }, trial: Trial, code: string, secret: string): Promise<TrialOutcome>;
}

type Json = Record<string, unknown>;

/** @param answer sends a request to the provider */
export function createTrials(
  issuer: string,
  findClient: FindKnownClient,
  answer: (request: Request) => Promise<Response>,
): Trials {
  return {
    authorizationRequest({ clientId, redirectUri, bindings: { nonce, verifier }, scope, resource }, state) {
      const parameters = new URLSearchParams({
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        ...(resource && { resource }),
      });
      return { path: AUTHORIZATION_PATH, parameters };
    },

    async exchange(
      { request, userId },
      { clientId, redirectUri, bindings: { nonce, verifier }, resource },
      code,
      secret,
    ) {
      const ask = async (path: string, form?: Record<string, string>, bearer?: string) => {
        const body = form && new URLSearchParams(form);
        const asked = new Request(`http://localhost${path}`, { method: form ? "POST" : "GET", body });
        if (bearer) asked.headers.set("authorization", `Bearer ${bearer}`);
        contextOf(asked).address = contextOf(request).address;
        const response = await answer(asked);
        return { status: response.status, body: (await response.json().catch(() => ({}))) as Json };
      };
      const client = { client_id: clientId, ...(secret && { client_secret: secret }) };
      const grant = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
      const token = await ask(RFC_TOKEN_PATH, { ...client, ...grant });
      if (token.status !== 200) return { token };
      const { access_token, id_token, refresh_token } = token.body as Record<string, string | undefined>;
      try {
        const known = await findClient(clientId);
        const isOwn =
          known !== undefined && userOfIssuedSubject(known, String(decodeJwt(access_token!).sub)) === userId;
        if (!isOwn) return { token: hidden(token), isAnothers: true };
        const keys = createLocalJWKSet((await ask(JWKS_PATH)).body as never);
        const read = (jwt: string, more: (claims: JWTPayload, alg: string) => Check[]) =>
          readToken(jwt, keys, issuer, more);
        return {
          token: hidden(token),
          accessToken: await read(access_token!, ({ aud, client_id }) => [
            { text: `aud is ${resource || issuer}`, isRight: aud === (resource || issuer) },
            { text: `client_id is ${clientId}`, isRight: client_id === clientId },
          ]),
          ...(id_token && {
            idToken: await read(id_token, (claims, alg) => [
              { text: `aud is ${clientId}`, isRight: claims.aud === clientId },
              { text: "nonce equals that of the request", isRight: claims.nonce === nonce },
              {
                text: "at_hash matches the access token",
                isRight: claims.at_hash === halfHash(alg as SigningAlg, access_token),
              },
            ]),
            // Userinfo rejects tokens for other APIs.
            ...(!resource && { userinfo: await ask(USERINFO_PATH, undefined, access_token) }),
          }),
        };
      } finally {
        // Revoking a refresh token also ends its access tokens.
        await ask(REVOCATION_PATH, { ...client, token: refresh_token ?? access_token! });
      }
    },
  };
}

const TOKENS = ["access_token", "id_token", "refresh_token"];

function hidden({ status, body }: { status: number; body: Json }) {
  const shown = Object.entries(body).map(([name, value]) => [name, TOKENS.includes(name) ? "…" : value]);
  return { status, body: Object.fromEntries(shown) as Json };
}

async function readToken(
  token: string,
  keys: ReturnType<typeof createLocalJWKSet>,
  issuer: string,
  more: (claims: JWTPayload, alg: string) => Check[],
): Promise<ReadToken> {
  const header = decodeProtectedHeader(token);
  const claims = decodeJwt(token);
  const isSigned = await compactVerify(token, keys).then(
    () => true,
    () => false,
  );
  const left = Math.round((claims.exp ?? 0) - Date.now() / 1_000);
  return {
    header,
    claims,
    checks: [
      { text: `signed with ${header.alg} by key ${header.kid} of the JWKS`, isRight: isSigned },
      { text: `iss is ${issuer}`, isRight: claims.iss === issuer },
      { text: `exp is ${left} s from now`, isRight: left > 0 },
      ...more(claims, header.alg!),
    ],
  };
}
