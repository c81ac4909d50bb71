// Pull connections: a consumer asks for the events of a connection without an address, and acknowledges them.

import { setTimeout as wait } from "node:timers/promises";
import { createBudget } from "../../platform/budget.ts";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { listen } from "../../platform/db/watch.ts";
import { BadInput, Conflict } from "../../platform/errors.ts";
import { type ConnectionId, type EventId, timeOfId } from "../../platform/ids.ts";
import { type Caller, outbox, type Permitted, permit, type Shown, withoutRecords } from "../../records/index.ts";
import { noConnection } from "../connections/record.ts";
import { type Connections, requireAuditReader } from "../connections/service.ts";
import { type Connection, findConnection } from "../connections.store.ts";
import { createOwnHeaders } from "../deliveries/attempt-request.ts";
import { postedOf } from "../deliveries/posted.ts";
import { readPosted } from "../deliveries/start-attempt.store.ts";
import type { ConnectionSeals } from "../secrets.ts";
import {
  acknowledge,
  findPulled,
  hasLeased,
  lease,
  listWaiting,
  lockPull,
  readBacklog,
  sizesOf,
  type WaitingDelivery,
} from "./store.ts";

const WAITS = { name: "requests that wait for events", perTenant: 10, total: 100, waiting: 0 };
/** The payloads of one answer; the first event is given whatever its size. */
export const MAX_BYTES = 4 * 1024 * 1024;
/** A higher number of waiting events is not counted. */
export const COUNTED_TO = 10_000;
/** Consumers that wait for the end of a lease look at this interval, and not at each new event. */
const LEASED_PAUSE_MS = 1_000;

export interface PullRequest {
  limit: number;
  waitMs: number;
  leaseMs: number;
}

export interface PulledEvents {
  Items: { EventId: EventId; Headers: Record<string, string>; Body: string }[];
  LeasedUntil: string | null;
  Waiting: number;
  Gap: { Count: number; From: string; To: string } | null;
}

export interface Pulls {
  /**
   * The next events. No other consumer gets them until the lease ends. Without one, waits for it.
   * @param left aborted when the caller has gone @throws NotFound, Permission, Conflict, TenantBusy
   */
  take(
    caller: Permitted<"Webhooks:Update">,
    id: ConnectionId,
    asked: PullRequest,
    left: AbortSignal,
  ): Promise<Shown<PulledEvents>>;
  /** Ends the given events up to this one. @throws NotFound, Permission, Conflict, BadInput if it was not given */
  acknowledge(
    caller: Permitted<"Webhooks:Update">,
    id: ConnectionId,
    upto: EventId,
  ): Promise<Shown<{ Acknowledged: number }>>;
}

