// The lifecycle of a signing key: published, then signing, then published until its last token has expired. A key whose
// algorithm no client and no API uses is not published, because some libraries reject a set with an unknown key type.

import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import type { Sql, Transaction } from "../../../platform/db/sql.ts";
import { HOUR_MS } from "../../../platform/durations.ts";
import type { SealedColumn, Vault } from "../../../platform/vault.ts";
import { SIGNING_ALGS, type SigningAlg } from "../contract.ts";
import {
  currentTime,
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  publishUsedKeys,
  type StoredKey,
} from "./store.ts";

export const SIGNING_KEY_PURPOSE = "signing key";

export const SEALED_SIGNING_KEYS: SealedColumn = {
  table: "signing_keys",
  column: "private_jwk",
  purpose: SIGNING_KEY_PURPOSE,
};

/** Seconds for which readers may cache the JWKS. */
export const JWKS_MAX_AGE = 300;
/** How long a key is published before it signs on a manual rotation: longer than cached JWKS. */
const REPLACED_AFTER_MS = 2 * JWKS_MAX_AGE * 1_000;
const SIGNING_MS = 90 * 24 * HOUR_MS;
/** How long a scheduled key is published before it signs: much longer than JWKS_MAX_AGE. */
const ANNOUNCED_MS = 24 * HOUR_MS;
/** How long a key is published after signing: longer than the longest-lived JWT, the refresh token of 30 days. */
const RETIRED_MS = 31 * 24 * HOUR_MS;

/** The results of a rotation, by key id. */
export interface RotatedKeys {
  announced: string[];
  removed: string[];
}

export interface KeyRotation {
  /**
   * Creates first keys, announces next ones in time, removes those with no live token, and publishes those of used
   * algorithms. @param at default: now
   */
  run(at?: Date): Promise<RotatedKeys>;
  /**
   * Publishes a new key, which signs as soon as every reader of the JWKS knows it.
   * @param leaked it signs at once, and the algorithm's other keys are removed, so their tokens are rejected
   */
  replace(alg: SigningAlg, options: { leaked: boolean }): Promise<RotatedKeys & { signsFrom: Date }>;
  /** @throws WrongMasterKey if a signing key cannot be opened, which means that no sealed value can */
  requireOpen(): Promise<void>;
}

export function createKeyRotation(sql: Sql, vault: Vault): KeyRotation {
  const { seal, open } = vault.sealFor(SIGNING_KEY_PURPOSE);

  /** @throws WrongMasterKey if they were sealed with a different key, because processes need the same one */
  async function lockStoredKeys(tx: Transaction): Promise<StoredKey[]> {
    await lockSigningKeys(tx);
    const stored = await listSigningKeys(tx);
    for (const key of stored) open(key.privateJwk);
    return stored;
  }

  async function addKey(tx: Transaction, alg: SigningAlg, signsFrom: Date): Promise<string> {
    const pair = await generateKeyPair(alg, { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    const publicJwk = { ...jwk, kid, alg, use: "sig" };
    const privateJwk = seal(JSON.stringify(await exportJWK(pair.privateKey)));
    await insertSigningKey(tx, { kid, alg, publicJwk, privateJwk, signsFrom });
    return kid;
  }

  return {
    async run(at) {
      return sql.begin(async (tx) => {
        const stored = await lockStoredKeys(tx);
        const now = at ?? (await currentTime(tx));
        const announced: string[] = [];
        for (const alg of SIGNING_ALGS) {
          const newest = stored.find((key) => key.alg === alg);
          const signsFrom = nextMoment(newest, now);
          if (signsFrom) announced.push(await addKey(tx, alg, signsFrom));
        }
        const removed = stored.filter((key) => isSpent(key, stored, now)).map((key) => key.kid);
        await deleteSigningKeys(tx, removed);
        await publishUsedKeys(tx);
        return { announced, removed };
      });
    },
    async replace(alg, { leaked }) {
      return sql.begin(async (tx) => {
        const stored = await lockStoredKeys(tx);
        const known = stored.filter((key) => key.alg === alg).map(({ kid }) => kid);
        const removed = leaked ? known : [];
        await deleteSigningKeys(tx, removed);
        const wait = leaked || known.length === 0 ? 0 : REPLACED_AFTER_MS;
        const signsFrom = new Date((await currentTime(tx)).getTime() + wait);
        const announced = [await addKey(tx, alg, signsFrom)];
        await publishUsedKeys(tx);
        return { announced, removed, signsFrom };
      });
    },
    async requireOpen() {
      for (const key of await listSigningKeys(sql)) open(key.privateJwk);
    },
  };
}

export const KEY_STATES = ["Announced", "Signing", "Retired"] as const;

interface KeyLife {
  /** Published but not signing yet; signing; or published for the tokens it has signed. */
  state: (typeof KEY_STATES)[number];
  signsFrom: Date;
  /** When its successor takes over; for the newest key, when one is due. */
  signsUntil: Date;
  /** When it is removed, after its last token has expired. */
  publishedUntil: Date;
}

/** @param stored newest first @returns in the same order */
export function livesOf<Key extends Pick<StoredKey, "alg" | "signsFrom">>(stored: Key[], now: Date): (Key & KeyLife)[] {
  return stored.map((key, index) => {
    const successor = stored.slice(0, index).findLast(({ alg }) => alg === key.alg);
    const signsUntil = successor?.signsFrom ?? new Date(key.signsFrom.getTime() + SIGNING_MS);
    const isRetired = successor !== undefined && successor.signsFrom <= now;
    const state = isRetired ? "Retired" : key.signsFrom <= now ? "Signing" : "Announced";
    return { ...key, state, signsUntil, publishedUntil: new Date(signsUntil.getTime() + RETIRED_MS) };
  });
}

/** When a key created now should start signing; undefined if none is due. */
function nextMoment(newest: StoredKey | undefined, now: Date): Date | undefined {
  if (!newest) return now;
  const due = newest.signsFrom.getTime() + SIGNING_MS;
  if (now.getTime() < due - ANNOUNCED_MS) return undefined;
  return new Date(Math.max(due, now.getTime() + ANNOUNCED_MS));
}

/** Its successor has signed for longer than any token of this key lives. */
function isSpent(key: StoredKey, all: StoredKey[], now: Date): boolean {
  return all.some(
    (other) =>
      other.alg === key.alg &&
      other.signsFrom > key.signsFrom &&
      other.signsFrom.getTime() + RETIRED_MS < now.getTime(),
  );
}
