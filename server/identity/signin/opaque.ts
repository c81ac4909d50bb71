import { createHash, randomBytes } from "node:crypto";

/** An unguessable value: 256 random bits, 43 characters of base64url. */
export function newOpaqueValue(): string {
  return randomBytes(32).toString("base64url");
}

export function digestOf(value: string): Buffer {
  return createHash("sha256").update(value, "utf8").digest();
}
