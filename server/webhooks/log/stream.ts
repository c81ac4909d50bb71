// Streams committed changes as server-sent events (WHATWG HTML 9.2). An id contains the snapshot of ended transactions,
// so late commits are not missed.

import { setTimeout as wait } from "node:timers/promises";
import { createBudget } from "../../platform/budget.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { BadInput } from "../../platform/errors.ts";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { isUuid } from "../../platform/http/query.ts";
import type { EventId } from "../../platform/ids.ts";
import { type Caller, permit } from "../../records/index.ts";
import { sequenceOf } from "../deliveries/posted.ts";
import { eventResources, seePayload } from "./record.ts";
import { type CommittedFilter, listCommitted, type Moment, readMoment } from "./store.ts";

const LOOK_MS = 1_000;
/** The maximum age of an id. */
const OLDEST_MS = 86_400_000;
const PAGE = 100;
const STREAMS = { name: "event streams", perTenant: 5, total: 50, waiting: 0 };

/**
 * `1795400000000.770:773:770,771`: milliseconds since 1970, and a PostgreSQL snapshot. Between two such moments, the
 * later one and the last sent event follow.
 */
const ID = /^(\d{13})\.(\d{1,19}:\d{1,19}:[\d,]*)(?:~(\d{13})\.(\d{1,19}:\d{1,19}:[\d,]*)~([\da-f-]{36}))?$/;

interface Progress {
  from: Moment;
  /** The end, for a search between two moments. */
  to?: Moment;
  after?: EventId;
}

export interface EventStreams {
  /** @param stopping aborted on shutdown @throws BadInput, TenantBusy */
  open(caller: Caller, request: Request, filter: CommittedFilter, seconds: number): Promise<Response>;
}

export function createEventStreams(sql: Sql, stopping: AbortSignal): EventStreams {
  const streams = createBudget(STREAMS);

  return {
    async open(caller, request, filter, seconds) {
      const now = await readMoment(sql);
      const start = startOf(request.headers.get("last-event-id"), now);
      // Without it, nginx buffers the stream until it ends.
      const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no", ...NO_STORE };
      if (request.method === "HEAD") return new Response(null, { headers });
      const leave = await streams.take(caller.tenantId);
      const left = new AbortController();
      const signal = AbortSignal.any([left.signal, stopping, AbortSignal.timeout(seconds * 1_000)]);
      const texts = tell(sql, caller, filter, start, signal);
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            // Also frees the place of a listener that does not read.
            signal.addEventListener("abort", () => {
              leave();
              if (!left.signal.aborted) controller.close();
            });
          },
          // Pulled when the listener has room, so authorized events do not pile up.
          async pull(controller) {
            // An error ends the stream; the listener reconnects and gets the error then.
            const next = await texts.next().catch(() => undefined);
            if (signal.aborted) return;
            if (next && !next.done) return controller.enqueue(new TextEncoder().encode(next.value));
            controller.close();
            // After closing, the timeout must not fire.
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

/** Undefined: this database had no such recent moment. */
function momentOf(time: string | undefined, snapshot: string | undefined, now: Moment): Moment | undefined {
  if (!time || !snapshot || !isSnapshot(snapshot)) return undefined;
  const isPast = endOf(snapshot) <= endOf(now.snapshot) && now.time - Number(time) <= OLDEST_MS;
  return isPast ? { time: Number(time), snapshot } : undefined;
}

const endOf = (snapshot: string) => BigInt(snapshot.split(":")[1]!);

/** PostgreSQL's format: `xmin:xmax:` and the unfinished transactions between them, in order. */
function isSnapshot(text: string): boolean {
  const [min = "", max = "", between = ""] = text.split(":");
  const open = between === "" ? [] : between.split(",");
  const bounds = [min, ...open, max];
  if (bounds.some((bound) => bound === "" || BigInt(bound) < 1n || BigInt(bound) >= 2n ** 63n)) return false;
  return (
    open.every((one, index) => BigInt(one) >= BigInt(open[index - 1] ?? min) && BigInt(one) < BigInt(max)) &&
    BigInt(min) <= BigInt(max)
  );
}

async function* tell(
  sql: Sql,
  caller: Caller,
  filter: CommittedFilter,
  start: Progress,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let sent = start;
  // Clients reconnect after a second.
  yield `retry: 1000\nid: ${idOf(sent)}\n\n`;
  while (!signal.aborted) {
    const { from, after, to = await readMoment(sql) } = sent;
    // A revoked token ends the stream even without events.
    permit(await caller.again(), ["Webhooks:Read"]);
    const events = await listCommitted(sql, caller.tenantId, filter, { from, to, after }, PAGE);
    for (const event of events) {
      // Each event is authorized when sent, with the token, scopes and policies of that time.
      const now = permit(await caller.again(), ["Webhooks:Read"]);
      const [seen] = await now.gate.only("WebhookEvent", [event], { resource: eventResources });
      const { text } = seen ? await seePayload(now, seen) : { text: undefined };
      if (text !== undefined) {
        yield `data: {"Sequence":${JSON.stringify(sequenceOf(event.sequences))},"Payload":${text}}\n\n`;
      }
    }
    const isAll = events.length < PAGE;
    sent = isAll ? { from: to } : { from, to, after: events.at(-1)!.id };
    // The id follows its events, so an interrupted listener gets some twice rather than missing any.
    yield `id: ${idOf(sent)}\n\n`;
    if (isAll) await wait(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function idOf({ from, to, after }: Progress): string {
  const written = ({ time, snapshot }: Moment) => `${time}.${snapshot}`;
  return to && after ? `${written(from)}~${written(to)}~${after}` : written(from);
}
