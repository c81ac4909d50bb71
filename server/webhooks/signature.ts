// How a receiver knows that a webhook is ours: X-Signature, and Standard Webhooks beside it.

import { createHmac, randomBytes } from "node:crypto";
import type { EventId } from "../ids.ts";

const SECRET_PREFIX = "whsec_";
/** Standard Webhooks, "Signature scheme". */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const SECRET_BYTES = 32;

/**
 * The value of X-Signature: lowercase hex of HMAC-SHA256 over the exact body, keyed by the whole secret.
 * @example headers["X-Signature"] = signPayload(body, secret);
 */
export function signPayload(body: string, secret: string): string {
  return createHmac("sha256", Buffer.from(secret, "utf8")).update(body, "utf8").digest("hex");
}

export interface StandardWebhooksInput {
  eventId: EventId;
  /** The time of this attempt, not of the event: receivers refuse what is older than some minutes. */
  timestamp: Date;
  body: string;
  /** The first is the one of X-Signature; a receiver may know any of them. */
  secrets: string[];
}

export type StandardWebhooksHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/**
 * The headers of Standard Webhooks, which its libraries verify in most languages.
 * @example Object.assign(headers, standardWebhooksHeaders({ eventId, timestamp: new Date(), body, secrets: [secret] }));
 */
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

/**
 * What is wrong with a person's own secret, if anything: one in the form of Standard Webhooks has to be one, or its
 * libraries would take another key than we do.
 */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined;
  const encoded = secret.slice(SECRET_PREFIX.length);
  const { length } = Buffer.from(encoded, "base64");
  if (isBase64(encoded) && length >= MIN_SECRET_BYTES && length <= MAX_SECRET_BYTES) return undefined;
  return `starts with ${SECRET_PREFIX}, so the base64 of ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes must follow.`;
}

function standardWebhooksKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : "";
  // A person's own secret may start with the prefix without being base64: decoding that would drop characters silently.
  return isBase64(encoded) ? Buffer.from(encoded, "base64") : Buffer.from(secret, "utf8");
}

function isBase64(text: string): boolean {
  return text.length >= 4 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
