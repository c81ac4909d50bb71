// Encrypts the address and the user agent of an entry by the key of its person. Deleting the key removes them, although
// entries cannot be changed.

import { createVault } from "../vault.ts";

const PURPOSE = "audit entry";

interface Place {
  address: string;
  userAgent: string;
}

const sealBy = (key: Uint8Array) => createVault(Buffer.from(key).toString("base64")).sealFor(PURPOSE);

interface Party {
  type: string;
  id: string | number;
}

/** The Id of the User with this address; undefined for an Application's, or an unidentified one. */
export function personOf(actor: { type: string; id: number } | undefined, subject: Party | undefined) {
  if (actor) return actor.type === "User" ? actor.id : undefined;
  return subject?.type === "User" ? Number(subject.id) : undefined;
}

export function sealPlace(key: Uint8Array, { address, userAgent }: Place): Buffer {
  return sealBy(key).seal(JSON.stringify([address, userAgent]));
}

export function openPlace(key: Uint8Array, sealed: Uint8Array): Place {
  const [address, userAgent] = JSON.parse(sealBy(key).open(sealed)) as [string, string];
  return { address, userAgent };
}
