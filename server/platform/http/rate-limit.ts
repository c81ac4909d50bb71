// A rate limit for each client, with the header fields of draft-ietf-httpapi-ratelimit-headers-11.
// It protects this process from a client's runaway loop. Counts are in memory, because a shared store would cost more
// than most requests.

import { TooManyRequests } from "../errors.ts";
import type { TenantId } from "../ids.ts";
import { contextOf } from "./context.ts";

export interface RateLimit {
  perSecond: number;
  /** The quota's maximum, which limits bursts. */
  burst: number;
}

/** Takes a request from its client's quota. @throws TooManyRequests if it is used up */
type Admit = (request: Request, clientId: string) => void;

/**
 * Takes a request from its client's quota, and adds the client to the request's context for the log.
 * @param network the origin of the request, for clients without authentication; each network has its own quota
 * @throws TooManyRequests if it is used up
 */
export type AdmitClient = (
  request: Request,
  client: { tenantId: TenantId; clientId: string },
  network?: string | undefined,
) => void;

interface Quota {
  requests: number;
  /** Milliseconds of `now`. */
  at: number;
}

/** Every second allows at least one request, so no wait or window is longer. */
const WAIT_SECONDS = 1;
/** Above this many quotas, full ones are forgotten. */
const QUOTAS_KEPT = 10_000;

export function createAdmitClient(limit: RateLimit): AdmitClient {
  const admit = createRateLimit(limit);
  return (request, { tenantId, clientId }, network) => {
    contextOf(request).client = { tenantId, clientId };
    admit(request, network === undefined ? clientId : `${clientId} at ${network}`);
  };
}

export function createRateLimit({ perSecond, burst }: RateLimit, now = () => performance.now()): Admit {
  const quotas = new Map<string, Quota>();
  const policy = `"client";q=${burst};w=${Math.ceil(burst / perSecond)}`;
  let sweepAt = QUOTAS_KEPT;

  function left(quota: Quota, time: number): number {
    return Math.min(burst, quota.requests + ((time - quota.at) / 1_000) * perSecond);
  }

  function sweep(time: number): void {
    for (const [clientId, quota] of quotas) if (left(quota, time) === burst) quotas.delete(clientId);
    sweepAt = Math.max(QUOTAS_KEPT, quotas.size * 2);
  }

  return (request, clientId) => {
    const time = now();
    const known = quotas.get(clientId);
    const requests = known ? left(known, time) : burst;
    const admitted = requests >= 1;
    const rest = admitted ? requests - 1 : requests;
    quotas.set(clientId, { requests: rest, at: time });
    if (quotas.size > sweepAt) sweep(time);
    Object.assign(contextOf(request).headers, {
      "ratelimit-policy": policy,
      ratelimit: `"client";r=${Math.floor(rest)};t=${WAIT_SECONDS}`,
    });
    if (!admitted) throw TooManyRequests.ofClient(perSecond, WAIT_SECONDS);
  };
}
