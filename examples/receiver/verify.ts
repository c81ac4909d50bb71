// Shows how a receiver checks X-Signature. It can be copied: it needs only node:crypto.

import { createHmac, timingSafeEqual } from "node:crypto";

/** True if the body was signed with the secret. Pass the bytes as received, before JSON parsing. */
export function isSignedWith(secret: string, body: Uint8Array, signature: string | null | undefined): boolean {
  if (!secret || !signature) return false;
  const expected = Buffer.from(createHmac("sha256", secret).update(body).digest("hex"));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
