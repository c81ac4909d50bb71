// Bodies of answers as text. We ask for no content coding, but some receivers and their proxies apply one regardless.

import type { Duplex } from "node:stream";
import { constants, createInflateRaw, createUnzip } from "node:zlib";

/** RFC 9110 8.4. More than two would only multiply the work. */
const MAX_CODINGS = 2;
/** Output is made in pieces of this size, so that a bomb is abandoned after the first that is too large. */
const CHUNK_BYTES = 4 * 1024;

type Coding = (coded: Buffer) => Duplex;

const unzip: Coding = () => createUnzip({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
/** Only those with a window of 32 KiB: a body of 39 bytes makes brotli take 16 MiB before its first output. */
const CODINGS = new Map<string, Coding>(
  Object.entries({
    gzip: unzip,
    "x-gzip": unzip,
    deflate: (coded) => (hasZlibHead(coded) ? unzip(coded) : createInflateRaw({ chunkSize: CHUNK_BYTES })),
  } satisfies Record<string, Coding>),
);

/** The body's codings in the order in which they are removed; empty if there are none, or unknown or too many ones. */
export function codingsOf(headers: Headers): Coding[] {
  const text = headers.get("content-encoding");
  // A fast path, because most answers have none.
  if (text === null) return [];
  const names = text
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const codings = names.filter((name) => name !== "identity").map((name) => CODINGS.get(name));
  return codings.length <= MAX_CODINGS && codings.every((coding) => coding !== undefined) ? codings.toReversed() : [];
}

/** @param max of each coding's output; later bytes are dropped @returns undefined if the bytes are not so coded */
export async function decode(coded: Buffer, codings: Coding[], max: number): Promise<Buffer | undefined> {
  let bytes = coded;
  for (const coding of codings) {
    const decoded = await decodeOnce(bytes, coding(bytes), max);
    if (!decoded) return undefined;
    bytes = decoded;
  }
  return bytes;
}

async function decodeOnce(coded: Buffer, decoder: Duplex, max: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    decoder.end(coded);
    for await (const part of decoder as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      // Leaving the loop ends the decoder.
      if (bytes > max) break;
    }
  } catch {
    // The start of a body that is cut or damaged is shown as well.
    if (bytes === 0) return undefined;
  }
  return Buffer.concat(parts);
}

/** RFC 1950 2.2. Some servers send deflate without this head. */
function hasZlibHead(coded: Buffer): boolean {
  return coded.length >= 2 && (coded[0]! & 0x0f) === 8 && coded.readUInt16BE(0) % 31 === 0;
}

/**
 * Text without NUL, which PostgreSQL cannot store. In the charset of Content-Type; without one it is UTF-8, or the
 * former default of HTTP, Latin-1 (RFC 2616 3.7.1), if it cannot be.
 * @param isCut drops a character that the limit has split, instead of showing it as broken
 */
export function textOf(bytes: Buffer, contentType: string | null, isCut: boolean): string {
  if (bytes.length === 0) return "";
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? "") ?? [];
  const text = charset === undefined ? guessed(bytes, isCut) : decoderOf(charset).decode(bytes, { stream: isCut });
  return text.replaceAll("\0", "");
}

function guessed(bytes: Buffer, isCut: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset as Bun.Encoding);
  } catch {
    return new TextDecoder();
  }
}
