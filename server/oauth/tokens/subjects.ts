// The `sub` of a user, as one client sees it (OIDC Core 8): the same for all clients, or a pairwise one, which only
// clients of one sector share. A pairwise one is the sector and the user, encrypted by the tenant's key (the second way of
// OIDC Core 8.1): so nothing of it is stored, and it leads back to the user.

import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto";
import type { SUBJECT_TYPES } from "../contract.ts";
import { subjectOfUser, userOfSubject } from "./jwt.ts";

/** Of a client, what its users' subjects depend on. */
export interface SubjectOwner {
  subjectType: (typeof SUBJECT_TYPES)[number];
  sectorIdentifierUri: string;
  redirectUris: string[];
  /** Its tenant's. */
  subjectKey: Uint8Array;
}

export function subjectFor(client: SubjectOwner, userId: number): string {
  return client.subjectType === "pairwise" ? pairwise(client, userId) : subjectOfUser(userId);
}

/** The user that a client may mean by a `sub`; a pairwise client knows no other. */
export function userMeant(client: SubjectOwner, sub: string): number | undefined {
  return client.subjectType === "pairwise" ? userOfPairwise(client, sub) : userOfSubject(sub);
}

/** The user of a `sub` that we have told the client, whatever its type was then. */
export function userTold(client: SubjectOwner, sub: string): number | undefined {
  return userOfSubject(sub) ?? userOfPairwise(client, sub);
}

/**
 * The `sid` of a session, as one client sees it. If all clients saw the same one, it would tell which pairwise subjects
 * are one user.
 */
export function sessionFor(client: SubjectOwner, sessionId: string): string {
  if (client.subjectType !== "pairwise") return sessionId;
  const mac = createHmac("sha256", client.subjectKey)
    .update(sectorMark(client))
    .update(`session ${sessionId}`)
    .digest();
  // A UUID of our own making (RFC 9562 5.8).
  mac[6] = 0x80 | (mac[6]! & 0x0f);
  mac[8] = 0x80 | (mac[8]! & 0x3f);
  return mac.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** OIDC Core 8.1. @returns undefined if the client has to say it by SectorIdentifierUri */
export function sectorOf({
  sectorIdentifierUri,
  redirectUris,
}: Pick<SubjectOwner, "sectorIdentifierUri" | "redirectUris">): string | undefined {
  if (sectorIdentifierUri !== "") return new URL(sectorIdentifierUri).host;
  const all = redirectUris.map((uri) => new URL(uri));
  const hosts = new Set(all.map(({ host }) => host));
  // Applications of any makers have the same loopback address.
  return all.length > 0 && hosts.size === 1 && all.every(({ protocol }) => protocol === "https:")
    ? all[0]!.host
    : undefined;
}

const PREFIX = "pairwise-";
const CIPHER = "aes-256-ecb";
/** Bytes of each half of the one block. */
const HALF = 8;

/** One block, so that nobody without the key can tell which subjects of two sectors belong together. */
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
