// The `state` of the authorization request: where the answer leads, bound to the browser that asked (RFC 6749 10.12).

import { createHmac, timingSafeEqual } from "node:crypto";
import { isUuid } from "../../http/paging.ts";
import type { Bindings } from "../../oauth/index.ts";
import type { TenantId } from "../../tenant-id.ts";

export interface SignInState {
  tenantId: TenantId;
  /** A path of Settings, query included. */
  next: string;
}

/** @param seed an opaque value that only this browser has */
export function writeState(seed: string, { tenantId, next }: SignInState): string {
  const payload = Buffer.from(`${tenantId} ${next}`).toString("base64url");
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
  const tenantId = text.slice(0, space);
  return isUuid(tenantId) ? { tenantId: tenantId as TenantId, next: text.slice(space + 1) } : undefined;
}

/** The other two values that bind the answer; nobody who sees them can tell the seed. */
export function bindingsOf(seed: string): Bindings {
  return { nonce: derive(seed, "nonce"), verifier: derive(seed, "verifier") };
}

function derive(seed: string, purpose: string): string {
  return createHmac("sha256", seed).update(purpose).digest("base64url");
}
