// What a user keeps for the day the authenticator is lost (NIST SP 800-63B, look-up secrets).

import { createHmac, randomBytes, randomInt } from "node:crypto";
import type { TenantId } from "../../tenant-id.ts";

export const RECOVERY_CODES = 10;
/** 32 signs, none of which is taken for another (Crockford's Base32): 50 bits a code. */
const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const GROUP = 5;
const KEY_BYTES = 32;

/** New ones as they are shown, such as `7K3QD-90XWM`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, newCode);
}

/** What digests of a user's codes are made by, in base64: it is kept sealed, so that it outlives a master key. */
export function newRecoveryKey(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

/** @returns how a code is stored, or undefined if it cannot be one */
export function digestOfCode(key: string, tenantId: TenantId, userId: number, code: string): Buffer | undefined {
  const plain = normalized(code);
  if (plain.length !== LENGTH) return undefined;
  return createHmac("sha256", Buffer.from(key, "base64")).update(`${tenantId} ${userId} ${plain}`).digest();
}

function newCode(): string {
  const signs = Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join("");
  return `${signs.slice(0, GROUP)}-${signs.slice(GROUP)}`;
}

/** As people type it: in any case, with or without the dash, and with the letters that look like digits. */
function normalized(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
}
