// Probes a Held connection with the delivery that a drain would send first. Once one succeeds, the connection becomes Active and
// its other deliveries are sent.

import type { ProbeResult } from "../../../workflows/contract.ts";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { spread } from "../../platform/durations.ts";
import type { ConnectionId, TenantId } from "../../platform/ids.ts";
import { firstHeld } from "../deliveries/claim.ts";
import type { SendSigned } from "../deliveries/send-signed.ts";
import { type OpenDelivery, startProbe } from "../deliveries/start-attempt.store.ts";
import { type Attempt, recordAttempt, revertAttempt } from "../deliveries/store.ts";
import { endHold, findHeld, type HeldConnection, lockHeld, scheduleProbe, setActive } from "../holding.store.ts";
import { countAllEnded } from "../redelivery/follow.store.ts";
import { startDrain } from "../redelivery/store.ts";

/** Each wait is this many times the previous one, up to the maximum. */
const PROBE_BACKOFF = 2;
const MAX_PROBE_WAIT_MS = 3_600_000;
/** The connection was changed during the probe, so it is probed again. */
const AT_ONCE_MS = 1;

export interface ProbeDependencies {
  sql: Sql;
  sendSigned: SendSigned;
  metrics: { attempted(attempt: Attempt): void; ended(state: string): void };
  /** Milliseconds until the first probe. */
  probeInterval: number;
}

/** Probes the connection if it is Held and due; otherwise returns the time to wait. */
export async function probe(
  dependencies: ProbeDependencies,
  tenantId: TenantId,
  connectionId: ConnectionId,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { sql, sendSigned, metrics, probeInterval } = dependencies;
  const held = await findHeld(sql, tenantId, connectionId);
  if (!held) return { held: false };
  if (held.wait > 0) return waiting(held, held.wait);
  const delivery = await startFirst(sql, tenantId, connectionId);
  if (!delivery) {
    // There is no delivery to try; use the first interval, so the next event does not wait long.
    await scheduleProbe(sql, tenantId, connectionId, held.probes, probeInterval);
    return waiting(held, probeInterval);
  }
  const result = await sendSigned(tenantId, delivery, signal);
  if ("unsent" in result) {
    await revertAttempt(sql, tenantId, delivery.eventId, delivery.id, delivery.number, true);
    await scheduleProbe(sql, tenantId, connectionId, held.probes, probeInterval);
    return waiting(held, probeInterval);
  }
  const { attempt, delivered, reason } = result;
  metrics.attempted(attempt);
  if (delivered) metrics.ended("Delivered");
  const probes = held.probes + 1;
  const interval = Math.min(probeInterval * PROBE_BACKOFF ** probes, MAX_PROBE_WAIT_MS);
  let wait = spread(interval, MAX_PROBE_WAIT_MS);
  const isHeld = await sql.begin(async (tx) => {
    const version = await lockHeld(tx, tenantId, connectionId);
    if (version !== held.version) wait = AT_ONCE_MS;
    // Redeliveries are locked before deliveries, as counting them does.
    if (delivered) await countAllEnded(tx, tenantId, connectionId);
    // A Held delivery stays Held unless it was delivered.
    const reached = delivered ? "Delivered" : "Retrying";
    const outcome = { reached, hold: undefined, nextInMs: undefined } as const;
    await recordAttempt(tx, tenantId, delivery.eventId, delivery.id, attempt, outcome);
    if (version === undefined) return false;
    if (delivered) await resume(tx, tenantId, connectionId);
    else await scheduleProbe(tx, tenantId, connectionId, probes, wait);
    return !delivered;
  });
  return isHeld ? waiting({ ...held, probes }, wait, reason) : { held: false };
}

/** @returns undefined if it is no longer Held, or all of them wait for other deliveries of their records */
function startFirst(sql: Sql, tenantId: TenantId, connectionId: ConnectionId): Promise<OpenDelivery | undefined> {
  return sql.begin(async (tx) => {
    const isHeld = (await lockHeld(tx, tenantId, connectionId)) !== undefined;
    const first = isHeld ? await firstHeld(tx, tenantId, connectionId) : undefined;
    return first && startProbe(tx, tenantId, first.eventId, first.id);
  }) as Promise<OpenDelivery | undefined>;
}

async function resume(tx: Transaction, tenantId: TenantId, connectionId: ConnectionId): Promise<void> {
  await setActive(tx, tenantId, connectionId);
  await endHold(tx, tenantId, connectionId);
  await startDrain(tx, tenantId, connectionId, false);
}

function waiting({ reason, probes }: HeldConnection, waitMs: number, last?: string): ProbeResult {
  return { held: true, reason, probes, waitMs: Math.ceil(waitMs), ...(last ? { last } : {}) };
}
