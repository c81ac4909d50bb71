// A refresh token as its holder sees it: opaque, it names its family, client and generation under a MAC by MASTER_KEY.
// So nothing of it is stored, and the same rotation asked for twice gives the same value.

import { createHmac, timingSafeEqual } from "node:crypto";
import { derivedKeys, type MasterKey } from "../../master-key.ts";

const FAMILY_BYTES = 16;
const CLIENT_BYTES = 8;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;
const NAMED_BYTES = FAMILY_BYTES + CLIENT_BYTES + GENERATION_BYTES;

export interface RefreshValue {
  familyId: string;
  clientId: number;
  /** The how many-th of its family; it is good while the family is at the same one. */
  generation: number;
}

export interface RefreshValues {
  write(value: RefreshValue): string;
  /** @returns undefined if it is not one of ours */
  read(text: string): RefreshValue | undefined;
}

export function createRefreshValues(masterKey: MasterKey): RefreshValues {
  const keys = derivedKeys(masterKey, "refresh token");
  const mac = (named: Uint8Array, key: Buffer) => createHmac("sha256", key).update(named).digest();

  return {
    write({ familyId, clientId, generation }) {
      const named = Buffer.alloc(NAMED_BYTES);
      named.write(familyId.replaceAll("-", ""), "hex");
      named.writeBigUInt64BE(BigInt(clientId), FAMILY_BYTES);
      named.writeUInt32BE(generation, FAMILY_BYTES + CLIENT_BYTES);
      return Buffer.concat([named, mac(named, keys[0]!)]).toString("base64url");
    },
    read(text) {
      const bytes = Buffer.from(text, "base64url");
      // Of the spellings that base64 leaves open, one is ours.
      if (bytes.length !== NAMED_BYTES + MAC_BYTES || bytes.toString("base64url") !== text) return undefined;
      const named = bytes.subarray(0, NAMED_BYTES);
      if (!keys.some((key) => timingSafeEqual(mac(named, key), bytes.subarray(NAMED_BYTES)))) return undefined;
      return {
        familyId: uuid(named.subarray(0, FAMILY_BYTES)),
        clientId: Number(named.readBigUInt64BE(FAMILY_BYTES)),
        generation: named.readUInt32BE(FAMILY_BYTES + CLIENT_BYTES),
      };
    },
  };
}

function uuid(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
