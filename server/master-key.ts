// Seals secrets at rest: AES-256-GCM by MASTER_KEY. The first byte is the version of the key and of this form, so that
// values of several can stand side by side while a key is replaced.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const KEY_VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

declare const brand: unique symbol;
export type MasterKey = Buffer & { readonly [brand]: "MasterKey" };

/** @param base64 32 bytes in base64 (MASTER_KEY, checked by readConfig) */
export function importMasterKey(base64: string): MasterKey {
  return Buffer.from(base64, "base64") as MasterKey;
}

/** @param purpose bound to the value, so that a sealed value cannot be moved to another column */
export function seal(key: MasterKey, purpose: string, plain: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(KEY_VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error if the value was sealed by another master key, for another purpose, or was changed */
export function unseal(key: MasterKey, purpose: string, value: Uint8Array): string {
  const bytes = Buffer.from(value);
  if (bytes[0] !== KEY_VERSION) {
    throw new Error(`A stored ${purpose} was sealed by version ${bytes[0]} of the master key, not ${KEY_VERSION}.`);
  }
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    const plain = decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString("utf8");
  } catch {
    throw new Error(`A stored ${purpose} does not open with this MASTER_KEY. Start with the key it was sealed by.`);
  }
}
