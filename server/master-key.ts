// Seals secrets at rest: AES-256-GCM by MASTER_KEY. While that is replaced, the keys of MASTER_KEY_PREVIOUS still open
// what they have sealed. The first byte is the version of this form.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const FORM_VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DERIVED_BYTES = 32;

declare const brand: unique symbol;
/** The one that seals comes first. */
export type MasterKey = readonly [Buffer, ...Buffer[]] & { readonly [brand]: "MasterKey" };

/** Where sealed values stand: all of them are sealed anew when MASTER_KEY is replaced. */
export interface SealedColumn {
  table: string;
  column: string;
  /** What they are sealed for. */
  purpose: string;
}

/** No key of the master key opens a stored value; or somebody has changed it. */
export class WrongMasterKey extends Error {
  override name = "WrongMasterKey";

  constructor(purpose: string) {
    super(
      `A stored ${purpose} does not open with this MASTER_KEY. Start with the key it was sealed by, or name that in ` +
        "MASTER_KEY_PREVIOUS.",
    );
  }
}

/**
 * @param base64 32 bytes in base64 (MASTER_KEY, checked by readConfig)
 * @param previous as many more, which only open (MASTER_KEY_PREVIOUS)
 */
export function importMasterKey(base64: string, previous: readonly string[] = []): MasterKey {
  return [base64, ...previous].map((text) => Buffer.from(text, "base64")) as unknown as MasterKey;
}

/** @param purpose bound to the value, so that a sealed value cannot be moved to another column */
export function seal([key]: MasterKey, purpose: string, plain: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(FORM_VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** @throws WrongMasterKey also if it was sealed for another purpose, or was changed */
export function unseal(masterKey: MasterKey, purpose: string, value: Uint8Array): string {
  return open(masterKey, purpose, value).plain;
}

/**
 * Seals a value anew that only a previous key opens.
 * @returns undefined if the one that seals opens it
 * @throws WrongMasterKey
 */
export function reseal(masterKey: MasterKey, purpose: string, value: Uint8Array): Buffer | undefined {
  const { plain, by } = open(masterKey, purpose, value);
  return by === masterKey[0] ? undefined : seal(masterKey, purpose, plain);
}

/** Keys of one purpose alone, of each master key in its order: the first is to write by, any to read by. */
export function derivedKeys(masterKey: MasterKey, purpose: string): Buffer[] {
  return masterKey.map((key) => derivedKey(key, purpose));
}

/** The same, to seal by: a key of its own seals no more values than its purpose has. */
export function derivedMasterKey(masterKey: MasterKey, purpose: string): MasterKey {
  return derivedKeys(masterKey, purpose) as unknown as MasterKey;
}

function derivedKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", purpose, DERIVED_BYTES));
}

function open(masterKey: MasterKey, purpose: string, value: Uint8Array): { plain: string; by: Buffer } {
  const bytes = Buffer.from(value);
  if (bytes[0] !== FORM_VERSION) {
    throw new Error(`A stored ${purpose} is of version ${bytes[0]}, which this Gatehouse does not know.`);
  }
  for (const by of masterKey) {
    const plain = openBy(by, purpose, bytes);
    if (plain !== undefined) return { plain, by };
  }
  throw new WrongMasterKey(purpose);
}

function openBy(key: Buffer, purpose: string, bytes: Buffer): string | undefined {
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose)).setAuthTag(tag);
    const plain = decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
