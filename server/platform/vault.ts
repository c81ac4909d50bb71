// Seals secrets at rest: AES-256-GCM with MASTER_KEY. During its replacement, MASTER_KEY_PREVIOUS still opens older
// values. The first byte is the format's version.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const FORM_VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DERIVED_BYTES = 32;

export interface Vault {
  /** @param purpose bound to each value, so a sealed value cannot be moved to a different column */
  sealFor(purpose: string): Seal;
  /** The keys of one purpose: the first writes, all read. */
  keysFor(purpose: string): readonly [Buffer, ...Buffer[]];
  /** A vault derived from these keys, so a key does not seal too many values. */
  vaultFor(purpose: string): Vault;
}

export interface Seal {
  seal(plain: string): Buffer;
  /** @throws WrongMasterKey also if it was sealed for a different purpose, or tampered with */
  open(sealed: Uint8Array): string;
  /** Re-seals previous keys' values. @returns undefined if the current key opens it @throws WrongMasterKey */
  renew(sealed: Uint8Array): Buffer | undefined;
}

/** The location of sealed values, for re-sealing when MASTER_KEY is replaced. */
export interface SealedColumn {
  table: string;
  column: string;
  purpose: string;
}

/** No master key opens a stored value, or it was tampered with. */
export class WrongMasterKey extends Error {
  override name = "WrongMasterKey";

  constructor(purpose: string) {
    super(
      `A stored ${purpose} cannot be decrypted with this MASTER_KEY. Start with the key that encrypted it, or add that to ` +
        "MASTER_KEY_PREVIOUS.",
    );
  }
}

/** @param base64 32 bytes (MASTER_KEY, checked by readConfig) @param previous only for opening (MASTER_KEY_PREVIOUS) */
export function createVault(base64: string, previous: readonly string[] = []): Vault {
  const imported = (text: string) => Buffer.from(text, "base64");
  return vaultOf([imported(base64), ...previous.map(imported)]);
}

/** @param keys the sealing key comes first */
function vaultOf(keys: readonly [Buffer, ...Buffer[]]): Vault {
  const keysFor = (purpose: string): [Buffer, ...Buffer[]] => {
    const derived = (key: Buffer) => Buffer.from(hkdfSync("sha256", key, "", purpose, DERIVED_BYTES));
    const [first, ...others] = keys;
    return [derived(first), ...others.map(derived)];
  };
  return { sealFor: (purpose) => sealBy(keys, purpose), keysFor, vaultFor: (purpose) => vaultOf(keysFor(purpose)) };
}

function sealBy(keys: readonly [Buffer, ...Buffer[]], purpose: string): Seal {
  function seal(plain: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", keys[0], nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
    return Buffer.concat([Buffer.of(FORM_VERSION), nonce, cipher.getAuthTag(), sealed]);
  }

  function open(value: Uint8Array): { plain: string; by: Buffer } {
    const bytes = Buffer.from(value);
    if (bytes[0] !== FORM_VERSION) {
      throw new Error(
        `A stored ${purpose} has version ${bytes[0]}, which this Gatehouse does not know. Use the version of Gatehouse that wrote it.`,
      );
    }
    for (const by of keys) {
      const plain = openBy(by, purpose, bytes);
      if (plain !== undefined) return { plain, by };
    }
    throw new WrongMasterKey(purpose);
  }

  return {
    seal,
    open: (sealed) => open(sealed).plain,
    renew(sealed) {
      const { plain, by } = open(sealed);
      return by === keys[0] ? undefined : seal(plain);
    },
  };
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
