// The last line of a backup: a code over all bytes before it, by a key that is derived from MASTER_KEY. It is checked
// before anything in the file is read or written, so only complete backups of this installation are restored.

import { createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { CannotStart } from "../../platform/errors.ts";
import type { Vault } from "../../platform/vault.ts";

const FORMAT = 1;
const PURPOSE = "backup";
/** Identifies the key in the seal, so that a different MASTER_KEY is not taken for a changed file. */
const KEY_ID_PURPOSE = "backup key id";
const KEY_ID_BYTES = 16;
const READ_BYTES = 1024 * 1024;
const SEAL = /\ngatehouse-backup ([1-9]\d{0,2}) ([0-9a-f]{32}) ([0-9a-f]{64})\n$/;
/** The maximum length of a seal, whose format has three digits. */
const MAX_SEAL_BYTES = 120;

interface SealKey {
  id: string;
  key: Buffer;
}

function sealKeys(vault: Vault): SealKey[] {
  const ids = vault.keysFor(KEY_ID_PURPOSE);
  return vault.keysFor(PURPOSE).map((key, at) => ({ id: ids[at]!.toString("hex", 0, KEY_ID_BYTES), key }));
}

function endOf({ id }: SealKey, mac: Hmac): string {
  const head = `\ngatehouse-backup ${FORMAT} ${id} `;
  return `${head}${mac.update(head).digest("hex")}\n`;
}

/** Passes on the file's bytes, and adds the seal. */
export async function* sealed(bytes: AsyncIterable<Buffer>, vault: Vault): AsyncGenerator<Buffer> {
  const [key] = sealKeys(vault) as [SealKey];
  const mac = createHmac("sha256", key.key);
  for await (const part of bytes) {
    mac.update(part);
    yield part;
  }
  yield Buffer.from(endOf(key, mac));
}

export interface SealedFile {
  /** Bytes before the seal. */
  size: number;
  /** The bytes before the seal; it can be read again. @throws CannotStart at the end, if they do not fit the seal */
  read(): AsyncGenerator<Buffer>;
}

/** @throws CannotStart if the file has no seal, or one by a different MASTER_KEY */
export async function openSealed(handle: FileHandle, file: string, vault: Vault): Promise<SealedFile> {
  const { size: whole } = await handle.stat();
  const tail = Buffer.alloc(Math.min(whole, MAX_SEAL_BYTES));
  await handle.read(tail, 0, tail.length, whole - tail.length);
  const [end, format, id] = SEAL.exec(tail.toString("latin1")) ?? [];
  if (end === undefined)
    throw new CannotStart(`${file} is not a complete Gatehouse backup: it does not end in a seal.`);
  if (Number(format) !== FORMAT) {
    throw new CannotStart(
      `${file} is a backup of format ${format}; this code reads format ${FORMAT}. Restore it with the version of Gatehouse that made it.`,
    );
  }
  const key = sealKeys(vault).find((one) => one.id === id);
  if (!key) {
    throw new CannotStart(`This MASTER_KEY is not that of ${file}. Its secrets can be decrypted only with that key.`);
  }
  const size = whole - end.length;
  return {
    size,
    async *read() {
      const mac = createHmac("sha256", key.key);
      for (let at = 0; at < size; ) {
        const buffer = Buffer.alloc(Math.min(READ_BYTES, size - at));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) break;
        at += bytesRead;
        const part = buffer.subarray(0, bytesRead);
        mac.update(part);
        yield part;
      }
      if (timingSafeEqual(Buffer.from(endOf(key, mac)), Buffer.from(end))) return;
      throw new CannotStart(`${file} was changed after it was made, or is damaged. Nothing of it is restored.`);
    },
  };
}
