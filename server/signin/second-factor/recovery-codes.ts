// What a user keeps for the day the authenticator is lost (NIST SP 800-63B, look-up secrets).

import { createHmac, hkdfSync, randomInt } from "node:crypto";
import type { MasterKey } from "../../master-key.ts";
import type { TenantId } from "../../tenants/index.ts";

export const RECOVERY_CODES = 10;
/** 32 signs, none of which is taken for another (Crockford's Base32): 50 bits a code. */
const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const GROUP = 5;

export interface RecoveryCodes {
  /** New ones as they are shown, such as `7K3QD-90XWM`. */
  make(): string[];
  /** @returns how a code is stored, or undefined if it cannot be one */
  digest(tenantId: TenantId, userId: number, code: string): Buffer | undefined;
}

export function createRecoveryCodes(masterKey: MasterKey): RecoveryCodes {
  const key = Buffer.from(hkdfSync("sha256", masterKey, "", "recovery codes", 32));
  return {
    make: () => Array.from({ length: RECOVERY_CODES }, newCode),
    digest(tenantId, userId, code) {
      const plain = normalized(code);
      if (plain.length !== LENGTH) return undefined;
      return createHmac("sha256", key).update(`${tenantId} ${userId} ${plain}`).digest();
    },
  };
}

function newCode(): string {
  const signs = Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join("");
  return `${signs.slice(0, GROUP)}-${signs.slice(GROUP)}`;
}

/** As people type it: in any case, with or without the dash, and with the letters that look like digits. */
function normalized(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
}
