// A browser's redirect to a provider and back.

import { createHmac } from "node:crypto";
import type { Sql } from "../../../platform/db/sql.ts";
import { TooManyRequests } from "../../../platform/errors.ts";
import { clientNetwork } from "../../../platform/http/context.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { texts } from "../../../ui/index.ts";
import type { Cookies } from "../cookies.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import type { UpstreamIdentity } from "./identity.ts";
import type { Checks } from "./protocol.ts";
import { findAttempt, insertAttempt, type NewAttempt, type OpenLimits, type RoundTrip, takeAttempt } from "./store.ts";

/** The maximum number of unfinished attempts within ATTEMPT_LIFETIME. */
export const MAX_OPEN: OpenLimits = { address: 100, tenant: 10_000 };
/** Seconds to sign in at the provider, and again to give the password of the account to link. */
const ATTEMPT_LIFETIME = 10 * 60;
const RETRY_SECONDS = 60;

/**
 * An attempt can be used once, only in its own browser. So a response obtained by an attacker cannot sign in another
 * user's browser (login CSRF, RFC 6749 10.12).
 */
export interface Attempts {
  /** @returns the values for the provider and the Set-Cookie values @throws TooManyRequests */
  begin(request: Request, tenantId: TenantId, attempt: Begun): Promise<{ checks: Checks; cookies: string[] }>;
  /** Uses the attempt up. Undefined if the state, provider and browser match none. */
  take(request: Request, providerId: number, state: string): Promise<TakenAttempt | undefined>;
  /** Stores the provider's identity with the attempt. @returns the value for the linking form */
  proceed(request: Request, tenantId: TenantId, attempt: Begun, identity: UpstreamIdentity): Promise<string>;
  pending(request: Request, link: string): Promise<PendingLink | undefined>;
}

export interface TakenAttempt {
  attempt: RoundTrip;
  checks: Checks;
}

type Begun = Pick<NewAttempt, "providerId" | "target" | "maxAge">;
export type PendingLink = RoundTrip & { identity: UpstreamIdentity };

export function createAttempts(sql: Sql, cookies: Cookies): Attempts {
  async function insert(
    request: Request,
    tenantId: TenantId,
    begun: Begun,
    value: string,
    visitor: string,
    identity?: UpstreamIdentity,
  ) {
    const { providerId, target, maxAge } = begun;
    const [digest, browser, network] = [digestOf(value), digestOf(visitor), clientNetwork(request)];
    const attempt = { digest, browser, network, providerId, target, maxAge, identity };
    if (await insertAttempt(sql, tenantId, attempt, ATTEMPT_LIFETIME, MAX_OPEN)) return;
    throw new TooManyRequests(texts.ERRORS.manySignIns, RETRY_SECONDS);
  }

  return {
    async begin(request, tenantId, begun) {
      const known = cookies.read(request, "visitor");
      const visitor = known ?? newOpaqueValue();
      const state = newOpaqueValue();
      await insert(request, tenantId, begun, state, visitor);
      return { checks: checksOf(visitor, state), cookies: known ? [] : [cookies.set("visitor", visitor)] };
    },
    async take(request, providerId, state) {
      const visitor = cookies.read(request, "visitor");
      if (visitor === undefined) return undefined;
      const attempt = await takeAttempt(sql, digestOf(state), digestOf(visitor), providerId);
      return attempt && { attempt, checks: checksOf(visitor, state) };
    },
    async proceed(request, tenantId, begun, identity) {
      const link = newOpaqueValue();
      await insert(request, tenantId, begun, link, cookies.read(request, "visitor")!, identity);
      return link;
    },
    async pending(request, link) {
      const visitor = cookies.read(request, "visitor");
      if (visitor === undefined) return undefined;
      const attempt = await findAttempt(sql, digestOf(link), digestOf(visitor));
      return attempt?.identity ? { ...attempt, identity: attempt.identity } : undefined;
    },
  };
}

/**
 * nonce and code_verifier are derived from the browser's secret cookie, so they are not stored, and the state in an
 * address does not reveal them.
 */
function checksOf(visitor: string, state: string): Checks {
  const derive = (purpose: string) => createHmac("sha256", visitor).update(`${purpose} ${state}`).digest("base64url");
  return { state, nonce: derive("nonce"), codeVerifier: derive("code_verifier") };
}
