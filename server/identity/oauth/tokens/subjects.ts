// A user's `sub` for a client (OIDC Core 8): public, or pairwise, which clients of one sector share. A pairwise subject
// is the sector and the user, encrypted with the tenant's key (method 2 of OIDC Core 8.1). So nothing is stored, and it
// can be decrypted to the user.

import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto";
import { sectorOf } from "../clients/sector.ts";
import type { SUBJECT_TYPES } from "../contract.ts";
import { subjectOfUser, userOfSubject } from "./jwt.ts";

export interface SubjectOwner {
  subjectType: (typeof SUBJECT_TYPES)[number];
  sectorIdentifierUri: string;
  redirectUris: string[];
  subjectKey: Uint8Array;
}

export function subjectFor(client: SubjectOwner, userId: number): string {
  return client.subjectType === "pairwise" ? pairwise(client, userId) : subjectOfUser(userId);
}

/** The user of a `sub` sent by a client; pairwise clients may only use pairwise ones. */
export function userOfRequestedSubject(client: SubjectOwner, sub: string): number | undefined {
  return client.subjectType === "pairwise" ? userOfPairwise(client, sub) : userOfSubject(sub);
}

/** The user of a `sub` issued to the client under any subject type. */
export function userOfIssuedSubject(client: SubjectOwner, sub: string): number | undefined {
  return userOfSubject(sub) ?? userOfPairwise(client, sub);
}

/** A session's `sid` for a client. A common one would link a user's pairwise subjects. */
export function sessionFor(client: SubjectOwner, sessionId: string): string {
  if (client.subjectType !== "pairwise") return sessionId;
  const mac = createHmac("sha256", client.subjectKey)
    .update(sectorMark(client))
    .update(`session ${sessionId}`)
    .digest();
  // A custom UUID (RFC 9562 5.8).
  mac[6] = 0x80 | (mac[6]! & 0x0f);
  mac[8] = 0x80 | (mac[8]! & 0x3f);
  return mac.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const PREFIX = "pairwise-";
const CIPHER = "aes-256-ecb";
/** Bytes of each half of the block. */
const HALF = 8;

/** A single block, so subjects of different sectors cannot be linked without the key. */
function pairwise(client: SubjectOwner, userId: number): string {
  const block = Buffer.concat([sectorMark(client), Buffer.alloc(HALF)]);
  block.writeBigUInt64BE(BigInt(userId), HALF);
  const cipher = createCipheriv(CIPHER, client.subjectKey, null).setAutoPadding(false);
  return PREFIX + Buffer.concat([cipher.update(block), cipher.final()]).toString("base64url");
}

function userOfPairwise(client: SubjectOwner, sub: string): number | undefined {
  if (!sub.startsWith(PREFIX)) return undefined;
  const sealed = Buffer.from(sub.slice(PREFIX.length), "base64url");
  if (sealed.length !== 2 * HALF) return undefined;
  const decipher = createDecipheriv(CIPHER, client.subjectKey, null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(sealed), decipher.final()]);
  const userId = block.readBigUInt64BE(HALF);
  const isOfSector = block.subarray(0, HALF).equals(sectorMark(client));
  return isOfSector && userId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(userId) : undefined;
}

function sectorMark(client: SubjectOwner): Buffer {
  return createHash("sha256")
    .update(sectorOf(client) ?? "")
    .digest()
    .subarray(0, HALF);
}
