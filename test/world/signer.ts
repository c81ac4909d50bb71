// A client that signs: its keys, its record, its JWTs, and its DPoP proofs (RFC 9449 4).

import { createHash, randomUUID } from "node:crypto";
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";
import { certificate } from "../support/certificate.ts";
import { type Api, ok } from "./api.ts";
import { issuer } from "./client.ts";
import { newMember } from "./tenant.ts";

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export interface Signer {
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

export async function newSigner(alg = "ES256", kid: string | undefined = Bun.randomUUIDv7()): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), ...(kid && { kid }) };
  return {
    ...{ alg, privateKey, jwk },
    sign: (claims, header) =>
      new SignJWT(claims).setProtectedHeader({ alg, ...(kid && { kid }), ...header }).sign(privateKey),
  };
}

/** The claims of a valid assertion. */
export function assertionClaims(clientId: string, audience: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return { iss: clientId, sub: clientId, aud: audience, jti: Bun.randomUUIDv7(), iat: now, exp: now + 60 };
}

/** The form of a client assertion. */
export const assertion = (jwt: string) => ({ client_assertion_type: ASSERTION_TYPE, client_assertion: jwt });

/** The tenant's own client, set by an administrator to authenticate by this signer's key. */
export async function provesBy(client: Api, { jwk }: Signer, changes: Record<string, unknown> = {}): Promise<void> {
  const credentials = { TokenEndpointAuthMethod: "private_key_jwt", Jwks: { keys: [jwk] }, ...changes };
  await ok((await newMember(client, "admin")).patch(`/Application/${client.clientId}/Credentials`, credentials));
}

export interface Published extends AsyncDisposable {
  uri: string;
  /** Its response. */
  answer: () => Response;
  /** The number of requests for it. */
  asked: number;
}

/** An address where a client publishes its keys, with a certificate that Gatehouse trusts. */
export function publish(answer: () => Response): Published {
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls: certificate },
    fetch() {
      published.asked++;
      return published.answer();
    },
  });
  const published: Published = {
    ...{ uri: `https://localhost:${server.port}/keys`, answer, asked: 0 },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return published;
}

export interface ProofParts {
  method?: string;
  path: string;
  accessToken?: string;
  /** Replaces valid claims; undefined removes one. */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
}

export class DpopKey {
  nonce: string | undefined;

  private constructor(
    readonly jwk: JWK,
    readonly jkt: string,
    readonly privateKey: CryptoKey,
    readonly alg: string,
  ) {}

  static async make(alg = "ES256"): Promise<DpopKey> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = await exportJWK(publicKey);
    return new DpopKey(jwk, await calculateJwkThumbprint(jwk), privateKey, alg);
  }

  /** The same key with a different algorithm, and its own nonce. */
  async signingBy(alg: string): Promise<DpopKey> {
    const { alg: _, ...jwk } = await exportJWK(this.privateKey);
    const other = new DpopKey(this.jwk, this.jkt, (await importJWK(jwk, alg)) as CryptoKey, alg);
    other.nonce = this.nonce;
    return other;
  }

  proof({ method = "POST", path, accessToken, claims, header }: ProofParts): Promise<string> {
    const right = {
      jti: randomUUID(),
      htm: method,
      htu: issuer() + path,
      iat: Math.floor(Date.now() / 1_000),
      nonce: this.nonce,
      ath: accessToken && createHash("sha256").update(accessToken).digest("base64url"),
    };
    return new SignJWT({ ...right, ...claims } as never)
      .setProtectedHeader({ typ: "dpop+jwt", alg: this.alg, jwk: this.jwk, ...header } as never)
      .sign(this.privateKey);
  }
}
