// The issuer's signing keys: public parts published as JWKS, private parts sealed in PostgreSQL.

import { Elysia } from "elysia";
import { type CryptoKey, importJWK, type JWK } from "jose";
import type { Sql } from "../../../platform/db/sql.ts";
import { watch } from "../../../platform/db/watch.ts";
import { openTo, preflight } from "../../../platform/http/cors.ts";
import { requireMethod } from "../../../platform/http/request.ts";
import type { Seal, Vault } from "../../../platform/vault.ts";
import { JSON_WEB_KEY_SET, SIGNING_ALGS, type SigningAlg } from "../contract.ts";
import { type PublicEndpoint, SPEC_TAG } from "../declared.ts";
import { JWKS_PATH } from "../door.ts";
import { createKeyRotation, JWKS_MAX_AGE, SIGNING_KEY_PURPOSE } from "./key-rotation.ts";
import { currentTime, KEYS_CHANNEL, listSigningKeys, type StoredKey } from "./store.ts";

/** The minimum time between two look-ups of an unknown key, which may have been created just now. */
const LOOK_AGAIN_MS = 1_000;

export interface SigningKeys {
  signingKey(alg: SigningAlg): Promise<{ kid: string; key: CryptoKey }>;
  verificationKey(kid: string, alg: SigningAlg): Promise<CryptoKey | undefined>;
  /**
   * RFC 7517 5; never empty. It has the keys of algorithms that are in use. The best-known types come first, because
   * python-jose stops at the first key that it cannot read.
   */
  jwks(): Promise<{ keys: JWK[] }>;
}

interface Key {
  kid: string;
  alg: string;
  publicJwk: JWK;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
  signsFrom: Date;
  isPublished: boolean;
}

export function createSigningKeys(sql: Sql, vault: Vault): SigningKeys {
  const rotation = createKeyRotation(sql, vault);
  const seal = vault.sealFor(SIGNING_KEY_PURPOSE);
  /** Newest first. */
  let keys: Key[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** PostgreSQL's time at 0 of `performance.now`, in milliseconds. */
  let origin = 0;

  const watched = watch(sql, KEYS_CHANNEL, async () => {
    origin = (await currentTime(sql)).getTime() - performance.now();
    const stored = await listSigningKeys(sql);
    const complete = SIGNING_ALGS.every((alg) => stored.some((key) => key.alg === alg));
    if (!complete) await rotation.run();
    const known = new Map(keys.map((key) => [key.kid, key]));
    keys = await Promise.all(
      (complete ? stored : await listSigningKeys(sql)).map(async (key) => ({
        ...(known.get(key.kid) ?? (await open(seal, key))),
        signsFrom: key.signsFrom,
        isPublished: key.isPublished,
      })),
    );
  });

  return {
    async signingKey(alg) {
      await watched.current();
      const now = new Date(origin + performance.now());
      const own = keys.filter((key) => key.alg === alg);
      const live = own.find((key) => key.signsFrom <= now) ?? own.at(-1);
      if (!live) throw new Error(`There is no signing key for ${alg}.`);
      return { kid: live.kid, key: live.privateKey };
    },
    async verificationKey(kid, alg) {
      await watched.current();
      const find = () => keys.find((key) => key.kid === kid && key.alg === alg)?.publicKey;
      const known = find();
      if (known || performance.now() - lookedAt < LOOK_AGAIN_MS) return known;
      lookedAt = performance.now();
      await watched.reload();
      return find();
    },
    async jwks() {
      await watched.current();
      const published = keys.filter((key) => key.isPublished).map((key) => key.publicJwk);
      return { keys: published.toSorted((one, other) => placeOf(one) - placeOf(other)) };
    },
  };
}

const KEY_TYPES = ["RSA", "EC", "OKP"];
const placeOf = ({ kty }: JWK) => KEY_TYPES.indexOf(kty!);

async function open(seal: Seal, stored: StoredKey): Promise<Key> {
  const publicJwk = stored.publicJwk as JWK;
  const privateJwk = JSON.parse(seal.open(stored.privateJwk)) as JWK;
  return {
    kid: stored.kid,
    alg: stored.alg,
    publicJwk,
    publicKey: (await importJWK(publicJwk, stored.alg)) as CryptoKey,
    privateKey: (await importJWK(privateJwk, stored.alg)) as CryptoKey,
    signsFrom: stored.signsFrom,
    isPublished: stored.isPublished,
  };
}

export const JWKS: PublicEndpoint = {
  kind: "public",
  path: JWKS_PATH,
  id: "getJwks",
  tag: SPEC_TAG,
  summary: "The public keys that verify tokens",
  description:
    "Of the algorithms that clients and APIs use. Reload it for an unknown kid (OpenID Connect Core 10.1.1).",
  answer: { description: "RFC 7517 5.", schema: JSON_WEB_KEY_SET },
};

/** The published keys (RFC 7517). */
export function jwksController(keys: SigningKeys) {
  return new Elysia()
    .options(JWKS_PATH, ({ request }) => preflight(request, "*", ["GET"]))
    .all(JWKS_PATH, async ({ request }) => {
      requireMethod(request, "GET");
      const headers = { "cache-control": `public, max-age=${JWKS_MAX_AGE}` };
      return openTo("*", Response.json(await keys.jwks(), { headers }));
    });
}
