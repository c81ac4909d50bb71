// Stores clients' requests, in batches.

import type { Logger } from "pino";
import type { Sql } from "../../platform/db/sql.ts";
import { contextOf, type ObservedRequest } from "../../platform/http/context.ts";
import type { TenantId } from "../../platform/ids.ts";
import { createOutageLog } from "../../platform/log.ts";
import { createWriteBehind } from "../../platform/write-behind.ts";
import { insertRequests, type NewRequest } from "./store.ts";

export interface RequestRecorder {
  /** Called for every answered request. */
  record(request: Request, observed: ObservedRequest): void;
  /** Writes the remaining requests; call it after the last one. */
  stop(): Promise<void>;
}

const EVERY_MS = 1_000;
/** Limits per tenant and process: a rate and a burst, separate for failures. */
const PER_SECOND = 10;
const BURST = 500;
/** The maximum for all tenants between two writes. */
const MAX_WAITING = 1_000;
/** Methods without events. */
const READS = ["GET", "HEAD", "OPTIONS"];
/** Pages refresh themselves, so only failed reads are stored. */
const CONSOLE = "/settings";

interface Share {
  successes: Quota;
  failures: Quota;
  omitted: number;
}

interface Quota {
  left: number;
  /** Milliseconds of `performance.now()`. */
  at: number;
}

export function createRequestRecorder(sql: Sql, log: Logger): RequestRecorder {
  const shares = new Map<TenantId, Share>();
  const couldNotWrite = createOutageLog(log);
  let waiting: NewRequest[] = [];
  const writing = createWriteBehind(EVERY_MS, () => waiting.length > 0, write);

  function shareOf(tenantId: TenantId, now: number): Share {
    const known = shares.get(tenantId);
    if (known) return known;
    const whole = () => ({ left: BURST, at: now });
    const share = { successes: whole(), failures: whole(), omitted: 0 };
    shares.set(tenantId, share);
    return share;
  }

  async function write(): Promise<void> {
    const rows = waiting;
    waiting = [];
    try {
      await insertRequests(sql, rows);
    } catch (error) {
      const now = performance.now();
      for (const { tenantId, omitted } of rows) shareOf(tenantId, now).omitted += omitted + 1;
      couldNotWrite({ err: error }, "recent requests could not be stored");
    }
    forgetQuiet(shares);
  }

  return {
    record(request, observed) {
      const { tenantId, clientId, method, route, status, seconds } = observed;
      if (tenantId === undefined || clientId === undefined || route === undefined || status === undefined) return;
      const isFailure = status >= 400;
      const isRead = READS.includes(method);
      if (!isFailure && isRead && route.startsWith(CONSOLE)) return;
      const now = performance.now();
      const share = shareOf(tenantId, now);
      if (waiting.length >= MAX_WAITING || !take(isFailure ? share.failures : share.successes, now)) {
        share.omitted++;
        return;
      }
      const { key, cameOn, traceParent } = contextOf(request);
      waiting.push({
        tenantId,
        clientId: Number(clientId),
        method,
        route,
        status,
        durationMs: seconds * 1_000,
        id: Bun.randomUUIDv7("hex", cameOn),
        requestKey: key,
        traceParent: isRead ? undefined : traceParent,
        omitted: share.omitted,
      });
      share.omitted = 0;
      writing.soon();
    },

    stop: writing.stop,
  };
}

function take(quota: Quota, now: number): boolean {
  quota.left = Math.min(BURST, quota.left + ((now - quota.at) / 1_000) * PER_SECOND);
  quota.at = now;
  if (quota.left < 1) return false;
  quota.left--;
  return true;
}

/** Full quotas need no entry. */
function forgetQuiet(shares: Map<TenantId, Share>): void {
  const wholeSince = performance.now() - (BURST / PER_SECOND) * 1_000;
  for (const [tenantId, { successes, failures, omitted }] of shares) {
    if (omitted === 0 && Math.max(successes.at, failures.at) < wholeSince) shares.delete(tenantId);
  }
}
