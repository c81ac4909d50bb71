// Signatures of webhooks: X-Signature and Standard Webhooks.

import { createHmac, randomBytes } from "node:crypto";
import type { EventId } from "../platform/ids.ts";

const SECRET_PREFIX = "whsec_";
/** Standard Webhooks, "Signature scheme". */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const SECRET_BYTES = 32;

/** The value of X-Signature: lowercase hex HMAC-SHA256 of the exact body, keyed by the whole secret. */
export function signPayload(body: string, secret: string): string {
  return createHmac("sha256", Buffer.from(secret, "utf8")).update(body, "utf8").digest("hex");
}

export interface StandardWebhooksInput {
  eventId: EventId;
  /** The time of the attempt, not of the event: receivers reject requests older than some minutes. */
  timestamp: Date;
  body: string;
  /** The first one signs X-Signature; receivers may know any of them. */
  secrets: string[];
}

export type StandardWebhooksHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/** The headers of Standard Webhooks, which has verification libraries in most languages. */
export function standardWebhooksHeaders(input: StandardWebhooksInput): StandardWebhooksHeaders {
  const timestamp = String(Math.floor(input.timestamp.getTime() / 1000));
  const signatures = input.secrets.map((secret) =>
    createHmac("sha256", standardWebhooksKey(secret))
      .update(`${input.eventId}.${timestamp}.${input.body}`, "utf8")
      .digest("base64"),
  );
  return {
    "webhook-id": input.eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  };
}

/** @example generateSecret(); // "whsec_" and 44 characters of base64 */
export function generateSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** With the prefix it must be valid base64, because libraries of Standard Webhooks would decode a different key. */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined;
  const encoded = secret.slice(SECRET_PREFIX.length);
  const { length } = Buffer.from(encoded, "base64");
  if (isBase64(encoded) && length >= MIN_SECRET_BYTES && length <= MAX_SECRET_BYTES) return undefined;
  return `starts with ${SECRET_PREFIX}, so the base64 of ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes must follow.`;
}

function standardWebhooksKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : "";
  // A secret with the prefix may predate that check. Decoding invalid base64 would drop characters silently.
  return isBase64(encoded) ? Buffer.from(encoded, "base64") : Buffer.from(secret, "utf8");
}

function isBase64(text: string): boolean {
  return text.length >= 4 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
