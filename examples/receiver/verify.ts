// What a receiver has to do with X-Signature. Copy it: it needs nothing but node:crypto.

import { createHmac, timingSafeEqual } from "node:crypto";

/** True if the body was signed with the secret. Give it the bytes as received, before any JSON parser touches them. */
export function isSignedWith(secret: string, body: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(createHmac("sha256", secret).update(body).digest("hex"));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
