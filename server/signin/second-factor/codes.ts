// What a second factor is made of: time-based codes (RFC 6238) as every authenticator app has them, and recovery codes.

import { createHmac, randomBytes, randomInt } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { TenantId } from "../../ids.ts";

/** RFC 4226 4 recommends 160 bits. */
const SECRET_BYTES = 20;
const PERIOD = 30;
/** Steps that a clock may be off, either way (RFC 6238 5.2). */
const SKEW = 1;

export const TOTP_DIGITS = 6;

/** @returns Base32 */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/**
 * What the QR code says.
 * @param issuer as the app shows it; has no colon
 * @param account whose it is
 */
export function totpUri(secret: string, issuer: string, account: string): string {
  return totp(secret, issuer, account.replaceAll(":", " ")).toString();
}

/** @returns the step that the code is of, or undefined if it is of none near now */
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

// What a user keeps for the day the authenticator is lost (NIST SP 800-63B, look-up secrets).

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
  return code
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
}
