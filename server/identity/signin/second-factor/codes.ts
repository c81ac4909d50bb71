// The codes of a second factor: time-based ones (RFC 6238), as authenticator apps use, and recovery codes.

import { createHmac, randomBytes, randomInt } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { TenantId } from "../../../platform/ids.ts";

/** RFC 4226 4 recommends 160 bits. */
const SECRET_BYTES = 20;
const PERIOD = 30;
/** Clock skew in steps, in each direction (RFC 6238 5.2). */
const SKEW = 1;

export const TOTP_DIGITS = 6;

/** @returns Base32 */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The content of the QR code. @param issuer as the app shows it; must not contain a colon */
export function totpUri(secret: string, issuer: string, account: string): string {
  return totp(secret, issuer, account.replaceAll(":", " ")).toString();
}

/** @returns the code's time step, or undefined if the code is not valid now */
export function stepOf(secret: string, code: string): number | undefined {
  const timestamp = Date.now();
  const delta = totp(secret).validate({ token: code, timestamp, window: SKEW });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD) + delta;
}

function totp(secret: string, issuer = "", label = ""): TOTP {
  return new TOTP({
    issuer,
    label,
    algorithm: "SHA1",
    digits: TOTP_DIGITS,
    period: PERIOD,
    secret: Secret.fromBase32(secret),
  });
}

/** The maximum number of characters of a typed code, with spaces and dashes. */
const TYPED_LIMIT = 100;

/** Accepts codes typed in groups or with full-width characters. @returns "" if it is too long for a code */
export function plainCode(code: string): string {
  return code.length > TYPED_LIMIT ? "" : code.normalize("NFKC").replace(/[\s\p{Pd}]/gu, "");
}

// Recovery codes, for a lost authenticator (NIST SP 800-63B, look-up secrets).

const RECOVERY_CODES = 10;
/** Crockford's Base32, which has no look-alike characters: 50 bits per code. */
const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const GROUP = 5;
const KEY_BYTES = 32;

/** @returns new codes in their displayed form, such as `7K3QD-90XWM` */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, newCode);
}

/** An HMAC key in base64. It is stored sealed, so the digests survive a change of the master key. */
export function newRecoveryKey(): string {
  return randomBytes(KEY_BYTES).toString("base64");
}

/** @returns the stored digest of a code, or undefined if it is malformed */
export function digestOfCode(key: string, tenantId: TenantId, userId: number, code: string): Buffer | undefined {
  const plain = recoveryCode(code);
  if (plain.length !== LENGTH) return undefined;
  return createHmac("sha256", Buffer.from(key, "base64")).update(`${tenantId} ${userId} ${plain}`).digest();
}

function newCode(): string {
  const signs = Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join("");
  return `${signs.slice(0, GROUP)}-${signs.slice(GROUP)}`;
}

/** Accepts any case, with or without the dash, and letters that look like digits. */
function recoveryCode(code: string): string {
  return plainCode(code).toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
}
