// The issuer's signing keys: public parts published as JWKS, private parts sealed in PostgreSQL.

import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { Sql } from "../db/connection.ts";
import { type MasterKey, seal, unseal } from "../keys/master-key.ts";
import { insertSigningKey, listSigningKeys } from "./store.ts";

const PURPOSE = "signing key";
/** Other processes make keys too, so we look again when asked for more than we know, but not more often than this. */
const RELOAD_INTERVAL_MS = 1_000;

export interface SigningKeys {
  /** The live key of an algorithm. */
  signingKey(alg: string): Promise<{ kid: string; key: CryptoKey }>;
  /** A published key by its id and algorithm, or undefined. */
  verificationKey(kid: string, alg: string): Promise<CryptoKey | undefined>;
  /** RFC 7517 5. */
  jwks(): Promise<{ keys: JWK[] }>;
}

interface Key {
  kid: string;
  alg: string;
  publicJwk: JWK;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
  retired: boolean;
}

export function createSigningKeys(sql: Sql, masterKey: MasterKey): SigningKeys {
  let loading: Promise<Key[]> | undefined;
  let loadedAt = 0;

  function keys(): Promise<Key[]> {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  async function load(): Promise<Key[]> {
    loadedAt = Date.now();
    return Promise.all(
      (await listSigningKeys(sql)).map(async (stored) => ({
        kid: stored.kid,
        alg: stored.alg,
        publicJwk: stored.publicJwk as JWK,
        publicKey: (await importJWK(stored.publicJwk as JWK, stored.alg)) as CryptoKey,
        privateKey: (await importJWK(
          JSON.parse(unseal(masterKey, PURPOSE, stored.privateJwk)),
          stored.alg,
        )) as CryptoKey,
        retired: stored.retired,
      })),
    );
  }

  function reload(): Promise<Key[]> {
    loading = undefined;
    return keys();
  }

  /** With no key yet, the first one may come at any moment. */
  async function isFresh(): Promise<boolean> {
    return (await keys()).length > 0 && Date.now() - loadedAt < RELOAD_INTERVAL_MS;
  }

  const live = (all: Key[], alg: string) => all.find((key) => key.alg === alg && !key.retired);

  return {
    async signingKey(alg) {
      let key = live(await keys(), alg);
      if (!key) {
        await generate(sql, masterKey, alg);
        key = live(await reload(), alg);
      }
      return { kid: key!.kid, key: key!.privateKey };
    },
    async verificationKey(kid, alg) {
      const find = (all: Key[]) => all.find((key) => key.kid === kid && key.alg === alg)?.publicKey;
      const known = find(await keys());
      return known || (await isFresh()) ? known : find(await reload());
    },
    async jwks() {
      const all = (await isFresh()) ? await keys() : await reload();
      return { keys: all.map((key) => key.publicJwk) };
    },
  };
}

async function generate(sql: Sql, masterKey: MasterKey, alg: string): Promise<void> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  await insertSigningKey(sql, {
    kid,
    alg,
    publicJwk: { ...jwk, kid, alg, use: "sig" },
    privateJwk: seal(masterKey, PURPOSE, JSON.stringify(await exportJWK(pair.privateKey))),
  });
}
