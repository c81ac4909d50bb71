// Encrypts the address and the user agent of an entry by the key of its person. Deleting the key removes them, although
// entries cannot be changed.

import { createVault } from "../../platform/vault.ts";

const PURPOSE = "audit entry";

export interface Place {
  address: string;
  userAgent: string;
}

const sealBy = (key: Uint8Array) => createVault(Buffer.from(key).toString("base64")).sealFor(PURPOSE);

interface Party {
  type: string;
  id: string | number;
}

/** The Id of the User by whose key an entry is sealed: the acting one, else the affected one. As in SQL `person_of`. */
export function personOf(actor: Party | undefined, subject: Party | undefined): number | undefined {
  const person = [actor, subject].find((party) => party?.type === "User");
  return person && Number(person.id);
}

export function sealPlace(key: Uint8Array, { address, userAgent }: Place): Buffer {
  return sealBy(key).seal(JSON.stringify([address, userAgent]));
}

export function openPlace(key: Uint8Array, sealed: Uint8Array): Place {
  const [address, userAgent] = JSON.parse(sealBy(key).open(sealed)) as [string, string];
  return { address, userAgent };
}
