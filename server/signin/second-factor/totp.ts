// Time-based one-time passwords (RFC 6238) as every authenticator app has them: SHA-1, six digits, 30 s.

import { Secret, TOTP } from "otpauth";

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
