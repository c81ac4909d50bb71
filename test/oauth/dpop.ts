// A client's key, and DPoP proofs by it (RFC 9449 4).

import { createHash, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { issuer } from "../authorize/client.ts";

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
