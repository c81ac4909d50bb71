// DPoP nonces (RFC 9449 8): a time of issue under a MAC, so nothing is stored and the client's clock does not matter.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Vault } from "../../../platform/vault.ts";

/** Seconds for which a nonce is valid. */
export const NONCE_LIFETIME = 300;
/** Seconds for which all clients get the same nonce. */
const NONCE_STEP = 30;
/** The allowed clock skew between processes in seconds. */
const CLOCK_TOLERANCE = 60;

const TIME_BYTES = 4;
const MAC_BYTES = 16;

export interface Nonces {
  current(): string;
  isLive(nonce: string): boolean;
}

export function createNonces(vault: Vault, now: () => number = Date.now): Nonces {
  const keys = vault.keysFor("DPoP nonce");
  const seconds = () => Math.floor(now() / 1_000);
  let last: { givenOn: number; nonce: string } | undefined;

  return {
    current() {
      const givenOn = Math.floor(seconds() / NONCE_STEP) * NONCE_STEP;
      if (last?.givenOn !== givenOn) last = { givenOn, nonce: write(givenOn, keys[0]) };
      return last.nonce;
    },
    isLive(nonce) {
      const bytes = Buffer.from(nonce, "base64url");
      if (bytes.length !== TIME_BYTES + MAC_BYTES) return false;
      const mac = bytes.subarray(TIME_BYTES);
      if (!keys.some((key) => timingSafeEqual(macOf(bytes.subarray(0, TIME_BYTES), key), mac))) return false;
      const age = seconds() - bytes.readUInt32BE();
      return age >= -CLOCK_TOLERANCE && age < NONCE_LIFETIME;
    },
  };
}

function write(givenOn: number, key: Buffer): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUInt32BE(givenOn);
  return Buffer.concat([time, macOf(time, key)]).toString("base64url");
}

function macOf(time: Buffer, key: Buffer): Buffer {
  return createHmac("sha256", key).update(time).digest().subarray(0, MAC_BYTES);
}
