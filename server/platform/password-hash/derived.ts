// Hashes made by a key derivation function, and the limits of what one check may cost.

import { createCipheriv, createHash, pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** A password as another system stored it. */
export interface PasswordHash {
  /** Guesses of it are cheap: less than about 5 ms each. */
  isWeak: boolean;
  /** @param password in one of its normalization forms, without NUL */
  verify(password: string): Promise<boolean>;
}

/** The message is read after the field's name, and does not repeat the hash. */
export class WrongHash extends Error {}

const BCRYPT_COST = { min: 4, max: 15, weakBelow: 8 };
/** bcrypt ignores further bytes. */
const BCRYPT_BYTES = 72;
const ARGON2 = { memoryKiB: 262_144, work: 1_048_576, parallelism: 16, weakBelow: 4_096 };
const ARGON2_VERSION = 19;
const PBKDF2 = { iterations: 2_000_000, weakBelow: 10_000 };
const SCRYPT = { bytes: 256 * 1024 * 1024, work: 4_194_304, weakBelow: 16_384 };
/** A shorter one would be matched by other passwords. */
const HASH_BYTES = { min: 16, max: 128 };
const SALT_BYTES = { min: 1, max: 256 };
/** Bun's limits for argon2. */
const ARGON2_BYTES = { salt: { min: 8, max: 64 }, hash: { min: 16, max: 64 } };

const DIGESTS = { sha1: 20, sha256: 32, sha512: 64 } as const;
export type Digest = keyof typeof DIGESTS;

/** @param prehash what is hashed instead of the password */
export function bcryptHash(text: string, prehash = (password: string) => password): PasswordHash {
  const cost = Number(text.slice(4, 6));
  requireWithin("bcrypt cost", cost, BCRYPT_COST.max, BCRYPT_COST.min);
  return {
    isWeak: cost < BCRYPT_COST.weakBelow,
    // Bun would hash a longer password by SHA-512 first.
    verify: (password) => Bun.password.verify(Buffer.from(prehash(password)).subarray(0, BCRYPT_BYTES), text),
  };
}

interface Argon2 {
  type: "i" | "d" | "id";
  version: number;
  memory: number;
  time: number;
  parallelism: number;
  salt: Buffer;
  hash: Buffer;
}

export function argon2Hash({ type, version, memory, time, parallelism, salt, hash }: Argon2): PasswordHash {
  if (version !== ARGON2_VERSION) throw new WrongHash(`has argon2 version ${version}; only 19 (1.3) is supported.`);
  requireWithin("argon2 parallelism", parallelism, ARGON2.parallelism, 1);
  requireWithin("argon2 memory in KiB", memory, ARGON2.memoryKiB, 8 * parallelism);
  requireWithin("argon2 time", time, Math.floor(ARGON2.work / memory), 1);
  requireBytes("salt", salt, ARGON2_BYTES.salt);
  requireBytes("hash", hash, ARGON2_BYTES.hash);
  const parameters = `m=${memory},t=${time},p=${parallelism}`;
  const text = `$argon2${type}$v=${version}$${parameters}$${unpadded(salt)}$${unpadded(hash)}`;
  return { isWeak: memory * time < ARGON2.weakBelow, verify: (password) => Bun.password.verify(password, text) };
}

const unpadded = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");

interface Salted {
  salt: Buffer;
  hash: Buffer;
}

export function pbkdf2Hash({ digest, iterations, salt, hash }: Salted & { digest: Digest; iterations: number }) {
  requireBytes("salt", salt, SALT_BYTES);
  requireBytes("hash", hash, HASH_BYTES);
  // Each block of the result needs all iterations.
  const blocks = Math.ceil(hash.length / DIGESTS[digest]);
  requireWithin("PBKDF2 iterations", iterations, Math.floor(PBKDF2.iterations / blocks), 1);
  return {
    isWeak: iterations < PBKDF2.weakBelow,
    verify: async (password: string) => {
      const derived = await promisify(pbkdf2)(password, salt, iterations, hash.length, digest);
      return timingSafeEqual(derived, hash);
    },
  };
}

interface ScryptCost {
  /** N. */
  cost: number;
  r: number;
  p: number;
}

export function scryptHash(given: Salted & ScryptCost): PasswordHash {
  const { salt, hash } = given;
  requireBytes("hash", hash, HASH_BYTES);
  const { isWeak, derive } = scryptOf(given, salt, hash.length);
  return { isWeak, verify: async (password) => timingSafeEqual(await derive(password), hash) };
}

/** Firebase encrypts its own key with the derived one. */
export function firebaseHash(given: Salted & ScryptCost & { separator: Buffer; signerKey: Buffer }): PasswordHash {
  const { salt, hash, separator, signerKey } = given;
  requireBytes("hash", hash, HASH_BYTES);
  if (signerKey.length !== hash.length) throw new WrongHash("needs a signer key that is as long as the hash.");
  const { isWeak, derive } = scryptOf(given, Buffer.concat([salt, separator]), 32);
  return {
    isWeak,
    verify: async (password) => {
      const cipher = createCipheriv("aes-256-ctr", await derive(password), Buffer.alloc(16));
      return timingSafeEqual(Buffer.concat([cipher.update(signerKey), cipher.final()]), hash);
    },
  };
}

function scryptOf({ cost, r, p }: ScryptCost, salt: Buffer, length: number) {
  requireBytes("salt", salt, SALT_BYTES);
  if (cost < 2 || !Number.isInteger(Math.log2(cost))) throw new WrongHash("has a scrypt N that is no power of two.");
  requireWithin("scrypt r", r, SCRYPT.work, 1);
  requireWithin("scrypt p", p, SCRYPT.work, 1);
  requireWithin("scrypt memory in bytes (128 N r)", 128 * cost * r, SCRYPT.bytes);
  requireWithin("scrypt work (N r p)", cost * r * p, SCRYPT.work);
  const options = { N: cost, r, p, maxmem: 2 * SCRYPT.bytes };
  return {
    isWeak: cost * r * p < SCRYPT.weakBelow,
    derive: (password: string) =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(password, salt, length, options, (error, derived) => (error ? reject(error) : resolve(derived)));
      }),
  };
}

/** One digest of the password and the salt. */
export function saltedHash({ digest, salt, hash }: Salted & { digest: Digest }): PasswordHash {
  const length = DIGESTS[digest];
  if (hash.length !== length) throw new WrongHash(`has a hash of ${hash.length} bytes; it must have ${length}.`);
  requireBytes("salt", salt, SALT_BYTES);
  return {
    isWeak: true,
    verify: async (password) => timingSafeEqual(createHash(digest).update(password).update(salt).digest(), hash),
  };
}

function requireBytes(what: string, { length }: Buffer, { min, max }: { min: number; max: number }): void {
  if (length < min || length > max)
    throw new WrongHash(`has a ${what} of ${length} bytes; ${min} to ${max} are valid.`);
}

function requireWithin(what: string, value: number, max: number, min = 0): void {
  if (value > max) throw new WrongHash(`has ${what} ${value}; the limit is ${max}.`);
  if (value < min) throw new WrongHash(`has ${what} ${value}; the minimum is ${min}.`);
}
