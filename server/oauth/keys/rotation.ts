// The life of a signing key: published, then signing, then published still until its last token has expired.

import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import type { Sql, Transaction } from "../../db/sql.ts";
import type { SealedColumn, Vault } from "../../vault.ts";
import {
  currentTime,
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type StoredKey,
} from "./store.ts";

/** What we sign by (RFC 7518, RFC 8037); each has keys of its own. */
export const SIGNING_ALGS = ["EdDSA", "RS256", "ES256"] as const;
export type SigningAlg = (typeof SIGNING_ALGS)[number];

/** What a private key is sealed for. */
export const SIGNING_KEY_PURPOSE = "signing key";

export const SEALED_SIGNING_KEYS: SealedColumn = {
  table: "signing_keys",
  column: "private_jwk",
  purpose: SIGNING_KEY_PURPOSE,
};

const HOUR_MS = 3_600_000;
/** Seconds that a reader may keep the JWKS without looking again. */
export const JWKS_MAX_AGE = 300;
/** How long a key is published before it signs, where somebody asks for it: no reader's JWKS is older then. */
const REPLACED_AFTER_MS = 2 * JWKS_MAX_AGE * 1_000;
/** How long a key signs. */
const SIGNING_MS = 90 * 24 * HOUR_MS;
/** How long it is published before, by the schedule: far longer than JWKS_MAX_AGE. */
const ANNOUNCED_MS = 24 * HOUR_MS;
/** How long it is published after: longer than our longest-lived JWT, the refresh token of 30 days. */
const RETIRED_MS = 31 * 24 * HOUR_MS;

/** What a rotation did, by key id. */
export interface Rotation {
  announced: string[];
  removed: string[];
}

export interface KeyRotation {
  /**
   * One pass of the schedule, for every algorithm: makes a first key, announces the next one in time, and removes those
   * whose last token has expired. Does nothing if nothing is due.
   * @param at when it would be; by default now
   */
  run(at?: Date): Promise<Rotation>;
  /**
   * Publishes a new key of an algorithm, which signs as soon as every reader of the JWKS knows it.
   * @param leaked it signs at once, and the others of the algorithm are removed: what they have signed is refused; else
   * they stay published until that has expired
   * @returns the new key's id, those removed, and when it signs
   */
  replace(alg: SigningAlg, options: { leaked: boolean }): Promise<Rotation & { signsFrom: Date }>;
  /** @throws WrongMasterKey if a signing key does not open: nor would anything else that is sealed */
  requireOpen(): Promise<void>;
}

export function createKeyRotation(sql: Sql, vault: Vault): KeyRotation {
  const { seal, open } = vault.sealFor(SIGNING_KEY_PURPOSE);

  /** @throws WrongMasterKey if they were sealed by another: no process could open them beside one of ours */
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
        return { announced: [await addKey(tx, alg, signsFrom)], removed, signsFrom };
      });
    },
    async requireOpen() {
      for (const key of await listSigningKeys(sql)) open(key.privateJwk);
    },
  };
}

/** Where in its life a key is. */
export interface KeyLife {
  /** Published but not signing yet; the one that signs; published still, for tokens it has signed. */
  state: "Announced" | "Signing" | "Retired";
  signsFrom: Date;
  /** When its successor takes over; of the newest key, when one is due. */
  signsUntil: Date;
  /** When it is removed, its last token having expired. */
  publishedUntil: Date;
}

/** @param stored the newest first @returns in the same order */
export function livesOf<Key extends Pick<StoredKey, "alg" | "signsFrom">>(stored: Key[], now: Date): (Key & KeyLife)[] {
  return stored.map((key, index) => {
    const successor = stored.slice(0, index).findLast(({ alg }) => alg === key.alg);
    const signsUntil = successor?.signsFrom ?? new Date(key.signsFrom.getTime() + SIGNING_MS);
    const isRetired = successor !== undefined && successor.signsFrom <= now;
    const state = isRetired ? "Retired" : key.signsFrom <= now ? "Signing" : "Announced";
    return { ...key, state, signsUntil, publishedUntil: new Date(signsUntil.getTime() + RETIRED_MS) };
  });
}

/** When a key that is made now should begin to sign; undefined if none is due. */
function nextMoment(newest: StoredKey | undefined, now: Date): Date | undefined {
  if (!newest) return now;
  const due = newest.signsFrom.getTime() + SIGNING_MS;
  if (now.getTime() < due - ANNOUNCED_MS) return undefined;
  return new Date(Math.max(due, now.getTime() + ANNOUNCED_MS));
}

/** Its successor has been signing for so long that no token of it is left. */
function isSpent(key: StoredKey, all: StoredKey[], now: Date): boolean {
  return all.some(
    (other) =>
      other.alg === key.alg &&
      other.signsFrom > key.signsFrom &&
      other.signsFrom.getTime() + RETIRED_MS < now.getTime(),
  );
}
