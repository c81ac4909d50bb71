// The `state` of our own authorization requests, bound to the browser (RFC 6749 10.12), and the other bound values.

import { createHmac, timingSafeEqual } from "node:crypto";

/** @param seed an opaque value known only to this browser */
export function writeState(seed: string, text: string): string {
  const payload = Buffer.from(text).toString("base64url");
  return `${derive(seed, `state ${payload}`)}.${payload}`;
}

/** @returns the text; undefined if it was not written for this browser */
export function readState(seed: string, state: string): string | undefined {
  const [mac = "", payload = ""] = state.split(".");
  const right = Buffer.from(derive(seed, `state ${payload}`));
  const given = Buffer.from(mac);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  return Buffer.from(payload, "base64url").toString("utf8");
}

export function bindingsOf(seed: string) {
  return { nonce: derive(seed, "nonce"), verifier: derive(seed, "verifier") };
}

function derive(seed: string, purpose: string): string {
  return createHmac("sha256", seed).update(purpose).digest("base64url");
}
