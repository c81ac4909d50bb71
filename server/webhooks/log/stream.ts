// Changes as they are committed, for somebody who listens: server-sent events (WHATWG HTML 9.2). What an id says is
// which transactions were over when it was written, so that one that commits late is passed over by nobody.

import { setTimeout as wait } from "node:timers/promises";
import { type Caller, permit } from "../../access/index.ts";
import { createBudget } from "../../budget.ts";
import type { Sql } from "../../db/sql.ts";
import { BadInput } from "../../errors.ts";
import { NO_STORE } from "../../http/conditions.ts";
import { isUuid } from "../../http/query.ts";
import type { EventId } from "../../ids.ts";
import { sequenceOf } from "../deliveries/request.ts";
import { eventResources, seePayload } from "./record.ts";
import { type CommittedFilter, listCommitted, type Moment, readMoment } from "./store.ts";

const LOOK_MS = 1_000;
/** How far back an id may lie. */
const OLDEST_MS = 86_400_000;
/** Events that are read, judged and sent at a time. */
const PAGE = 100;
const STREAMS = { name: "event streams", perTenant: 5, total: 50, waiting: 0 };

/**
 * `1795400000000.770:773:770,771`: milliseconds since 1970, and a snapshot as PostgreSQL writes it. In the middle of what
 * was committed between two such moments, the later one and the last event that is out follow.
 */
const ID = /^(\d{13})\.(\d{1,19}:\d{1,19}:[\d,]*)(?:~(\d{13})\.(\d{1,19}:\d{1,19}:[\d,]*)~([\da-f-]{36}))?$/;

/** How far a listener has come. */
interface Progress {
  from: Moment;
  /** In the middle of what was committed by then. */
  to?: Moment;
  after?: EventId;
}

export interface EventStreams {
  /**
   * @param stopping aborted when the process is to end
   * @throws BadInput, TenantBusy
   */
  open(caller: Caller, request: Request, filter: CommittedFilter, seconds: number): Promise<Response>;
}

export function createEventStreams(sql: Sql, stopping: AbortSignal): EventStreams {
  const streams = createBudget(STREAMS);

  return {
    async open(caller, request, filter, seconds) {
      const now = await readMoment(sql);
      const start = startOf(request.headers.get("last-event-id"), now);
      // nginx would else keep the stream until it ends.
      const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no", ...NO_STORE };
      if (request.method === "HEAD") return new Response(null, { headers });
      const leave = await streams.take(caller.tenantId);
      const left = new AbortController();
      const signal = AbortSignal.any([left.signal, stopping, AbortSignal.timeout(seconds * 1_000)]);
      const texts = tell(sql, caller, filter, start, signal);
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            // Also for a listener that does not read: its place is not its own for longer.
            signal.addEventListener("abort", () => {
              leave();
              if (!left.signal.aborted) controller.close();
            });
          },
          // Asked when the listener has room, so that nothing that was judged before piles up here.
          async pull(controller) {
            // What goes wrong ends the stream: the listener comes again, and is told then.
            const next = await texts.next().catch(() => undefined);
            if (signal.aborted) return;
            if (next && !next.done) return controller.enqueue(new TextEncoder().encode(next.value));
            controller.close();
            // It is closed: what comes at the end of its time has nothing more to do.
            left.abort();
          },
          cancel() {
            left.abort();
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, { headers });
    },
  };
}

/** @throws BadInput */
function startOf(lastEventId: string | null, now: Moment): Progress {
  if (!lastEventId) return { from: now };
  const [, time, snapshot, toTime, toSnapshot, after] = ID.exec(lastEventId) ?? [];
  const from = momentOf(time, snapshot, now);
  const to = momentOf(toTime, toSnapshot, now);
  if (from && !after) return { from };
  if (from && to && isUuid<EventId>(after!)) return { from, to, after };
  throw new BadInput(
    "Last-Event-ID must be an id of this stream, of the last 24 hours. Without it the stream begins now.",
  );
}

/** Undefined: there was no such moment in this database lately. */
function momentOf(time: string | undefined, snapshot: string | undefined, now: Moment): Moment | undefined {
  if (!time || !snapshot || !isSnapshot(snapshot)) return undefined;
  const isPast = endOf(snapshot) <= endOf(now.snapshot) && now.time - Number(time) <= OLDEST_MS;
  return isPast ? { time: Number(time), snapshot } : undefined;
}

const endOf = (snapshot: string) => BigInt(snapshot.split(":")[1]!);

/** What PostgreSQL would read: `xmin:xmax:` and those between them that were not over, in their order. */
function isSnapshot(text: string): boolean {
  const [least = "", most = "", between = ""] = text.split(":");
  const open = between === "" ? [] : between.split(",");
  const bounds = [least, ...open, most];
  if (bounds.some((bound) => bound === "" || BigInt(bound) < 1n || BigInt(bound) >= 2n ** 63n)) return false;
  return (
    open.every((one, index) => BigInt(one) >= BigInt(open[index - 1] ?? least) && BigInt(one) < BigInt(most)) &&
    BigInt(least) <= BigInt(most)
  );
}

/** The stream's text, as it comes. */
async function* tell(
  sql: Sql,
  caller: Caller,
  filter: CommittedFilter,
  start: Progress,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let told = start;
  // A cut connection is taken up again after a second.
  yield `retry: 1000\nid: ${idOf(told)}\n\n`;
  while (!signal.aborted) {
    const { from, after, to = await readMoment(sql) } = told;
    // A token that has ended ends the stream, also while nothing happens.
    permit(await caller.again(), ["Webhooks:Read"]);
    const events = await listCommitted(sql, caller.tenantId, filter, { from, to, after }, PAGE);
    for (const event of events) {
      // Each is judged when it is sent, by token, scopes and policies as they are then.
      const now = permit(await caller.again(), ["Webhooks:Read"]);
      const [seen] = await now.gate.only("WebhookEvent", [event], { resource: eventResources });
      const { text } = seen ? await seePayload(now, seen) : { text: undefined };
      if (text !== undefined) {
        yield `data: {"Sequence":${JSON.stringify(sequenceOf(event.sequences))},"Payload":${text}}\n\n`;
      }
    }
    const isAll = events.length < PAGE;
    told = isAll ? { from: to } : { from, to, after: events.at(-1)!.id };
    // Once all before it are out: who is cut off in between gets them again, rather than not at all.
    yield `id: ${idOf(told)}\n\n`;
    if (isAll) await wait(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function idOf({ from, to, after }: Progress): string {
  const written = ({ time, snapshot }: Moment) => `${time}.${snapshot}`;
  return to && after ? `${written(from)}~${written(to)}~${after}` : written(from);
}
