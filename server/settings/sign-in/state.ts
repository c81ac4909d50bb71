// The `state` of the authorization request: where the answer leads, bound to the browser that asked (RFC 6749 10.12).

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Bindings } from "../../oauth/index.ts";

export interface SignInState {
  /** By which it was asked, so whose Settings it is. */
  clientId: string;
  /** A path of Settings, query included. */
  next: string;
}

/** @param seed an opaque value that only this browser has */
export function writeState(seed: string, { clientId, next }: SignInState): string {
  const payload = Buffer.from(`${clientId} ${next}`).toString("base64url");
  return `${derive(seed, `state ${payload}`)}.${payload}`;
}

/** @returns undefined if it was not written for this browser */
export function readState(seed: string, state: string): SignInState | undefined {
  const [mac = "", payload = ""] = state.split(".");
  const right = Buffer.from(derive(seed, `state ${payload}`));
  const given = Buffer.from(mac);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const text = Buffer.from(payload, "base64url").toString("utf8");
  const space = text.indexOf(" ");
  return { clientId: text.slice(0, space), next: text.slice(space + 1) };
}

/** The other two values that bind the answer; nobody who sees them can tell the seed. */
export function bindingsOf(seed: string): Bindings {
  return { nonce: derive(seed, "nonce"), verifier: derive(seed, "verifier") };
}

function derive(seed: string, purpose: string): string {
  return createHmac("sha256", seed).update(purpose).digest("base64url");
}