export function createPulls(
  sql: Sql,
  seals: ConnectionSeals,
  { recordOf }: Pick<Connections, "recordOf">,
  stopping: AbortSignal,
): Pulls {
  const waits = createBudget(WAITS);
  const notices = createNotices(sql);
  const headersOf = createOwnHeaders(seals);

  /** The caller gets everything that the connection is subscribed to, as if it changed the URL of one that is pushed. */
  async function lockFor(tx: Transaction, caller: Caller, id: ConnectionId) {
    const state = await lockPull(tx, caller.tenantId, id);
    const connection = state && (await findConnection(tx, caller.tenantId, id));
    if (!connection) throw noConnection();
    caller.permissions.require("Webhooks:Update", "WebhookConnection", recordOf(connection));
    if (connection.receivesAudit) requireAuditReader(caller);
    if (connection.kind !== "Pull") throw new Conflict("The connection is of Kind Push: its events are posted.");
    return { ...state, connection };
  }

  /** @returns also the milliseconds until another consumer's lease ends */
  function leaseNext(caller: Caller, id: ConnectionId, { limit, leaseMs }: PullRequest) {
    const { tenantId } = caller;
    return sql.beginFor(tenantId, async (tx): Promise<{ events: PulledEvents; leasedForMs: number }> => {
      const { connection, leasedUpto, acknowledgedUpto, ...pull } = await lockFor(tx, caller, id);
      const isLeased = pull.leasedForMs > 0 && (await hasLeased(tx, tenantId, id, leasedUpto));
      const leasedForMs = isLeased ? pull.leasedForMs : 0;
      const isFree = connection.state === "Active" && leasedForMs === 0;
      const chosen = isFree ? await withinSize(tx, await listWaiting(tx, tenantId, id, limit)) : [];
      const until = chosen.length > 0 ? await lease(tx, tenantId, id, chosen, leaseMs) : null;
      const bounds = { after: acknowledgedUpto, upto: chosen.at(-1)?.position, countedTo: COUNTED_TO };
      const { waiting, gone, firstGone, lastGone } = await readBacklog(tx, tenantId, id, bounds);
      const events = {
        Items: await itemsOf(tx, connection, chosen),
        LeasedUntil: until?.toISOString() ?? null,
        Waiting: waiting,
        Gap: firstGone && lastGone ? { Count: gone, From: timeIn(firstGone), To: timeIn(lastGone) } : null,
      };
      return { events, leasedForMs };
    });
  }

  async function itemsOf(tx: Transaction, connection: Connection, chosen: WaitingDelivery[]) {
    const stored = await readPosted(tx, eventsOf(chosen));
    const now = new Date();
    return chosen.map(({ eventId, form }) => {
      const posted = postedOf({ ...stored.get(eventId)!, form });
      const signed = { eventId, secret: connection.secret, stagedSecret: null, formerSecret: null };
      return { EventId: eventId, Headers: headersOf(signed, posted, now), Body: posted.body };
    });
  }

  return {
    async take(caller, id, asked, left) {
      const end = performance.now() + asked.waitMs;
      let leave: (() => void) | undefined;
      try {
        for (let by = caller; ; by = permit(await caller.again(), ["Webhooks:Update"])) {
          const looked = new AbortController();
          const signal = AbortSignal.any([left, stopping, looked.signal]);
          // From before the look on, so that none is missed.
          const notice = notices.next(id, signal);
          try {
            const { events, leasedForMs } = await leaseNext(by, id, asked);
            const leftMs = end - performance.now();
            if (events.Items.length > 0 || leftMs <= 0) return withoutRecords(events);
            leave ??= await waits.take(caller.tenantId);
            const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => {});
            if (leasedForMs > 0) await pause(Math.min(leftMs, leasedForMs, LEASED_PAUSE_MS));
            else await Promise.race([notice, pause(leftMs)]);
            // A lease now would have no consumer.
            if (signal.aborted) return withoutRecords(events);
          } finally {
            looked.abort();
          }
        }
      } finally {
        leave?.();
      }
    },
    async acknowledge(caller, id, upto) {
      const { tenantId } = caller;
      const Acknowledged = await sql.beginFor(tenantId, async (tx) => {
        await lockFor(tx, caller, id);
        const found = await findPulled(tx, tenantId, id, upto);
        if (!found) throw refused("the connection has no event with this Id.");
        if (!found.isGiven) throw refused("this event was not given to a consumer yet. Ask for it first.");
        return acknowledge(tx, tenantId, id, found);
      });
      return withoutRecords({ Acknowledged });
    },
  };
}

/** The first ones whose payloads fit into an answer. Held deliveries keep theirs. */
async function withinSize(tx: Transaction, waiting: WaitingDelivery[]): Promise<WaitingDelivery[]> {
  const sizes = await sizesOf(tx, eventsOf(waiting));
  let bytes = 0;
  return waiting.filter(({ eventId }, index) => {
    bytes += sizes.get(eventId)!;
    return index === 0 || bytes <= MAX_BYTES;
  });
}

const eventsOf = (deliveries: WaitingDelivery[]) => deliveries.map(({ eventId }) => eventId);

const timeIn = (eventId: EventId) => timeOfId(eventId).toISOString();

const refused = (why: string) => BadInput.in([{ Field: "Upto", Message: `Upto: ${why}` }]);

/** Notices of new events, and of connections that are changed. This process listens from the first request on. */
function createNotices(sql: Sql) {
  const hearers = new Set<(about?: string) => void>();
  let isListening = false;

  function tell(about?: string): void {
    for (const hear of hearers) hear(about);
  }

  return {
    /** Resolves at the next notice about the connection, or once the signal is aborted. */
    next(id: ConnectionId, signal: AbortSignal): Promise<void> {
      if (!isListening) listen(sql, outbox.PULL_CHANNEL, tell);
      isListening = true;
      return new Promise((resolve) => {
        const end = () => {
          hearers.delete(hear);
          resolve();
        };
        // Without an id, notices may have been missed.
        const hear = (about?: string) => (about === undefined || about === id) && end();
        hearers.add(hear);
        signal.addEventListener("abort", end);
      });
    },
  };
}
