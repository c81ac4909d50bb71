// Tokens bound to a client's key (RFC 9449): at the endpoints that issue them, and on use.

import type { Sql } from "../../../platform/db/sql.ts";
import { Unauthorized } from "../../../platform/errors.ts";
import { contextOf } from "../../../platform/http/context.ts";
import type { TenantId } from "../../../platform/ids.ts";
import type { Vault } from "../../../platform/vault.ts";
import type { bearerTokens } from "../../../records/index.ts";
import type { SECURITY_PROFILES } from "../contract.ts";
import type { Refusal } from "../declared.ts";
import { TokenError } from "../errors.ts";
import type { Mtls } from "../mtls.ts";
import { createNonces, NONCE_LIFETIME } from "./nonces.ts";
import { DPOP_ALGS, type Proof, readProof, WrongProof } from "./proof.ts";
import { insertUsedProof } from "./used-proofs.store.ts";

const NO_NONCE = "Send the DPoP proof again, with the nonce in the header DPoP-Nonce.";

/** Errors of endpoints that accept proofs (RFC 9449 5). */
export const REFUSED_PROOF: Refusal[] = [
  {
    when: "The DPoP proof is invalid, or missing.",
    error: new TokenError("invalid_dpop_proof", "The client must send a DPoP proof: the header DPoP is missing."),
  },
  {
    when: "The DPoP proof has no nonce, or an expired one.",
    error: new TokenError("use_dpop_nonce", NO_NONCE),
    headers: ["DPoP-Nonce"],
  },
];

export interface Dpop {
  /** The thumbprint of the proved key; undefined: no proof. @throws TokenError invalid_dpop_proof, use_dpop_nonce */
  keyOf(request: Request, client: ProvingClient): Promise<string | undefined>;
  checkPossession: bearerTokens.CheckPossession;
}

interface ProvingClient {
  tenantId: TenantId;
  securityProfile: (typeof SECURITY_PROFILES)[number];
}

/** Seconds for which a used proof is kept: longer than its nonce's lifetime, to allow for clock differences. */
const KEPT_SECONDS = 2 * NONCE_LIFETIME;

interface DpopDependencies {
  sql: Sql;
  vault: Vault;
  mtls: Pick<Mtls, "baseOf">;
  findClient(clientId: string): Promise<ProvingClient | undefined>;
}

export function createDpop({ sql, vault, mtls, findClient }: DpopDependencies): Dpop {
  const nonces = createNonces(vault);

  /** @returns why the proof is rejected; undefined if it is now used for the first time */
  async function use(request: Request, tenantId: TenantId, proof: Proof): Promise<"stale" | "used" | undefined> {
    contextOf(request).headers["dpop-nonce"] = nonces.current();
    if (proof.nonce === undefined || !nonces.isLive(proof.nonce)) return "stale";
    return (await insertUsedProof(sql, tenantId, proof, KEPT_SECONDS)) ? undefined : "used";
  }

  return {
    async keyOf(request, { tenantId, securityProfile }) {
      const proof = await readProof(request, mtls.baseOf(request)).catch((error) => {
        throw error instanceof WrongProof ? wrong(error.message) : error;
      });
      if (!proof) return undefined;
      if (!mayBeSignedBy(proof.alg, securityProfile)) throw wrong(OTHER_ALG);
      const problem = await use(request, tenantId, proof);
      if (problem === "stale") throw new TokenError("use_dpop_nonce", NO_NONCE);
      if (problem === "used") throw wrong("it was used before");
      return proof.jkt;
    },

    async checkPossession(request, { scheme, token }, { tenantId, clientId, jkt }) {
      // RFC 9449 7.1 and 7.2: the scheme must match the token's binding.
      if (jkt === undefined)
        throw refused("invalid_token", "The access token is not bound to a key: send it as Bearer.");
      if (scheme !== "DPoP") {
        throw refused("invalid_token", "The access token is bound to a key: send it as DPoP, with a DPoP proof.");
      }
      const proof = await readProof(request, mtls.baseOf(request), token).catch((error) => {
        throw error instanceof WrongProof ? refusedProof(error.message) : error;
      });
      if (!proof) throw refusedProof("it is missing");
      if (proof.jkt !== jkt)
        throw refused(
          "invalid_token",
          "The access token is bound to a different key: sign the DPoP proof with that key.",
        );
      if (!mayBeSignedBy(proof.alg, (await findClient(clientId))?.securityProfile)) throw refusedProof(OTHER_ALG);
      const problem = await use(request, tenantId, proof);
      if (problem === "stale") throw refused("use_dpop_nonce", NO_NONCE);
      if (problem === "used") throw refusedProof("it was used before");
    },
  };
}

const OTHER_ALG = "alg must not be RS256";

/** FAPI 2.0 Security Profile 5.4.1. */
function mayBeSignedBy(alg: string, profile: ProvingClient["securityProfile"] | undefined): boolean {
  return profile !== "FAPI2" || alg !== "RS256";
}

function wrong(reason: string): TokenError {
  return new TokenError("invalid_dpop_proof", `The DPoP proof is invalid: ${reason}.`);
}

function refusedProof(reason: string): Unauthorized {
  return refused("invalid_dpop_proof", `The DPoP proof is invalid: ${reason}.`);
}

/** RFC 9449 7.1. */
function refused(error: string, reason: string): Unauthorized {
  return new Unauthorized(reason, `DPoP error="${error}", algs="${DPOP_ALGS.join(" ")}"`);
}
