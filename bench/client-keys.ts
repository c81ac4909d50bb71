// Clients of bench/tokens.ts with a key: they authenticate by private_key_jwt, push their requests, or bind their tokens
// by DPoP. All sign by ES256 with one key, so their own cost is the same with both servers.

import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { type Conversation, requestText } from "./load.ts";

/** A server's endpoints and parameters for these clients. */
export interface Asked {
  issuer: string;
  paths: { token: string; push: string; authorization: string };
  /** Parameters of a token request. */
  grant: Record<string, string>;
  /** The token endpoint's URL according to the Host header. */
  tokenAddress: string;
}

/** A client for one connection of the bench. */
export interface KeyClient {
  clientId: string;
  redirectUri: string;
  /** The session of a user who has signed in and given consent. */
  cookie: string;
}

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

export const PUBLIC_JWK = publicKey.export({ format: "jwk" });

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const VERIFIER = "v".repeat(43);
const PKCE = {
  code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
  code_challenge_method: "S256",
};

/** Tokens for the client itself. */
export function issuances(asked: Asked, { clientId }: KeyClient): Conversation {
  const { paths, grant } = asked;
  return {
    next: () => form(paths.token, { grant_type: "client_credentials", ...grant, ...assertion(asked, clientId) }),
    heard: requireToken,
  };
}

/** A user's tokens: a pushed authorization request, its authorization, and the redemption of the code. */
export function pushedCodes(asked: Asked, { clientId, redirectUri, cookie }: KeyClient): Conversation {
  const { paths, grant } = asked;
  const scope = `openid ${grant.scope}`;
  let next = push;
  function push(): string {
    const request = { response_type: "code", redirect_uri: redirectUri, state: "s", ...PKCE, ...grant, scope };
    return form(paths.push, { ...request, ...assertion(asked, clientId) });
  }
  return {
    next: () => next(),
    heard(body, head) {
      const { request_uri, access_token, id_token } = body.startsWith("{") ? JSON.parse(body) : ({} as never);
      if (request_uri) {
        const query = new URLSearchParams({ client_id: clientId, request_uri });
        next = () => requestText("GET", `${paths.authorization}?${query}`, { cookie });
        return;
      }
      if (access_token && id_token) {
        if (access_token.split(".").length !== 3) throw new Error(`An access token is no JWT: ${body}`);
        next = push;
        return;
      }
      const code = new URL(/^location: *(\S+)/im.exec(head)?.[1] ?? "none:").searchParams.get("code");
      if (!code) throw new Error(`There is no code: ${head}\n\n${body}`);
      const { resource } = grant;
      const redeemed = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: VERIFIER };
      next = () => form(paths.token, { ...redeemed, ...(resource && { resource }), ...assertion(asked, clientId) });
    },
  };
}

/** Tokens for the client itself, bound to the key. The client authenticates by its secret. */
export async function boundIssuances(asked: Asked, url: string, authorization: string): Promise<Conversation> {
  const { paths, grant, tokenAddress } = asked;
  const fields = { grant_type: "client_credentials", ...grant };
  const first = await fetch(url + paths.token, {
    method: "POST",
    headers: { authorization, host: "localhost", dpop: proof(tokenAddress) },
    body: new URLSearchParams(fields),
  });
  let nonce = first.headers.get("dpop-nonce");
  if (!nonce) throw new Error(`There is no nonce: ${first.status} ${await first.text()}`);
  return {
    next: () => form(paths.token, fields, { authorization, dpop: proof(tokenAddress, nonce!) }),
    heard(body, head) {
      if (!body.includes('"token_type":"DPoP"')) throw new Error(`A token is not bound: ${body}`);
      nonce = /^dpop-nonce: *(\S+)/im.exec(head)?.[1] ?? nonce;
    },
  };
}

function proof(htu: string, nonce?: string): string {
  const claims = { jti: randomUUID(), htm: "POST", htu, iat: seconds(), ...(nonce && { nonce }) };
  return jwt({ typ: "dpop+jwt", jwk: PUBLIC_JWK }, claims);
}

function assertion({ issuer }: Asked, clientId: string): Record<string, string> {
  const iat = seconds();
  const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat, exp: iat + 60 };
  return { client_id: clientId, client_assertion_type: ASSERTION_TYPE, client_assertion: jwt({}, claims) };
}

function jwt(header: object, claims: object): string {
  const text = [{ alg: "ES256", ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

function form(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): string {
  return requestText("POST", path, {
    ...headers,
    "content-type": "application/x-www-form-urlencoded",
    body: String(new URLSearchParams(fields)),
  });
}

function requireToken(body: string): void {
  if (!body.includes('"access_token":')) throw new Error(`There is no token: ${body}`);
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}
