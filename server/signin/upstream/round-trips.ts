// A browser on its way to a provider and back.

import { createHmac } from "node:crypto";
import type { Sql } from "../../db/sql.ts";
import { TooManyRequests } from "../../errors.ts";
import { clientNetwork } from "../../http/context.ts";
import type { TenantId } from "../../ids.ts";
import type { Cookies } from "../cookies.ts";
import { digestOf, newOpaqueValue } from "../opaque.ts";
import type { UpstreamIdentity } from "./identity.ts";
import type { Checks } from "./protocol.ts";
import { type Attempt, findAttempt, insertAttempt, type NewAttempt, type OpenLimits, takeAttempt } from "./store.ts";

/** What is begun at a provider and not brought to its end, in ATTEMPT_LIFETIME. */
export const MAX_OPEN: OpenLimits = { address: 100, tenant: 10_000 };
/** Seconds for signing in at the provider, and then for the password of the account to link. */
const ATTEMPT_LIFETIME = 10 * 60;
const RETRY_SECONDS = 60;

/**
 * An attempt is good once, and only in the browser that began it: an answer that somebody else has obtained does not
 * sign this browser's user in as them (login CSRF, RFC 6749 10.12).
 */
export interface Attempts {
  /** @returns what goes to the provider, and the Set-Cookie values. @throws TooManyRequests */
  begin(request: Request, tenantId: TenantId, attempt: Begun): Promise<{ checks: Checks; cookies: string[] }>;
  /** Uses it up. Undefined if there is none by this state, provider and browser. */
  take(request: Request, providerId: number, state: string): Promise<TakenAttempt | undefined>;
  /** Goes on with what the provider has said. @returns what the form to link carries */
  proceed(request: Request, tenantId: TenantId, attempt: Begun, identity: UpstreamIdentity): Promise<string>;
  /** Finds what `proceed` has left. */
  pending(request: Request, link: string): Promise<PendingLink | undefined>;
}

/** What a browser has come back with. */
export interface TakenAttempt {
  attempt: Attempt;
  checks: Checks;
}

type Begun = Pick<NewAttempt, "providerId" | "target" | "maxAge">;
export type PendingLink = Attempt & { identity: UpstreamIdentity };

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
    throw new TooManyRequests(
      "Too many sign-ins by a provider were begun from here and not finished. Try again in a few minutes.",
      RETRY_SECONDS,
    );
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
 * nonce and code_verifier come of the browser's cookie, which is secret and stays there, so that none of them has to be
 * kept, and who reads the state in an address knows neither.
 */
function checksOf(visitor: string, state: string): Checks {
  const derive = (purpose: string) => createHmac("sha256", visitor).update(`${purpose} ${state}`).digest("base64url");
  return { state, nonce: derive("nonce"), codeVerifier: derive("code_verifier") };
}
