// The `state` of an authorization request of ours: what its answer leads to, bound to the browser that asked (RFC 6749
// 10.12), and the other values that bind them.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Bindings } from "../oauth/index.ts";

/** @param seed an opaque value that only this browser has */
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

/** Nobody who sees them can tell the seed. */
export function bindingsOf(seed: string): Bindings {
  return { nonce: derive(seed, "nonce"), verifier: derive(seed, "verifier") };
}

function derive(seed: string, purpose: string): string {
  return createHmac("sha256", seed).update(purpose).digest("base64url");
}
